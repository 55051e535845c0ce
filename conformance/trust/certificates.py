"""The certificate chain of a signer (X.509, RFC 5280): whether it leads from the key to a certificate authority.

The verifier of `cryptography` refuses Ed25519 keys, as the rules for web servers do. So the chain is followed here, and
every signature and name in it is checked by `cryptography`. What is not understood is refused.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from pathlib import Path
from typing import Final

from cryptography.exceptions import InvalidSignature, UnsupportedAlgorithm
from cryptography.x509 import (
    BasicConstraints,
    Certificate,
    ExtensionNotFound,
    KeyUsage,
    load_pem_x509_certificates,
)
from cryptography.x509.oid import ExtensionOID

from conformance.trust.archive import EvidenceFault

_UNDERSTOOD: Final = {
    *(ExtensionOID.BASIC_CONSTRAINTS, ExtensionOID.KEY_USAGE, ExtensionOID.EXTENDED_KEY_USAGE),
    *(ExtensionOID.SUBJECT_ALTERNATIVE_NAME, ExtensionOID.CERTIFICATE_POLICIES),
}
"""Critical extensions that limit nothing that a signature of a bundle is used for, or that are checked here."""


def read(path: Path, wanted: str) -> list[Certificate]:
    """Return the certificates in the PEM file `path`, at least one; raise EvidenceFault if it has none."""
    try:
        return load_pem_x509_certificates(path.read_bytes())
    except OSError as error:
        reason = f"cannot be read: {error.strerror or error}"
    except ValueError:
        reason = "expected certificates in PEM form, received something else"
    raise EvidenceFault(f"{path}: {reason}.", remedy=f"Name a PEM file with {wanted}.")


def name_of(certificate: Certificate) -> str:
    """Return the subject of a certificate, such as "CN=Auditor,O=Example"."""
    return certificate.subject.rfc4514_string()


def problem(chain: Sequence[Certificate], roots: Sequence[Certificate], moment: datetime) -> str:
    """Return why a chain, that of the signer first, leads to none of `roots` at a moment; "" if it does.

    Each certificate has to be issued by the next one, and the last one by a root. Revocation is not asked for.
    """
    signer, *above = chain
    try:
        if wrong := _unusable(signer, moment):
            return wrong
        usage = _usage(signer)
        if usage is not None and not (usage.digital_signature or usage.content_commitment):
            return f"the certificate of {name_of(signer)} is not for signatures"
        for below, issuer in enumerate(above):
            if not _issued(chain[below], issuer):
                return f"{name_of(chain[below])} was not issued by {name_of(issuer)}, the next in the file"
            if wrong := _unusable(issuer, moment) or _no_authority(issuer, below):
                return wrong
        issuers = [each for each in roots if each == chain[-1] or _issued(chain[-1], each)]
        if not issuers:
            return f"{name_of(chain[-1])} was not issued by an authority that is given"
        reasons = [_unusable(each, moment) or _no_authority(each, len(above) - (each == chain[-1])) for each in issuers]
    except (ValueError, UnsupportedAlgorithm) as error:
        return f"a certificate cannot be read ({error})"
    return "" if "" in reasons else reasons[0]


def _issued(certificate: Certificate, issuer: Certificate) -> bool:
    try:
        certificate.verify_directly_issued_by(issuer)
    except (ValueError, TypeError, InvalidSignature):  # another name, another kind of key, another key
        return False
    return True


def _unusable(certificate: Certificate, moment: datetime) -> str:
    if not certificate.not_valid_before_utc <= moment <= certificate.not_valid_after_utc:
        return (
            f"the certificate of {name_of(certificate)} is valid from {certificate.not_valid_before_utc} to "
            f"{certificate.not_valid_after_utc}, and not at {moment}"
        )
    critical = [each.oid for each in certificate.extensions if each.critical and each.oid not in _UNDERSTOOD]
    if critical:
        oid = critical[0].dotted_string
        return f"the certificate of {name_of(certificate)} has a critical extension that is not understood ({oid})"
    return ""


def _usage(certificate: Certificate) -> KeyUsage | None:
    try:
        return certificate.extensions.get_extension_for_class(KeyUsage).value
    except ExtensionNotFound:
        return None


def _no_authority(certificate: Certificate, below: int) -> str:
    """Return why a certificate may not issue one that has so many authorities below it; "" if it may."""
    usage = _usage(certificate)
    try:
        basic = certificate.extensions.get_extension_for_class(BasicConstraints).value
    except ExtensionNotFound:
        basic = BasicConstraints(ca=False, path_length=None)
    if not basic.ca or (usage is not None and not usage.key_cert_sign):
        return f"{name_of(certificate)} may not issue certificates"
    if basic.path_length is not None and below > basic.path_length:
        return f"{name_of(certificate)} may not issue for authorities that are so far below it"
    return ""
