"""A server that says exactly the bytes it is told to, on 127.0.0.1 and an ephemeral port."""

from __future__ import annotations

import re
import socket
import socketserver
import ssl
import struct
import threading
from collections.abc import Callable, Iterator
from contextlib import ExitStack, suppress
from pathlib import Path
from typing import Any

import httpx
import pytest

from conformance.http.wire.exchange_limits import Limits
from conformance.http.wire.transport import BoundedTransport
from conformance.model.exchange import TransportError

OK = b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nOK"
CERTIFICATES = Path(__file__).parents[1] / "core" / "http"


def serving(certificate: str) -> ssl.SSLContext:
    """Return the context of a server that shows a certificate of `CERTIFICATES`."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(CERTIFICATES / f"{certificate}.pem", CERTIFICATES / "key.pem")
    return context


def trusting(certificate: str) -> ssl.SSLContext:
    """Return the context of a client that trusts the certificate."""
    return ssl.create_default_context(cafile=CERTIFICATES / f"{certificate}.pem")


def answer(body: bytes, *fields: str, status: str = "200 OK") -> bytes:
    """Return a whole answer with the right Content-Length."""
    lines = [f"HTTP/1.1 {status}", f"Content-Length: {len(body)}", *fields]
    return "\r\n".join(lines).encode("latin-1") + b"\r\n\r\n" + body


def chunked(*chunks: bytes, end: bytes = b"0\r\n\r\n") -> bytes:
    """Return a whole answer in chunks."""
    sized = b"".join(b"%x\r\n%s\r\n" % (len(chunk), chunk) for chunk in chunks)
    return b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n" + sized + end


class Peer:
    """The server's side of one connection."""

    def __init__(self, sock: socket.socket, server: RawServer) -> None:
        self.sock = sock
        self._server = server
        self._buffer = b""

    def head(self) -> bytes | None:
        """Read the head of a request; None when the client has closed, or begins a TLS handshake."""
        while b"\r\n\r\n" not in self._buffer:
            if not self._more() or self._buffer.startswith(b"\x16\x03"):
                return None
        head, _, self._buffer = self._buffer.partition(b"\r\n\r\n")
        return head

    def body(self, head: bytes) -> bytes | None:
        """Read the body of the request with this head, of a known length or in chunks; None when the client closes."""
        length = re.search(rb"content-length: (\d+)", head, re.IGNORECASE)
        is_chunked = b"transfer-encoding: chunked" in head.lower()
        size = int(length.group(1)) if length else 0
        while len(self._buffer) < size or (is_chunked and not self._buffer.endswith(b"0\r\n\r\n")):
            if not self._more():
                return None
        size = len(self._buffer) if is_chunked else size
        body, self._buffer = self._buffer[:size], self._buffer[size:]
        return body

    def request(self) -> bytes | None:
        """Read one whole request and note it; None when the client has closed, or begins a TLS handshake."""
        head = self.head()
        body = None if head is None else self.body(head)
        if head is None or body is None:
            return None
        self._server.requests.append(head + b"\r\n\r\n" + body)
        return self._server.requests[-1]

    def send(self, data: bytes) -> None:
        self.sock.sendall(data)

    def drip(self, data: bytes) -> None:
        """Send one byte at a time until the test is over."""
        for byte in data:
            self.send(bytes([byte]))
            if self._server.over.wait(0.02):
                return

    def flood(self, data: bytes) -> None:
        """Send the same for ever, as fast as the client takes it."""
        while not self._server.over.is_set():
            self.send(data)

    def hang(self) -> None:
        """Say nothing until the test is over."""
        self._server.over.wait()

    def reset(self) -> None:
        """Close with RST instead of FIN."""
        self.sock.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        self.sock.close()

    def _more(self) -> bool:
        data = self.sock.recv(65536)
        self._buffer += data
        return bool(data)


Script = Callable[[Peer], None]


def always(data: bytes) -> Script:
    """Return a script that gives the same answer to each request of a connection."""

    def script(peer: Peer) -> None:
        while peer.request() is not None:
            peer.send(data)

    return script


def once(data: bytes) -> Script:
    """Return a script that reads one request, says `data` and closes."""

    def script(peer: Peer) -> None:
        peer.request()
        peer.send(data)

    return script


def endless(peer: Peer) -> None:
    """Begin an answer of 200 that never ends."""
    once(b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n\r\n")(peer)
    peer.flood(b" " * 65_536)


def silent(peer: Peer) -> None:
    """Read one request, and say nothing."""
    peer.request()
    peer.hang()


class RawServer(socketserver.ThreadingTCPServer):
    """Runs `script` on each connection, in a thread of its own."""

    request_queue_size = 128

    def __init__(self, script: Script, context: ssl.SSLContext | None = None) -> None:
        super().__init__(("127.0.0.1", 0), socketserver.BaseRequestHandler)
        self.requests: list[bytes] = []
        self.connections = 0
        self.over = threading.Event()
        self._script = script
        self._context = context
        self._socks: list[socket.socket] = []

    @property
    def port(self) -> int:
        return int(self.server_address[1])

    @property
    def url(self) -> str:
        return f"{'https' if self._context else 'http'}://127.0.0.1:{self.port}/"

    def __enter__(self) -> RawServer:
        threading.Thread(target=self.serve_forever, args=(0.01,), daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        self.over.set()
        self.shutdown()
        for sock in self._socks:
            with suppress(OSError):
                sock.shutdown(socket.SHUT_RDWR)
        self.server_close()

    def process_request(self, request: Any, client_address: Any) -> None:
        self.connections += 1
        self._socks.append(request)
        super().process_request(request, client_address)

    def finish_request(self, request: Any, client_address: Any) -> None:  # noqa: ARG002
        # The client may have gone: that is what many of the tests are about.
        with suppress(OSError):
            if self._context:
                request = self._context.wrap_socket(request, server_side=True)
                self._socks.append(request)
            with request:
                self._script(Peer(request, self))

    def handle_error(self, request: Any, client_address: Any) -> None:  # noqa: ARG002
        raise  # so that pytest sees it


Serve = Callable[..., RawServer]
"""Starts a server with a script, and a TLS context or none."""

Client = Callable[..., httpx.Client]
"""Makes an httpx client over a bounded transport."""


@pytest.fixture
def serve() -> Iterator[Serve]:
    """Start a server with a script; it stops with the test."""
    with ExitStack() as stack:
        yield lambda script, context=None: stack.enter_context(RawServer(script, context))


@pytest.fixture
def client() -> Iterator[Client]:
    """Make an httpx client over a bounded transport; `verify` is that of the transport, the rest are bounds."""
    with ExitStack() as stack:

        def make(verify: ssl.SSLContext | None = None, **bounds: Any) -> httpx.Client:
            transport = BoundedTransport(bounds=Limits(**bounds), verify=verify)
            return stack.enter_context(httpx.Client(transport=transport))

        yield make


@pytest.fixture
def trouble_of(serve: Serve, client: Client) -> Callable[..., TransportError]:
    """Ask a server with a script once and return the error that it comes to."""

    def ask(script: Script, method: str = "GET", content: bytes | None = None, **bounds: Any) -> TransportError:
        with pytest.raises(TransportError) as caught:
            client(**bounds).request(method, serve(script).url, content=content)
        return caught.value

    return ask
