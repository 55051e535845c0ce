"""Mutual TLS, and certificates of authorities that Python enforces rules against only from 3.13 on."""

from __future__ import annotations

import ssl
from collections.abc import Callable
from pathlib import Path

import pytest
from raw_server import OK, Client, Serve, always
from tls import Authority

from conformance.cli.errors import Failure
from conformance.cli.route import Route
from conformance.http.wire.exchange_limits import Limits
from conformance.http.wire.network import STRICTLY_REFUSED, WANTS_CERTIFICATE
from conformance.model.exchange import ErrorKind, TransportError

Version = ssl.TLSVersion


@pytest.fixture
def authority(tmp_path: Path) -> Authority:
    return Authority(tmp_path, "authority")


def asking(authority: Authority, version: Version) -> ssl.SSLContext:
    """Return the context of a server that wants a certificate of `authority`."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(*authority.issued("server"))
    context.load_verify_locations(authority.file)
    context.verify_mode = ssl.CERT_REQUIRED
    context.maximum_version = version
    return context


@pytest.mark.parametrize("version", [Version.TLSv1_2, Version.TLSv1_3])
def test_a_service_that_wants_a_certificate(
    serve: Serve, client: Client, authority: Authority, tmp_path: Path, version: Version
) -> None:
    server = serve(always(OK), asking(authority, version))
    own, stranger = authority.issued("tester"), Authority(tmp_path, "other").issued("stranger")

    for shown in (None, stranger):
        context = ssl.create_default_context(cafile=authority.file)
        if shown:
            context.load_cert_chain(*shown)
        with pytest.raises(TransportError, match=WANTS_CERTIFICATE) as caught:
            client(verify=context).get(server.url)
        assert caught.value.kind is ErrorKind.TLS

    route = Route(ca_file=authority.file, client_cert=own[0], client_key=own[1])
    assert client(verify=route._context()).get(server.url).text == "OK"


def test_no_cipher_in_common_is_no_matter_of_a_certificate(serve: Serve, client: Client, authority: Authority) -> None:
    context = asking(authority, Version.TLSv1_2)
    context.set_ciphers("ECDHE-ECDSA-AES256-GCM-SHA384")
    trusting = ssl.create_default_context(cafile=authority.file)
    trusting.maximum_version = Version.TLSv1_2
    trusting.set_ciphers("ECDHE-ECDSA-AES128-GCM-SHA256")
    with pytest.raises(TransportError, match="the target refused the handshake"):
        client(verify=trusting).get(serve(always(OK), context).url)


def test_an_authority_without_key_identifiers_is_named_where_python_is_strict(
    serve: Serve, client: Client, authority: Authority
) -> None:
    server = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    server.load_cert_chain(*authority.issued("server"))
    trusting = ssl.create_default_context(cafile=authority.file)
    trusting.verify_flags |= ssl.VERIFY_X509_STRICT  # the default of Python 3.13
    with pytest.raises(TransportError, match=rf"{STRICTLY_REFUSED} \(.*\)") as caught:
        client(verify=trusting).get(serve(always(OK), server).url)
    assert caught.value.kind is ErrorKind.TLS


def _without_key(cert: Path, key: Path) -> tuple[Path, Path | None]:  # noqa: ARG001
    return cert, None


def _of_another(cert: Path, key: Path) -> tuple[Path, Path]:
    return cert, Authority(key.parent, "another").issued("another-one")[1]


def _two_keys(cert: Path, key: Path) -> tuple[Path, Path]:  # noqa: ARG001
    return key, key


def _encrypted(cert: Path, key: Path) -> tuple[Path, Path]:
    from cryptography.hazmat.primitives import serialization as form

    private = form.load_pem_private_key(key.read_bytes(), None)
    protection = form.BestAvailableEncryption(b"x")
    key.write_bytes(private.private_bytes(form.Encoding.PEM, form.PrivateFormat.PKCS8, protection))
    return cert, key


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (_without_key, "has no private key in PEM form"),
        (_of_another, "is not that of the certificate"),
        (_encrypted, "is encrypted"),
        (lambda cert, key: (cert.parent / "none.pem", key), r"none\.pem cannot be read"),
        (lambda cert, key: (cert, key.parent), "cannot be read"),
        (_two_keys, "has no certificate in PEM form"),
    ],
    ids=["no key", "another key", "encrypted", "absent", "folder", "no certificate"],
)
def test_files_that_cannot_be_used(
    authority: Authority, change: Callable[[Path, Path], tuple[Path, Path | None]], words: str
) -> None:
    certificate, key = change(*authority.issued("tester"))
    with pytest.raises(Failure, match=words) as caught:
        Route(client_cert=certificate, client_key=key).transport(Limits(), uses_tls=False)
    assert caught.value.remedy
