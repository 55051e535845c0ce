from __future__ import annotations

from contextlib import closing
from datetime import timedelta

import pytest
from raw_server import OK, Client, Peer, Serve, always, answer, chunked, once

from conformance.http.session import Session
from conformance.http.wire.exchange_limits import Limits
from conformance.http.wire.transport import BoundedTransport
from conformance.model.identity import CHUNKED
from conformance.model.target import Target


def test_an_answer_comes_with_its_headers_as_received(serve: Serve, client: Client) -> None:
    server = serve(
        always(answer(b"{}", "X-Odd: \xe9 ", "x-ODD:2", "Content-Type: application/json", status="404 Nope"))
    )

    response = client().get(server.url)

    assert (response.status_code, response.reason_phrase, response.content) == (404, "Nope", b"{}")
    assert response.extensions["raw_headers"] == (
        ("Content-Length", "2"),
        ("X-Odd", "\xe9"),
        ("x-ODD", "2"),
        ("Content-Type", "application/json"),
    )
    assert response.extensions["http_version"] == b"HTTP/1.1"
    assert response.elapsed > timedelta(0)


@pytest.mark.parametrize(
    ("data", "body"),
    [
        (chunked(b"one", b"two"), b"onetwo"),
        (chunked(b"one", end=b"0\r\nX-Trailer: 1\r\n\r\n"), b"one"),
        (b"HTTP/1.0 200 OK\r\n\r\nuntil the end", b"until the end"),
        (b"HTTP/1.1 204 No Content\r\n\r\n", b""),
        (b"HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\nHTTP/1.1 102 Processing\r\n\r\n" + OK, b"OK"),
        (b"HTTP/1.1 200 OK\nContent-Length: 2\n\nOK", b"OK"),
        (b"HTTP/1.1 200 OK\r\nA: b\r\n c\r\nContent-Length: 2\r\n\r\nOK", b"OK"),
    ],
    ids=["chunked", "trailer", "1.0", "204", "103", "bare line feeds", "folded"],
)
def test_every_legal_framing_is_read(serve: Serve, client: Client, data: bytes, body: bytes) -> None:
    assert client().get(serve(once(data)).url).content == body


def test_an_early_answer_to_a_request_that_is_not_read_counts(serve: Serve, client: Client) -> None:
    def script(peer: Peer) -> None:
        peer.sock.recv(1)
        peer.send(answer(b"no", status="413 Too Large"))
        peer.hang()

    assert client(first_byte=0.2).get(serve(script).url).status_code == 413


def test_a_chunked_body_has_no_length_on_the_wire(serve: Serve) -> None:
    server = serve(once(answer(b"", "Connection: close", status="411 Length Required")))
    target, labelled = Target(base_url=server.url.rstrip("/")), {"Content-Type": "application/json"}
    with closing(Session(target, transport=BoundedTransport(bounds=Limits()))) as session:
        exchange = session.send("POST", "/requests", content=b'["account"]', headers=labelled, variation=CHUNKED)

    head, _, body = server.requests[0].partition(b"\r\n\r\n")
    assert b"transfer-encoding: chunked" in head.lower()
    assert b"content-length" not in head.lower()
    assert body == b'6\r\n["acco\r\n5\r\nunt"]\r\n0\r\n\r\n'
    assert exchange.status == 411
