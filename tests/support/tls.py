"""Certificates, made by an authority of the test."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from ipaddress import IPv4Address
from pathlib import Path

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID


class Authority:
    """An authority, with its certificate as a file."""

    def __init__(self, folder: Path, name: str) -> None:
        self._folder, self._name = folder, name
        self._key = ec.generate_private_key(ec.SECP256R1())
        self.file = folder / f"{name}.pem"
        limits = x509.BasicConstraints(ca=True, path_length=0)
        certificate = self._certificate(name, self._key, limits, critical=True)
        self.file.write_bytes(certificate.public_bytes(serialization.Encoding.PEM))

    def _certificate(
        self, name: str, key: ec.EllipticCurvePrivateKey, extension: x509.ExtensionType, *, critical: bool
    ) -> x509.Certificate:
        now = datetime.now(UTC)
        return (
            x509.CertificateBuilder()
            .subject_name(x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, name)]))
            .issuer_name(x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, self._name)]))
            .public_key(key.public_key())
            .serial_number(x509.random_serial_number())
            .not_valid_before(now - timedelta(hours=1))
            .not_valid_after(now + timedelta(hours=1))
            .add_extension(extension, critical=critical)
            .sign(self._key, hashes.SHA256())
        )

    def issued(self, name: str) -> tuple[Path, Path]:
        """Return the files of a certificate for this machine, and of its key."""
        key = ec.generate_private_key(ec.SECP256R1())
        here = x509.SubjectAlternativeName([x509.IPAddress(IPv4Address("127.0.0.1"))])
        files = self._folder / f"{name}.pem", self._folder / f"{name}.key"
        certificate = self._certificate(name, key, here, critical=False)
        files[0].write_bytes(certificate.public_bytes(serialization.Encoding.PEM))
        files[1].write_bytes(
            key.private_bytes(
                serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
            )
        )
        return files
