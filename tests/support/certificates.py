"""Chains of certificates: from a signer, a server or a time-stamping authority to a root."""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from typing import Any

from bundles import KINDS
from cryptography import x509
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ed25519
from cryptography.hazmat.primitives.serialization import Encoding
from cryptography.x509.oid import NameOID

NOW = datetime(2026, 6, 1, tzinfo=UTC)
NAMES = ("Auditor", "Department", "Office", "Root")
SIGNS = x509.KeyUsage(True, False, False, False, False, False, False, False, False)
ISSUES = x509.KeyUsage(False, False, False, False, False, True, True, False, False)


@dataclass(frozen=True)
class Wanted:
    """How one certificate is made."""

    days: tuple[int, int] = (-300, 300)
    ca: bool = True
    path_length: int | None = None
    usage: x509.KeyUsage | None = ISSUES
    critical: x509.ExtensionType | None = None
    issuer: str = ""
    """Its issuer by name, other than the next one."""


def chain(
    kind: str = "ed25519", own: Any = None, now: datetime = NOW, **changes: dict[str, Any]
) -> list[x509.Certificate]:
    """Return certificates from the signer to the root; `own` is the key of the signer, `changes` are by name."""
    keys = {name: KINDS[kind]() for name in NAMES} | ({"Auditor": own} if own else {})
    found = []
    for name, above in zip(NAMES, (*NAMES[1:], NAMES[-1]), strict=True):
        usual = Wanted() if name != "Auditor" else Wanted(ca=False, usage=SIGNS)
        wanted = replace(usual, **changes.get(name, {}))
        builder = x509.CertificateBuilder(
            _name(wanted.issuer or above), _name(name), keys[name].public_key(), x509.random_serial_number()
        )
        since, until = (now + timedelta(days=each) for each in wanted.days)
        builder = builder.not_valid_before(since).not_valid_after(until)
        builder = builder.add_extension(x509.BasicConstraints(wanted.ca, wanted.path_length), critical=True)
        for extension in (wanted.usage, wanted.critical):
            builder = builder.add_extension(extension, critical=True) if extension else builder
        signing = keys[above]
        digest = None if isinstance(signing, ed25519.Ed25519PrivateKey) else hashes.SHA256()
        found.append(builder.sign(signing, digest))
    return found


def _name(name: str) -> x509.Name:
    return x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, name)])


def pem(*certificates: x509.Certificate) -> bytes:
    """Return certificates as a file has them."""
    return b"".join(each.public_bytes(Encoding.PEM) for each in certificates)
