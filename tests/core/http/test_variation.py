"""The variations in which a call is written: what goes over the wire."""

from __future__ import annotations

from raw_server import Peer, Serve

from conformance.http.session import Session
from conformance.http.wire.exchange_limits import Limits
from conformance.http.wire.transport import BoundedTransport
from conformance.model.identity import (
    CHUNKED,
)
from conformance.model.target import Target

REFUSED = b"HTTP/1.1 411 Length Required\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"


def test_a_chunked_body_has_no_length_on_the_wire(serve: Serve) -> None:
    received: list[bytes] = []

    def script(peer: Peer) -> None:
        while not b"".join(received).endswith(b"0\r\n\r\n"):
            received.append(peer.sock.recv(65536))
        peer.send(REFUSED)

    url = serve(script).url.rstrip("/")
    session = Session(Target(base_url=url), transport=BoundedTransport(bounds=Limits()))
    labelled = {"Content-Type": "application/json"}
    exchange = session.send("POST", "/requests", content=b'["account"]', headers=labelled, variation=CHUNKED)
    session.close()

    head, _, body = b"".join(received).partition(b"\r\n\r\n")
    assert b"transfer-encoding: chunked" in head.lower()
    assert b"content-length" not in head.lower()
    assert body == b'6\r\n["acco\r\n5\r\nunt"]\r\n0\r\n\r\n'
    assert exchange.response is not None
    assert exchange.response.status == 411
