"""The time stamp of a bundle: what an RFC 3161 authority answered to the digest of the signed statement."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Final

import httpx
from cryptography.x509 import load_der_x509_certificate
from rfc3161_client import (
    HashAlgorithm,
    PKIStatus,
    TimestampRequestBuilder,
    TimeStampResponse,
    VerifierBuilder,
    decode_timestamp_response,
)

from conformance.http.appearance import NAMED
from conformance.http.other_servers import answer_to, is_private
from conformance.model.errors import ConfigurationFault
from conformance.model.exchange import TransportError
from conformance.model.text import shorten
from conformance.trust import certificates, der
from conformance.trust.archive import EvidenceFault

_ALGORITHMS: Final = {
    "2.16.840.1.101.3.4.2.1": "sha256",
    "2.16.840.1.101.3.4.2.2": "sha384",
    "2.16.840.1.101.3.4.2.3": "sha512",
}
"""The digests that a stamp may be about, by their object identifiers."""

Credentials = tuple[str, str]
"""User name and password."""


@dataclass(frozen=True)
class TimeStamp:
    """A time stamp: whether it is valid (None: there is no authority to check it with), its time and its authority."""

    valid: bool | None
    time: datetime | None
    authority: str
    """Subject of the certificate that signed, in the form of RFC 4514; empty if it names none."""
    problem: str = ""
    """Why it is not valid."""


def requested(url: str, data: bytes, credentials: Credentials | None = None) -> bytes:
    """Return the time stamp over `data` that the authority at `url` makes; raise EvidenceFault if it makes none.

    Credentials are sent by HTTP Basic authentication.
    """
    request = TimestampRequestBuilder().data(data).hash_algorithm(HashAlgorithm.SHA256).build()
    answer = _answer(url, request.as_bytes(), credentials)
    try:
        stamp = decode_timestamp_response(der.in_order(answer))
        if stamp.status != PKIStatus.GRANTED:
            raise ValueError(", ".join([f"its status is {stamp.status}", *stamp.status_string]))
        about = stamp.tst_info
        if about.message_imprint.message != request.message_imprint.message or about.nonce != request.nonce:
            raise ValueError("it is about another request")
    except Exception as error:  # the library raises many kinds of them for a damaged answer
        reason = shorten(str(error), 120)
        raise _refused(url, f"expected a time stamp, received an answer that is none ({reason})") from None
    return answer


def check(stamp: bytes, data: bytes, authorities: Path | None) -> TimeStamp:
    """Check a time stamp over `data` with the certificates in the PEM file `authorities`, without any network.

    A certificate need not be valid today, but it had to be at the time of the stamp. Raise EvidenceFault if the file
    holds no certificate. A time stamp that cannot be read is not valid.
    """
    roots = certificates.read(authorities, _ROOT) if authorities is not None else []
    try:
        read = decode_timestamp_response(der.in_order(stamp))
        time, authority = read.tst_info.gen_time, _authority(read)
    except Exception as error:  # the libraries raise many kinds of them for a damaged stamp
        return TimeStamp(False, None, "", f"it cannot be read ({shorten(repr(error), 80)})")
    imprint = read.tst_info.message_imprint
    if (algorithm := _ALGORITHMS.get(imprint.hash_algorithm.dotted_string)) is None:
        return TimeStamp(False, time, authority, "expected a digest by SHA-256, SHA-384 or SHA-512")
    digest = hashlib.new(algorithm, data).digest()
    if imprint.message != digest:
        return TimeStamp(False, time, authority, "it is about other bytes")
    if authorities is None:
        return TimeStamp(None, time, authority)
    try:
        VerifierBuilder(roots=roots).build().verify(read, digest)
    except Exception:  # as above, and VerificationError
        reason = (
            f"expected a stamp whose certificate leads to a root certificate in {authorities.name}, received one by "
            f"{authority or 'an authority without a name'}"
        )
        return TimeStamp(False, time, authority, reason)
    return TimeStamp(True, time, authority)


def _answer(url: str, query: bytes, credentials: Credentials | None) -> bytes:
    headers = {**NAMED, "Content-Type": "application/timestamp-query", "Accept": "application/timestamp-reply"}
    try:
        request = httpx.Request("POST", url, content=query, headers=headers)
        if credentials and not is_private(request.url):
            why = "a password is sent only to an https address"
            raise _refused(url, why, "Give the https address with --timestamp.")
        if credentials:
            request = next(httpx.BasicAuth(*credentials).auth_flow(request))
        response = answer_to(request)
    except (TransportError, ConfigurationFault, httpx.InvalidURL, ValueError) as error:
        raise _refused(url, f"it cannot be reached ({str(error) or type(error).__name__})") from None
    if response.status_code == httpx.codes.UNAUTHORIZED:
        raise _refused(url, "it does not accept the user name and the password", _NAME_A_USER)
    if response.status_code != httpx.codes.OK:
        raise _refused(url, f"expected status 200, received {response.status_code}")
    return response.content


_ROOT: Final = "the root certificate of the authority"
_NAME_A_USER: Final = "Give the user name with --timestamp-user, and the password in DRSI_TIMESTAMP_PASSWORD."
_NAME_ANOTHER: Final = "Give the address of an RFC 3161 time-stamping authority with --timestamp, or pack without it."


def _refused(url: str, reason: str, remedy: str = _NAME_ANOTHER) -> EvidenceFault:
    return EvidenceFault(f"{url} gave no time stamp: {reason}.", remedy=remedy)


def _authority(stamp: TimeStampResponse) -> str:
    signers = {(each.issuer, each.serial_number) for each in stamp.signed_data.signer_infos}
    enclosed = map(load_der_x509_certificate, stamp.signed_data.certificates)
    named = (each for each in enclosed if (each.issuer, each.serial_number) in signers)
    return next((each.subject.rfc4514_string() for each in named), "")
