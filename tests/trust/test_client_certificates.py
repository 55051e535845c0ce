"""Mutual TLS, and certificates of authorities that Python enforces rules against only from 3.13 on."""

from __future__ import annotations

import ssl
from collections.abc import Callable
from datetime import UTC, datetime
from ipaddress import IPv4Address
from pathlib import Path

import pytest
from bundles import key
from certificates import chain, pem
from cryptography import x509
from cryptography.hazmat.primitives.serialization import load_pem_private_key
from raw_server import CERTIFICATES, OK, Client, Serve, always, serving, trusting

from conformance.cli.errors import Failure
from conformance.cli.route import Route
from conformance.http.wire.exchange_limits import Limits
from conformance.http.wire.network import STRICTLY_REFUSED, WANTS_CERTIFICATE
from conformance.model.exchange import ErrorKind, TransportError

Version = ssl.TLSVersion


OWN, OWN_KEY = CERTIFICATES / "right-name.pem", CERTIFICATES / "key.pem"
"""A certificate for this machine, which is its own authority, and its key."""


def asking(version: Version) -> ssl.SSLContext:
    """Return the context of a server that wants the certificate OWN."""
    context = serving("right-name")
    context.load_verify_locations(OWN)
    context.verify_mode = ssl.CERT_REQUIRED
    context.maximum_version = version
    return context


@pytest.mark.parametrize("version", [Version.TLSv1_2, Version.TLSv1_3])
def test_a_service_that_wants_a_certificate(serve: Serve, client: Client, version: Version) -> None:
    server = serve(always(OK), asking(version))

    for shown in (None, CERTIFICATES / "wrong-name.pem"):
        context = trusting("right-name")
        if shown:
            context.load_cert_chain(shown, OWN_KEY)
        with pytest.raises(TransportError, match=WANTS_CERTIFICATE) as caught:
            client(verify=context).get(server.url)
        assert caught.value.kind is ErrorKind.TLS

    route = Route(ca_file=OWN, client_cert=OWN, client_key=OWN_KEY)
    assert client(verify=route._context()).get(server.url).text == "OK"


def test_no_cipher_in_common_is_no_matter_of_a_certificate(serve: Serve, client: Client) -> None:
    context, other = asking(Version.TLSv1_2), trusting("right-name")
    context.set_ciphers("ECDHE-ECDSA-AES256-GCM-SHA384")
    other.maximum_version = Version.TLSv1_2
    other.set_ciphers("ECDHE-ECDSA-AES128-GCM-SHA256")
    with pytest.raises(TransportError, match="the target refused the handshake"):
        client(verify=other).get(serve(always(OK), context).url)


def test_an_authority_without_key_identifiers_is_named_where_python_is_strict(
    serve: Serve, client: Client, tmp_path: Path
) -> None:
    here = x509.SubjectAlternativeName([x509.IPAddress(IPv4Address("127.0.0.1"))])
    private = load_pem_private_key(OWN_KEY.read_bytes(), None)
    *own, root = chain("ecdsa", private, datetime.now(UTC), Auditor={"critical": here})
    for name, made in (("own.pem", own), ("root.pem", [root])):
        (tmp_path / name).write_bytes(pem(*made))
    server = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    server.load_cert_chain(tmp_path / "own.pem", OWN_KEY)
    strict = ssl.create_default_context(cafile=tmp_path / "root.pem")
    strict.verify_flags |= ssl.VERIFY_X509_STRICT  # the default of Python 3.13
    with pytest.raises(TransportError, match=rf"{STRICTLY_REFUSED} \(.*\)") as caught:
        client(verify=strict).get(serve(always(OK), server).url)
    assert caught.value.kind is ErrorKind.TLS


@pytest.mark.parametrize(
    ("certificate", "private", "words"),
    [
        (OWN, lambda _: None, "cannot be used"),
        (OWN, lambda folder: key(folder, "ecdsa"), "KEY_VALUES_MISMATCH"),
        (OWN, lambda folder: key(folder, "ecdsa", passphrase="x"), "the key needs a passphrase"),
        (OWN.with_name("none.pem"), lambda _: OWN_KEY, r"none\.pem .* cannot be used"),
        (OWN, lambda folder: folder, "cannot be used"),
        (OWN_KEY, lambda _: OWN_KEY, "cannot be used"),
    ],
    ids=["no key", "another key", "encrypted", "absent", "folder", "no certificate"],
)
def test_files_that_cannot_be_used(
    tmp_path: Path, certificate: Path, private: Callable[[Path], Path | None], words: str
) -> None:
    with pytest.raises(Failure, match=words) as caught:
        Route(client_cert=certificate, client_key=private(tmp_path)).transport(Limits(), uses_tls=False)
    assert caught.value.remedy
