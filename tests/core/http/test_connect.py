"""The way to a server: its name, its address, its certificate, and a proxy on the way."""

from __future__ import annotations

import hashlib
import socket
import ssl
import threading
from collections.abc import Callable, Iterator
from contextlib import closing
from typing import Any

import httpx
import pytest
from forward_proxy import ForwardProxy
from raw_server import CERTIFICATES, OK, Client, Peer, RawServer, Script, Serve, always, answer, serving, trusting

from conformance.http.wire.connect import dial
from conformance.http.wire.exchange_limits import Limits
from conformance.http.wire.proxies import Proxies
from conformance.http.wire.transport import BoundedTransport
from conformance.model.errors import ConfigurationFault
from conformance.model.exchange import ErrorKind, TransportError
from conformance.model.option_values import checked_proxy

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


def test_a_certificate_that_expired_is_named(serve: Serve, client: Client) -> None:
    server = serve(always(OK), serving("expired"))

    with pytest.raises(TransportError, match="expired") as caught:
        client(verify=trusting("expired")).get(server.url)

    assert caught.value.kind is ErrorKind.TLS
    assert server.requests == []


def reset_after_hello(peer: Peer) -> None:
    peer.sock.recv(1)
    peer.reset()


@pytest.mark.parametrize("script", [Peer.hang, reset_after_hello], ids=["stalls", "resets"])
def test_what_is_no_end_of_a_handshake_is_named(serve: Serve, client: Client, script: Script) -> None:
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


