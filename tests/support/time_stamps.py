"""A time-stamping authority: the openssl command behind a small HTTP server on this machine."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

import pytest
from certificates import chain, pem
from cli_services import listening
from cryptography import x509
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat
from cryptography.x509.oid import ExtendedKeyUsageOID
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

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
def authority(folder: Path, *, backwards: bool = False) -> Iterator[Authority]:
    """Run an authority that keeps its files in `folder`, which is created.

    Its answers hold the certificates from its own to the root, or `backwards`.
    """
    folder.mkdir()
    _certify(folder, backwards=backwards)
    (folder / "serial").write_text("01\n")
    (folder / "tsa.conf").write_text(_CONFIG.format(folder=folder))

    async def stamped(request: Request) -> Response:
        (folder / "query").write_bytes(await request.body())
        command = [str(OPENSSL), "ts", "-reply", "-config", str(folder / "tsa.conf"), "-queryfile"]
        done = subprocess.run([*command, str(folder / "query")], capture_output=True, check=True)
        return Response(done.stdout, media_type="application/timestamp-reply")

    with listening(Starlette(routes=[Route("/", stamped, methods=["POST"])])) as origin:
        yield Authority(f"{origin}/", folder / "ca.pem")


def _certify(folder: Path, *, backwards: bool) -> None:
    """Write the certificates of a new root and of what it certifies, and the key that makes time stamps."""
    key = ec.generate_private_key(ec.SECP256R1())
    purpose = x509.ExtendedKeyUsage([ExtendedKeyUsageOID.TIME_STAMPING])
    own, *above, root = chain("ecdsa", key, datetime.now(UTC), Auditor={"critical": purpose})
    (folder / "ca.pem").write_bytes(pem(root))
    (folder / "chain.pem").write_bytes(pem(root, *reversed(above)) if backwards else pem(*above, root))
    (folder / "tsa.pem").write_bytes(pem(own))
    (folder / "tsa.key").write_bytes(key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption()))
