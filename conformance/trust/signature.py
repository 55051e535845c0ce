"""The signature of a bundle: a DSSE envelope around the statement, made with an Ed25519 or ECDSA key in a PEM file."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from cryptography.exceptions import UnsupportedAlgorithm
from cryptography.hazmat.primitives.asymmetric.types import PrivateKeyTypes, PublicKeyTypes
from cryptography.hazmat.primitives.serialization import (
    Encoding,
    PublicFormat,
    load_pem_private_key,
    load_pem_public_key,
)
from cryptography.x509 import load_pem_x509_certificates
from securesystemslib.dsse import Envelope
from securesystemslib.exceptions import Error, UnverifiedSignatureError
from securesystemslib.signer import CryptoSigner, SSlibKey  # type: ignore[attr-defined]  # exported, not marked so

from conformance.model import unique_keys
from conformance.model.printable import as_json
from conformance.trust.archive import EvidenceFault
from conformance.trust.in_toto import PAYLOAD_TYPE

_KINDS: Final = ("ed25519", "ecdsa")
_MARK: Final = b"-----BEGIN CERTIFICATE-----"
_WANTED: Final = "Name a PEM file with an Ed25519 or ECDSA"


@dataclass(frozen=True)
class Signature:
    """A signature: whether it is valid (None: there is no key to check it with), and what it covers."""

    valid: bool | None
    key: str
    """SHA-256 fingerprint of the key as SubjectPublicKeyInfo; where no key was given, what the signature claims."""
    key_file: str
    """Name of the file of the key; empty where none was given."""
    statement: Any
    """The signed statement as JSON; None if there is none."""
    named: tuple[str, ...] = ()
    """The keys that the envelope names; the names are hints."""
    problem: str = ""
    """Why the envelope cannot be read, if that is known."""


def signer(path: Path, passphrase: Callable[[], str]) -> CryptoSigner:
    """Return the signer with the private key in `path`; ask for `passphrase` only if the key is encrypted.

    Raise EvidenceFault if the file holds no key that can sign.
    """
    pem = _read(path, "private key")
    try:
        try:
            key: PrivateKeyTypes = load_pem_private_key(pem, None)
        except TypeError:  # the key is encrypted
            key = load_pem_private_key(pem, passphrase().encode())
    except (ValueError, TypeError, UnsupportedAlgorithm):
        if b"ENCRYPTED" in pem:
            raise EvidenceFault(
                f"The key in {path} cannot be decrypted with this pass phrase.",
                remedy="Correct DRSI_KEY_PASSPHRASE, or unset it to be asked.",
            ) from None
        raise _no_key(path, "private key") from None
    return CryptoSigner(key, _public(key.public_key(), path, "private key"))


def signed(statement: dict[str, Any], signer: CryptoSigner) -> bytes:
    """Return the DSSE envelope of `statement`."""
    envelope = Envelope(as_json(statement, indent=None).encode(), PAYLOAD_TYPE, {})
    envelope.sign(signer)
    return as_json(envelope.to_dict(), indent=1).encode()


def check(envelope: bytes, public_key: Path | None) -> Signature:
    """Check the signature of `envelope` with the key in the file `public_key`, or that of the first certificate in it.

    Raise EvidenceFault if the file holds no public key. An envelope that cannot be read is not valid.
    """
    if public_key is None:
        return _checked(envelope, None, "")
    key = _public(_loaded(_read(public_key, "public key"), public_key), public_key, "public key")
    return _checked(envelope, key, public_key.name)


def check_with(envelope: bytes, pem: bytes) -> Signature:
    """Check the signature of `envelope` with a public key in PEM form; one that cannot be read is not valid."""
    try:
        key = _public(load_pem_public_key(pem), Path("the key"), "public key")
    except (ValueError, UnsupportedAlgorithm, EvidenceFault):
        return Signature(False, "", "", None)
    return _checked(envelope, key, "")


def public_key(path: Path) -> tuple[str, str]:
    """Return the fingerprint of the public key in a file, or of the first certificate in it, and its PEM form.

    Raise EvidenceFault if the file holds no public key.
    """
    return public_key_in(_read(path, "public key"), path)


def public_key_in(text: bytes, path: Path) -> tuple[str, str]:
    """Return the same of the text of such a file."""
    key = _loaded(text, path)
    pem = key.public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo).decode()
    return _public(key, path, "public key").keyid, pem


def _loaded(pem: bytes, path: Path) -> PublicKeyTypes:
    try:
        if _MARK not in pem:
            return load_pem_public_key(pem)
        return load_pem_x509_certificates(pem)[0].public_key()
    except (ValueError, UnsupportedAlgorithm):
        raise _no_key(path, "public key", pem) from None


def public_pem(signer: CryptoSigner) -> str:
    """Return the public key of a signer in PEM form."""
    public = load_pem_private_key(signer.private_bytes, None).public_key()
    return public.public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo).decode()


def _checked(envelope: bytes, key: SSlibKey | None, name: str) -> Signature:
    try:
        read = Envelope.from_dict(unique_keys.loads(envelope))
        statement = unique_keys.loads(read.payload)
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError, Error) as error:
        problem = f"it has {error}" if isinstance(error, unique_keys.RepeatedKey) else ""
        return Signature(False, key.keyid if key else "", name, None, problem=problem)
    if key is None:
        return Signature(None, ", ".join(read.signatures), name, statement)
    valid = read.payload_type == PAYLOAD_TYPE and any(_is_by(key, each, read) for each in read.signatures)
    return Signature(valid, key.keyid, name, statement, tuple(read.signatures))


def _is_by(key: SSlibKey, keyid: str, envelope: Envelope) -> bool:
    # The name of a key in an envelope is a hint, so a signature that another tool made counts as well.
    named = SSlibKey(keyid, key.keytype, key.scheme, key.keyval)
    try:
        named.verify_signature(envelope.signatures[keyid], envelope.pae())
    except UnverifiedSignatureError:
        return False
    return True


def _public(key: PublicKeyTypes, path: Path, what: str) -> SSlibKey:
    """Return `key` under its fingerprint."""
    encoded = key.public_bytes(Encoding.DER, PublicFormat.SubjectPublicKeyInfo)
    try:
        found = SSlibKey.from_crypto(key, f"SHA256:{hashlib.sha256(encoded).hexdigest()}")
    except ValueError:
        raise _no_key(path, what) from None
    if found.keytype not in _KINDS:
        raise _no_key(path, what)
    return found


def _read(path: Path, what: str) -> bytes:
    try:
        return path.read_bytes()
    except OSError as error:
        raise EvidenceFault(f"{path} cannot be read: {error.strerror or error}.", remedy=f"{_WANTED} {what}.") from None


def _no_key(path: Path, what: str, pem: bytes = b"") -> EvidenceFault:
    received = "a private key" if b"PRIVATE KEY" in pem and what == "public key" else "something else"
    return EvidenceFault(
        f"{path}: expected an Ed25519 or ECDSA {what} in PEM form, received {received}.",
        remedy=f"{_WANTED} {what}; 'openssl genpkey -algorithm ed25519' makes a private key, and "
        "'openssl pkey -pubout' its public key.",
    )