@pytest.fixture(autouse=True)
def no_variables(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("http", "https", "all", "no"):
        monkeypatch.delenv(f"{name}_proxy", raising=False)
        monkeypatch.delenv(f"{name.upper()}_PROXY", raising=False)


@pytest.fixture
def proxy() -> Iterator[ForwardProxy]:
    with ForwardProxy("bob:pass:word@1") as server:
        yield server


def through(url: str, named: str | None = None, verify: ssl.SSLContext | None = None, calls: int = 1) -> str:
    """Ask an address; return the last body."""
    proxies = Proxies(checked_proxy(named) if named else None)
    with closing(BoundedTransport(bounds=Limits(), verify=verify, proxies=proxies)) as transport:
        for _ in range(calls):
            text = transport.handle_request(httpx.Request("GET", url, headers={"Host": "x"})).read().decode()
        assert not transport.peers.addresses or named is None  # an address of the proxy says nothing about the target
        return text


def test_plain_http_is_forwarded_with_the_credentials_for_the_proxy_alone(serve: Serve, proxy: ForwardProxy) -> None:
    server = serve(always(OK))

    assert through(f"{server.url}a?b=c", f"http://bob:pass%3Aword%401@127.0.0.1:{proxy.port}") == "OK"

    assert proxy.requests[0].startswith(f"GET {server.url}a?b=c HTTP/1.1".encode())
    assert server.requests[0].startswith(b"GET /a?b=c HTTP/1.1")
    assert b"roxy" not in server.requests[0]


def test_https_is_tunnelled_and_the_connection_used_again(serve: Serve, proxy: ForwardProxy) -> None:
    server = serve(always(OK), serving("right-name"))

    named = f"http://bob:pass%3Aword%401@127.0.0.1:{proxy.port}"
    assert through(server.url, named, trusting("right-name"), calls=3) == "OK"

    (connect,) = proxy.requests
    assert connect.startswith(f"CONNECT 127.0.0.1:{server.port} HTTP/1.1".encode())
    assert server.connections == 1
    assert all(b"roxy" not in each for each in server.requests)


@pytest.mark.parametrize(
    ("said", "words"),
    [
        (answer(b"", status="403 Access violation"), "403 Access violation"),
        (b"SSH-2.0-x\r\n", "the proxy does not speak HTTP"),
        (b"HTTP/1.1 200", "cut off"),
        (b"", "closed before any byte"),
    ],
    ids=["403", "SSH", "half", "nothing"],
)
def test_what_a_proxy_says_to_connect_is_that_of_the_proxy(serve: Serve, said: bytes, words: str) -> None:
    server = serve(lambda peer: (peer.request(), peer.send(said)))

    with pytest.raises(TransportError, match=words) as caught:
        through("https://service.example/", f"127.0.0.1:{server.port}", trusting("right-name"))

    assert caught.value.kind is ErrorKind.PROXY


@pytest.mark.parametrize(
    ("said", "kind"),
    [
        (answer(b"", "Server: tinyproxy/1.11.1", status="500 Unable to connect"), ErrorKind.PROXY),
        (answer(b"", "X-Squid-Error: ERR_ACCESS_DENIED 0", status="403 Forbidden"), ErrorKind.PROXY),
        (answer(b"", "Proxy-Status: edge; error=destination_not_found", status="500 x"), ErrorKind.PROXY),
        (answer(b"", "Proxy-Authenticate: Basic", status="407 Who are you?"), ErrorKind.PROXY),
        (answer(b"OK", "Via: 1.1 tinyproxy", "Server: nginx", status="500 x"), None),
    ],
    ids=["tinyproxy", "squid", "RFC 9209", "no password", "the target's own"],
)
def test_an_answer_of_the_proxy_itself_over_plain_http(serve: Serve, said: bytes, kind: ErrorKind | None) -> None:
    server = serve(always(said))
    if kind is None:
        assert through("http://service.example/", server.url) == "OK"
        return
    with pytest.raises(TransportError, match=r"it answered \d+ itself") as caught:
        through("http://service.example/", server.url)
    assert caught.value.kind is kind


@pytest.mark.parametrize("scheme", ["http", "https"])
def test_an_unreachable_proxy(scheme: str) -> None:
    with RawServer(always(OK)) as server:
        port = server.port
    with pytest.raises(TransportError, match=r"no way through the proxy .*the proxy refused the connection") as caught:
        through(f"{scheme}://service.example/", f"http://127.0.0.1:{port}", trusting("right-name"))
    assert caught.value.kind is ErrorKind.PROXY


HTTP, HTTPS = "http://a.example/", "https://a.example:8443/"


@pytest.mark.parametrize(
    ("variables", "url", "expected"),
    [
        ({"HTTP_PROXY": "http://p:1"}, HTTPS, None),
        ({"https_proxy": "p:2", "HTTPS_PROXY": "p:3"}, HTTPS, "http://p:2"),
        ({"all_proxy": "http://p:4", "HTTP_PROXY": "http://p"}, HTTP, "http://p:80"),
        ({"HTTP_PROXY": "http://p:1"}, "http://localhost/", "http://p:1"),
    ],
)
def test_the_variables_of_the_environment(
    monkeypatch: pytest.MonkeyPatch, variables: dict[str, str], url: str, expected: str | None
) -> None:
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    found = Proxies().of(httpx.URL(url))
    assert (found.address if found else None) == expected


@pytest.mark.parametrize(
    ("entry", "exempt", "not_exempt"),
    [
        ("a.example", ["http://a.example/", "http://b.A.example./"], ["http://ba.example/", "http://example/"]),
        (" x , .a.example", ["http://b.a.example/", "http://a.example/"], ["http://y/"]),
        ("a.example:8443", ["https://a.example:8443/"], ["https://a.example/"]),
        ("a.example:443", ["https://a.example/"], ["http://a.example/"]),
        ("10.0.0.0/8, ::1", ["http://10.1.2.3/", "http://[::1]:5/"], ["http://11.0.0.1/", "http://ten.example/"]),
        ("fd00::/8, a.example.", ["http://[fd00::1]/", "http://a.example/"], ["http://[fe00::1]/"]),
        ("x, *", ["http://a.example/"], []),
        ("*.a.example, [::1]:80", ["http://b.a.example/", "http://[::1]/"], ["http://[::1]:5/", "http://ba.example/"]),
    ],
)
def test_hosts_without_a_proxy(
    monkeypatch: pytest.MonkeyPatch, entry: str, exempt: list[str], not_exempt: list[str]
) -> None:
    monkeypatch.setenv("ALL_PROXY", "http://p:1")
    monkeypatch.setenv("NO_PROXY", entry)
    assert [each for each in exempt if Proxies().of(httpx.URL(each))] == []
    assert [each for each in not_exempt if not Proxies().of(httpx.URL(each))] == []
    assert Proxies(checked_proxy("http://named:1")).of(httpx.URL("http://a.example/"))


@pytest.mark.parametrize(
    "text",
    [
        "socks5://p:1",
        "",
        "http://",
        "http://\u2603:1",
        "http://p:1\udc80",
    ],
)
def test_what_is_no_http_proxy_is_refused_without_its_password(monkeypatch: pytest.MonkeyPatch, text: str) -> None:
    monkeypatch.setenv("HTTPS_PROXY", text.replace("://", "://bob:topsecret@") or "http://bob:topsecret@")
    with pytest.raises(ConfigurationFault, match=r"HTTPS_PROXY: .*such as http://proxy.example:3128") as caught:
        Proxies().of(httpx.URL(HTTPS))
    assert "topsecret" not in f"{caught.value} {caught.value.remedy}"
    Proxies().of(httpx.URL(HTTP))  # that variable is none of this address
