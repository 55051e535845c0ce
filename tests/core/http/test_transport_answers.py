"""Answers as servers frame and code them, and which connections are used again after them."""

from __future__ import annotations

import gzip
import threading
import time
import tracemalloc
import zlib
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from datetime import timedelta
from functools import cache

import httpx
import pytest
from raw_server import OK, Client, Peer, Serve, always, answer, chunked, once

from conformance.http.session import Session
from conformance.http.wire import transport
from conformance.http.wire.decoding import Decoder, coding_of
from conformance.http.wire.exchange_limits import Limits
from conformance.http.wire.transport import BoundedTransport
from conformance.model.exchange import ErrorKind, TransportError
from conformance.model.identity import CHUNKED
from conformance.model.target import Target

TEXT = bytes(range(256)) * 50


def bare(data: bytes) -> bytes:
    compress = zlib.compressobj(9, wbits=-zlib.MAX_WBITS)
    return compress.compress(data) + compress.flush()


STREAMS = {
    "gzip": ("gzip", gzip.compress(TEXT)),
    "two members": ("gzip", gzip.compress(TEXT[:100]) + gzip.compress(TEXT[100:])),
    "padded": ("gzip", gzip.compress(TEXT) + b"\0\0"),
    "zlib": ("deflate", zlib.compress(TEXT)),
    "raw": ("deflate", bare(TEXT)),
    "identity": ("identity", TEXT),
}


@cache
def bomb() -> bytes:
    return gzip.compress(bytes(64 * 1024 * 1024))


def decode(coding: str, data: bytes, step: int) -> bytes:
    decoder = Decoder(coding_of([("Content-Encoding", coding)]), 1_000_000)
    for start in range(0, len(data), step):
        decoder.feed(data[start : start + step])
    with decoder.finish() as body:
        return body.read()


@pytest.mark.parametrize(("coding", "data"), STREAMS.values(), ids=STREAMS)
def test_a_body_is_decoded_however_it_is_cut(coding: str, data: bytes) -> None:
    for step in (1, 7, 100_000):
        assert decode(coding, data, step) == TEXT


def test_coded_answers_reach_httpx_decoded(serve: Serve, client: Client) -> None:
    response = client().get(serve(once(answer(gzip.compress(b"{}"), "Content-Encoding: gzip"))).url)

    assert response.content == b"{}"
    assert "content-encoding" not in response.headers
    assert "content-length" not in response.headers
    assert ("Content-Encoding", "gzip") in response.extensions["raw_headers"]


@pytest.mark.parametrize(
    ("coding", "data", "trouble"),
    [
        ("br", b"x", ErrorKind.CODING),
        ("gzip, gzip", gzip.compress(gzip.compress(TEXT)), ErrorKind.CODING),
        ("gzip", b"not gzip", ErrorKind.CODING),
        ("deflate", b"\xff\xff\xff", ErrorKind.CODING),
        ("gzip", gzip.compress(TEXT)[:-9], ErrorKind.TRUNCATED),
        ("gzip", gzip.compress(TEXT)[:-1] + b"\1", ErrorKind.CODING),
        ("gzip", gzip.compress(b"") * 2000, ErrorKind.CODING),
        ("gzip", gzip.compress(bytes(1_000_001)), ErrorKind.TOO_LARGE),
        ("", bytes(1_000_001), ErrorKind.TOO_LARGE),
    ],
)
def test_a_coding_that_cannot_be_undone_is_no_answer(coding: str, data: bytes, trouble: ErrorKind) -> None:
    for step in (1000, 100_000):
        with pytest.raises(TransportError) as caught:
            decode(coding, data, step)

        assert caught.value.kind is trouble


@pytest.mark.parametrize("status", ["200 OK", "401 Unauthorized"])
def test_a_bomb_costs_no_more_than_the_cap(serve: Serve, client: Client, status: str) -> None:
    server = serve(once(answer(bomb(), "Content-Encoding: gzip", status=status)))
    http = client(decoded=1024 * 1024)

    tracemalloc.start()
    try:
        with pytest.raises(TransportError) as caught:
            http.get(server.url)
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()

    assert caught.value.kind is ErrorKind.TOO_LARGE
    assert caught.value.detail == "the body is more than 1 MiB decoded"
    assert peak < 8 * 1024 * 1024


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


def seen_to_keep_connections(http: httpx.Client, url: str) -> None:
    """Let the target answer twice on a connection: before, other calls than GET have connections of their own."""
    for _ in range(2):
        assert http.get(url).text == "OK"


