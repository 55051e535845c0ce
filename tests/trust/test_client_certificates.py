"""Mutual TLS: the certificate of a client, and the files that have it."""

from __future__ import annotations

import ssl
from pathlib import Path

import pytest
from bundles import key
from raw_server import CERTIFICATES, OK, Client, Serve, always, serving, trusting

from conformance.cli.errors import Failure
from conformance.cli.route import Route
from conformance.http.wire.exchange_limits import Limits
from conformance.http.wire.network import WANTS_CERTIFICATE
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


def test_files_that_cannot_be_used(tmp_path: Path) -> None:
    encrypted = key(tmp_path, "ecdsa", passphrase="x")
    for certificate, private, words in (
        (OWN, None, "cannot be used"),
        (OWN, key(tmp_path, "ecdsa", "another"), "KEY_VALUES_MISMATCH"),
        (OWN, encrypted, "the key needs a passphrase"),
        (OWN.with_name("none.pem"), OWN_KEY, "cannot be used"),
    ):
        with pytest.raises(Failure, match=words) as caught:
            Route(client_cert=certificate, client_key=private).transport(Limits(), uses_tls=False)
        assert caught.value.remedy
