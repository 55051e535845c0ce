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
"""


@dataclass(frozen=True)
class Authority:
    """The address of a running authority, and the file with the certificate to trust."""

    url: str
    ca: Path


@contextmanager
def authority(folder: Path, name: str = "Example Time Stamps") -> Iterator[Authority]:
    """Run an authority that keeps its files in `folder`, which is created."""
    folder.mkdir()
    _certify(folder, name)
    (folder / "serial").write_text("01\n")
    (folder / "tsa.conf").write_text(_CONFIG.format(folder=folder))
    lock = threading.Lock()

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            query = self.rfile.read(int(self.headers["Content-Length"]))
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


def _certify(folder: Path, name: str) -> None:
    """Write the certificate of a new root, and the key and the certificate that it issues for time stamps."""
    root, key = (ec.generate_private_key(ec.SECP256R1()) for _ in range(2))
    issuer, subject = (x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, each)]) for each in (f"{name} Root", name))
    now = datetime.now(UTC)

    def certificate(subject: x509.Name, public: ec.EllipticCurvePublicKey, *extensions: x509.ExtensionType) -> bytes:
        builder = x509.CertificateBuilder(issuer, subject, public, x509.random_serial_number())
        builder = builder.not_valid_before(now - timedelta(days=1)).not_valid_after(now + timedelta(days=1))
        for extension in extensions:
            builder = builder.add_extension(extension, critical=True)
        return builder.sign(root, hashes.SHA256()).public_bytes(Encoding.PEM)

    (folder / "ca.pem").write_bytes(certificate(issuer, root.public_key(), x509.BasicConstraints(True, None)))
    purpose = x509.ExtendedKeyUsage([ExtendedKeyUsageOID.TIME_STAMPING])
    (folder / "tsa.pem").write_bytes(certificate(subject, key.public_key(), purpose))
    (folder / "tsa.key").write_bytes(key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption()))