def test_an_idle_connection_keeps_no_other_waiting(serve: Serve) -> None:
    turn = threading.Lock()

    def alone(peer: Peer) -> None:
        """Leave each connection unread until the one before it is closed, as servers with one thread do."""
        with turn:
            always(OK)(peer)

    server = serve(alone)
    bounded = transport.BoundedTransport(bounds=Limits(), patience=0.1)
    with httpx.Client(transport=bounded) as http:
        calls = 0
        while not bounded.one_at_a_time and calls < 40:  # on a busy machine an answer may come late
            connection = ("keep-alive", "close")[calls % 2]
            assert http.get(server.url, headers={"Connection": connection}).text == "OK"
            calls += 1
        assert http.get(server.url).text == "OK"

    assert bounded.one_at_a_time
    assert b"connection: close" in server.requests[-1].lower()
    assert len(server.requests) == calls + 1


def test_a_connection_in_use_is_not_closed_for_another_exchange(serve: Serve) -> None:
    def slow(peer: Peer) -> None:
        while peer.request() is not None:
            time.sleep(0.15)
            peer.send(OK)

    bounded = BoundedTransport(bounds=Limits(), patience=0.1)
    with httpx.Client(transport=bounded) as http, ThreadPoolExecutor(4) as pool:
        url = serve(slow).url
        headers = [{"Connection": ("close", "keep-alive", "keep-alive")[number % 3]} for number in range(24)]
        answers = [*pool.map(lambda each: http.get(url, headers=each).text, headers)]

    assert (answers, bounded.one_at_a_time) == (["OK"] * 24, False)


SMUGGLED = answer(b"smuggled")


@pytest.mark.parametrize(
    ("method", "first", "connections"),
    [
        ("GET", answer(b"", status="404 Not Found"), 1),
        ("POST", OK, 1),
        ("POST", answer(b"", status="400 Bad Request"), 1),
        ("POST", answer(b"", status="415 Unsupported Media Type"), 2),
        ("GET", answer(b"", status="500 Oops"), 2),
        ("GET", OK + SMUGGLED, 2),
        ("GET", chunked(b"OK") + SMUGGLED, 2),
        ("GET", b"HTTP/1.1 204 No Content\r\n\r\n" + SMUGGLED, 2),
    ],
)
def test_who_failed_or_refused_a_body_or_said_too_much_is_asked_on_another_connection(
    serve: Serve, client: Client, method: str, first: bytes, connections: int
) -> None:
    def script(peer: Peer) -> None:
        while (request := peer.request()) is not None:
            peer.send(first if b" /first " in request else OK)

    server, http = serve(script), client()
    seen_to_keep_connections(http, server.url)

    assert http.request(method, f"{server.url}first").status_code == int(first[9:12])
    assert http.get(server.url).text == "OK"
    assert server.connections == connections


@pytest.mark.parametrize("how", ["close", "reset"])
@pytest.mark.parametrize("method", ["POST", "GET"])
def test_a_request_is_never_sent_twice(serve: Serve, client: Client, method: str, how: str) -> None:
    def script(peer: Peer) -> None:
        for _ in range(2):
            peer.request()
            peer.send(OK)
        if peer.request() is not None and how == "reset":
            peer.reset()

    server, http = serve(script), client()
    seen_to_keep_connections(http, server.url)

    with pytest.raises(TransportError) as caught:
        http.request(method, f"{server.url}effect", content=b"[]")

    assert caught.value.kind is ErrorKind.CLOSED
    assert caught.value.reused
    assert "earlier exchange" in caught.value.detail
    assert sum(b" /effect " in request for request in server.requests) == 1
    assert server.connections == 1


CLOSING = {
    "of HTTP/1.0": (b"HTTP/1.0 200 OK\r\n\r\nOK", True),
    "with an announcement": (answer(b"OK", "Connection: close"), True),
    "without one": (OK, True),
    "when it is used again": (OK, False),
}


@pytest.mark.parametrize(("data", "at_once"), CLOSING.values(), ids=CLOSING)
def test_a_server_that_closes_each_connection_answers_every_call_once(serve: Serve, data: bytes, at_once: bool) -> None:
    """It answers one request on each connection, and closes it then or at the next request."""

    def script(peer: Peer) -> None:
        if peer.request() is not None:
            peer.send(data)
            if not at_once:
                peer.head()

    server = serve(script)
    bounded = transport.BoundedTransport(bounds=Limits())
    with closing(Session(Target(base_url=server.url.rstrip("/")), transport=bounded)) as session:
        exchanges = [session.send(method, "/requests") for method in ("GET", "GET", "POST", "POST", "DELETE", "GET")]

    assert [each.status for each in exchanges] == [200] * 6
    assert sum(request.startswith(b"POST") for request in server.requests) == 2
