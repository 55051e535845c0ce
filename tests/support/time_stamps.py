"""A time-stamping authority: the openssl command behind a small HTTP server on this machine."""

from __future__ import annotations

import os
import shutil
import subprocess
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat
from cryptography.x509.oid import ExtendedKeyUsageOID, NameOID

OPENSSL = shutil.which("openssl")
needs_openssl = pytest.mark.skipif(
    OPENSSL is None and os.environ.get("CI") != "true", reason="the openssl command is not installed"
)

_CONFIG = """
[tsa]
default_tsa = here
[here]
serial = {folder}/serial
signer_cert = {folder}/tsa.pem
signer_key = {folder}/tsa.key
signer_digest = sha256
default_policy = 1.3.6.1.4.1.13762.3
digests = sha256, sha384, sha512
ess_cert_id_alg = sha256
certs = {folder}/chain.pem
"""


@dataclass(frozen=True)
class Authority:
    """The address of a running authority, and the file with the certificate to trust."""

    url: str
    ca: Path


@contextmanager
def authority(
    folder: Path, name: str = "Example Time Stamps", *, backwards: bool = False, credentials: str = ""
) -> Iterator[Authority]:
    """Run an authority that keeps its files in `folder`, which is created.

    Its answers hold the certificates from its own to the root, or `backwards`. It only answers a call with these
    `credentials`, as HTTP Basic has them.
    """
    folder.mkdir()
    _certify(folder, name, backwards=backwards)
    (folder / "serial").write_text("01\n")
    (folder / "tsa.conf").write_text(_CONFIG.format(folder=folder))
    lock = threading.Lock()

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            query = self.rfile.read(int(self.headers["Content-Length"]))
            if self.headers.get("Authorization", "") != credentials:
                self.send_response(401)
                self.end_headers()
                return
            with lock:
                (folder / "query").write_bytes(query)
                command = [str(OPENSSL), "ts", "-reply", "-config", str(folder / "tsa.conf"), "-queryfile"]
                done = subprocess.run([*command, str(folder / "query")], capture_output=True, check=True)
            self.send_response(200)
            self.send_header("Content-Type", "application/timestamp-reply")
            self.end_headers()
            self.wfile.write(done.stdout)

        def log_message(self, *_: object) -> None:
            """Stay quiet."""

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        try:
            yield Authority(f"http://127.0.0.1:{server.server_port}/", folder / "ca.pem")
        finally:
            server.shutdown()
            thread.join()


def _certify(folder: Path, name: str, *, backwards: bool) -> None:
    """Write the certificates of a new root and of what it certifies, and the key that makes time stamps."""
    keys = [ec.generate_private_key(ec.SECP256R1()) for _ in range(4)]
    key = keys[-1]
    names = [f"{name} Root", f"{name} First", f"{name} Second", name]
    subjects = [x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, each)]) for each in names]
    now = datetime.now(UTC)

    def certificate(place: int, extension: x509.ExtensionType) -> bytes:
        issuer = max(0, place - 1)
        builder = x509.CertificateBuilder(
            subjects[issuer], subjects[place], keys[place].public_key(), x509.random_serial_number()
        )
        builder = builder.not_valid_before(now - timedelta(days=1)).not_valid_after(now + timedelta(days=1))
        builder = builder.add_extension(extension, critical=True)
        return builder.sign(keys[issuer], hashes.SHA256()).public_bytes(Encoding.PEM)

    own, *above = (certificate(place, x509.BasicConstraints(True, None)) for place in range(len(keys) - 1))
    (folder / "ca.pem").write_bytes(own)
    chain = [*reversed(above), own]
    (folder / "chain.pem").write_bytes(b"".join(reversed(chain) if backwards else chain))
    purpose = x509.ExtendedKeyUsage([ExtendedKeyUsageOID.TIME_STAMPING])
    (folder / "tsa.pem").write_bytes(certificate(len(keys) - 1, purpose))
    (folder / "tsa.key").write_bytes(key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption()))
