from __future__ import annotations

import hashlib
import ssl

import pytest
from raw_server import CERTIFICATES, OK, Client, Peer, Script, Serve, always, serving, trusting

from conformance.model.exchange import ErrorKind, TransportError


@pytest.mark.parametrize(
    ("certificate", "verify", "reason"),
    [
        ("right-name", None, "self-signed"),
        ("expired", trusting("expired"), "expired"),
        ("wrong-name", trusting("wrong-name"), "another address"),
    ],
    ids=["self-signed", "expired", "wrong name"],
)
def test_a_bad_certificate_is_named(
    serve: Serve, client: Client, certificate: str, verify: ssl.SSLContext | None, reason: str
) -> None:
    server = serve(always(OK), serving(certificate))

    with pytest.raises(TransportError, match=reason) as caught:
        client(verify=verify).get(server.url)

    assert caught.value.kind is ErrorKind.TLS
    assert server.requests == []


def test_plain_http_behind_https_is_named(serve: Serve, client: Client) -> None:
    server = serve(lambda peer: peer.send(b"HTTP/1.1 400 Bad Request\r\n\r\n"))

    with pytest.raises(TransportError, match="try http") as caught:
        client().get(server.url.replace("http:", "https:"))

    assert caught.value.kind is ErrorKind.TLS


def reset_after_hello(peer: Peer) -> None:
    peer.sock.recv(1)
    peer.reset()


@pytest.mark.parametrize("script", [Peer.hang, reset_after_hello], ids=["stalls", "resets"])
def test_a_handshake_that_does_not_end_is_trouble_of_tls(serve: Serve, client: Client, script: Script) -> None:
    server = serve(script)

    with pytest.raises(TransportError, match="handshake") as caught:
        client(connect=0.2).get(server.url.replace("http:", "https:"))

    assert caught.value.kind is ErrorKind.TLS


def test_the_address_and_the_certificate_are_known_afterwards(serve: Serve, client: Client) -> None:
    server, http = serve(always(OK), serving("right-name")), client(verify=trusting("right-name"))
    der = ssl.PEM_cert_to_DER_cert((CERTIFICATES / "right-name.pem").read_text())

    http.get(server.url)

    peers = http._transport.peers  # type: ignore[attr-defined]
    assert list(peers.addresses) == ["127.0.0.1"]
    assert (peers.tls.version, peers.tls.certificate_sha256) == ("TLSv1.3", hashlib.sha256(der).hexdigest())
