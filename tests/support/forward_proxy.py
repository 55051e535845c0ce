"""An HTTP proxy on 127.0.0.1 over sockets: it forwards requests in absolute form, and opens tunnels (CONNECT)."""

from __future__ import annotations

import base64
import http.client
import re
import socket
import threading
from urllib.parse import urlsplit

from raw_server import Peer, RawServer, answer

REFUSAL = answer(b"<h1>no</h1>", "Proxy-Authenticate: Basic", "Connection: close", status="407 Who are you?")
NOWHERE = answer(b"", "Connection: close", status="502 Bad Gateway")


class ForwardProxy(RawServer):
    """Without the credentials `user:password` it answers 407."""

    def __init__(self, credentials: str) -> None:
        super().__init__(self._script_of)
        self._wanted = f"proxy-authorization: basic {base64.b64encode(credentials.encode()).decode()}".lower()

    @property
    def address(self) -> str:
        """The address without credentials."""
        return f"http://127.0.0.1:{self.port}"

    def _script_of(self, peer: Peer) -> None:
        request = peer.request()
        if request is None:
            return
        head, _, body = request.partition(b"\r\n\r\n")
        line, *fields = head.decode("latin-1").split("\r\n")
        method, target, _ = line.split(" ")
        if self._wanted not in (each.lower() for each in fields):
            peer.send(REFUSAL)
            return
        parts = urlsplit(f"//{target}" if method == "CONNECT" else target)
        try:
            upstream = socket.create_connection((parts.hostname or "", parts.port or 80))
        except OSError:
            peer.send(NOWHERE)
            return
        with upstream:
            self._socks.append(upstream)
            if method == "CONNECT":
                peer.send(b"HTTP/1.1 200 Connection established\r\n\r\n")
                back = threading.Thread(target=_pass_on, args=(upstream, peer.sock), daemon=True)
                back.start()
                _pass_on(peer.sock, upstream)
                back.join()
                return
            kept = [each for each in fields if not re.match("(?i)(proxy-|connection:)", each)]
            path = parts.path + (f"?{parts.query}" if parts.query else "")
            own = "\r\n".join([f"{method} {path} HTTP/1.1", *kept, "Connection: close"])
            upstream.sendall(own.encode("latin-1") + b"\r\n\r\n" + body)
            with http.client.HTTPResponse(upstream, method=method) as response:
                response.begin()
                content = response.read()
                dropped = ("connection", "content-length", "transfer-encoding")
                headers = [f"{name}: {value}" for name, value in response.getheaders() if name.lower() not in dropped]
                status = f"{response.status} {response.reason}"
            peer.send(answer(content, *headers, "Via: 1.1 proxy", "Connection: close", status=status))


def _pass_on(source: socket.socket, sink: socket.socket) -> None:
    """Pass on what one side sends until it ends."""
    try:
        while data := source.recv(65536):
            sink.sendall(data)
        sink.shutdown(socket.SHUT_WR)
    except OSError:
        return
