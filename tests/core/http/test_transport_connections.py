from __future__ import annotations

import threading
from contextlib import closing

import httpx
import pytest
from raw_server import OK, Client, Peer, Serve, always, answer, chunked

from conformance.http.session import Session
from conformance.http.wire import transport
from conformance.http.wire.connections import IdleConnections
from conformance.http.wire.exchange_limits import Limits
from conformance.model.exchange import ErrorKind, TransportError
from conformance.model.target import Target


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


class _Stream:
    is_open, spent = True, False

    def close(self) -> None:
        self.is_open = False

    def get_extra_info(self, _: str) -> bool:
        return not self.is_open


@pytest.mark.parametrize(
    ("answers", "told"),
    [
        ([1.1, 2.1], True),  # as soon as the other one was closed, however long it waited before
        ([1.1, 1.1], False),  # it takes a second by itself
        ([1.4, 1.4], False),
        ([1.1, 2.9, 2.1], False),
        ([3.0, 3.0, 3.0], False),
        ([0.5, 1.1, 2.1], False),  # the first answer came while the other connection was idle
    ],
)
def test_a_target_that_takes_its_time_is_no_target_with_one_connection(answers: list[float], told: bool) -> None:
    """Each answer comes some seconds after its call, while another connection is idle."""
    idle, kept = IdleConnections(patience=1.0), []

    for since, seconds in zip(range(0, 100, 10), answers, strict=False):
        kept.append(_Stream())
        idle.leave(kept[-1])  # type: ignore[arg-type]
        for tenth in range(round(seconds * 10)):
            idle.waiting(since, since + (tenth - 1) / 10, since + tenth / 10)
        idle.answered(since, since + seconds)

    assert idle.one_at_a_time is told


@pytest.mark.parametrize("first", [OK, chunked(b"OK"), b"HTTP/1.1 204 No Content\r\n\r\n"])
def test_bytes_behind_an_answer_are_never_the_next_answer(serve: Serve, client: Client, first: bytes) -> None:
    def script(peer: Peer) -> None:
        while (request := peer.request()) is not None:
            peer.send(first + answer(b"smuggled") if b" /first " in request else OK)

    server, http = serve(script), client()

    assert http.get(f"{server.url}first").is_success
    assert http.get(server.url).text == "OK"
    assert server.connections == 2


@pytest.mark.parametrize(
    ("method", "status", "connections"),
    [
        ("GET", "404 Not Found", 1),
        ("POST", "200 OK", 1),
        ("POST", "400 Bad Request", 1),
        ("POST", "415 Unsupported Media Type", 2),
        ("GET", "500 Oops", 2),
    ],
)
def test_who_failed_or_refused_a_body_is_asked_on_another_connection(
    serve: Serve, client: Client, method: str, status: str, connections: int
) -> None:
    def script(peer: Peer) -> None:
        while (request := peer.request()) is not None:
            peer.send(answer(b"", status=status) if b" /first " in request else OK)

    server, http = serve(script), client()
    seen_to_keep_connections(http, server.url)

    assert http.request(method, f"{server.url}first").status_code == int(status[:3])
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
