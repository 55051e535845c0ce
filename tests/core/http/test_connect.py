"""The way to a server: its name, its address and its certificate."""

from __future__ import annotations

import hashlib
import socket
import ssl
import threading
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from raw_server import CERTIFICATES, OK, Client, Peer, Script, Serve, always, serving, trusting

from conformance.http.wire.connect import dial
from conformance.model.exchange import ErrorKind, TransportError

REAL = socket.getaddrinfo


class Names:
    """Stands in for the resolver of the system, for names that are not literal addresses."""

    def __init__(self) -> None:
        self.asked: list[str] = []
        self.reply: Callable[[int], list[Any]] = lambda _port: []

    def getaddrinfo(self, host: str, port: int, **options: Any) -> Any:
        if options.get("flags") == socket.AI_NUMERICHOST:
            return REAL(host, port, **options)
        self.asked.append(host)
        return self.reply(port)


@pytest.fixture
def names(monkeypatch: pytest.MonkeyPatch) -> Names:
    fake = Names()
    monkeypatch.setattr("conformance.http.wire.connect.socket.getaddrinfo", fake.getaddrinfo)
    return fake


def row(address: str, port: int) -> tuple[Any, ...]:
    family = socket.AF_INET6 if ":" in address else socket.AF_INET
    return (family, socket.SOCK_STREAM, 6, "", (address, port) if family == socket.AF_INET else (address, port, 0, 0))


def test_a_name_is_resolved_once_and_keeps_its_meaning(serve: Serve, client: Client, names: Names) -> None:
    server, http = serve(always(OK)), client()
    replies = iter([[row("127.0.0.1", server.port)], [row("127.0.0.2", server.port)]])
    names.reply = lambda _port: next(replies)

    for _ in range(3):
        assert http.get(f"http://target.test:{server.port}/", headers={"Connection": "close"}).text == "OK"

    assert names.asked == ["target.test"]
    assert server.connections == 3


def test_an_unknown_name_is_trouble_of_dns_and_asked_for_again(client: Client, names: Names) -> None:
    def unknown(_port: int) -> list[Any]:
        raise socket.gaierror(socket.EAI_NONAME, "Name or service not known")

    names.reply = unknown
    http = client()
    for _ in range(2):
        with pytest.raises(TransportError, match=r"target\.test was not resolved: Name or service not known") as caught:
            http.get("http://target.test/")
        assert caught.value.kind is ErrorKind.DNS

    assert len(names.asked) == 2


def test_a_resolver_that_stalls_is_left_behind(client: Client, names: Names) -> None:
    over = threading.Event()

    def stall(_port: int) -> list[Any]:
        over.wait()
        return []

    names.reply = stall
    http = client(resolve=0.1)
    try:
        for _ in range(2):
            with pytest.raises(TransportError, match="not resolved within") as caught:
                http.get("http://target.test/")
            assert caught.value.kind is ErrorKind.DNS
    finally:
        over.set()

    assert len(names.asked) == 1


@pytest.fixture
def full() -> Iterator[tuple[str, int]]:
    """A port whose backlog is full: connecting to it neither succeeds nor fails."""
    clients: list[socket.socket] = []
    with socket.create_server(("127.0.0.1", 0), backlog=0) as listener:
        for _ in range(4):
            sock = socket.socket()
            clients.append(sock)
            sock.setblocking(False)
            sock.connect_ex(listener.getsockname())
        yield listener.getsockname()
        for sock in clients:
            sock.close()


def test_a_connect_that_gets_no_reply_ends_in_time(client: Client, full: tuple[str, int]) -> None:
    with pytest.raises(TransportError, match="no connection to") as caught:
        client(connect=0.2).get(f"http://{full[0]}:{full[1]}/")

    assert caught.value.kind is ErrorKind.CONNECT


def test_a_mute_address_does_not_keep_the_next_one_waiting_for_long(serve: Serve, full: tuple[str, int]) -> None:
    server = serve(always(OK))

    with dial([(socket.AF_INET, full), (socket.AF_INET, ("127.0.0.1", server.port))], 30) as sock:
        assert sock.getpeername() == ("127.0.0.1", server.port)


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
