"""Exchanges that the run ends: because it was stopped, or because its time was over."""

from __future__ import annotations

import threading
from collections.abc import Callable

import pytest
from raw_server import Client, Peer, Serve, serving, trusting

from conformance.model.exchange import ErrorKind, TransportError

SLOW: dict[str, Callable[[Peer], object]] = {
    "nothing": Peer.hang,
    "status line": lambda peer: peer.drip(b"HTTP/1.1 200 " + b"O" * 10_000),
    "body": lambda peer: (peer.send(b"HTTP/1.1 200 OK\r\nContent-Length: 9999\r\n\r\n"), peer.drip(b"x" * 9999)),
}


@pytest.mark.parametrize("slow", SLOW.values(), ids=SLOW)
@pytest.mark.parametrize("secure", [False, True])
def test_an_answer_that_is_no_longer_wanted_is_not_waited_for(
    serve: Serve, client: Client, slow: Callable[[Peer], object], secure: bool
) -> None:
    asked = threading.Event()

    def script(peer: Peer) -> None:
        peer.request()
        asked.set()
        slow(peer)

    server = serve(script, serving("right-name") if secure else None)
    trusted = trusting("right-name")
    given_up = {"given_up": lambda: "it was stopped" if asked.is_set() else ""}

    with pytest.raises(TransportError) as caught:
        client(verify=trusted, deadline=600, first_byte=600).get(server.url, extensions=given_up)

    assert (caught.value.kind, caught.value.detail) == (ErrorKind.CLOSED, "it was stopped")


@pytest.mark.parametrize("slow", SLOW.values(), ids=SLOW)
def test_an_exchange_takes_at_most_the_time_that_is_left(
    serve: Serve, client: Client, slow: Callable[[Peer], object]
) -> None:
    def script(peer: Peer) -> None:
        peer.request()
        slow(peer)

    with pytest.raises(TransportError) as caught:
        client().get(serve(script).url, extensions={"at_most": (0.2, "the time is over")})

    assert (caught.value.kind, caught.value.detail) == (ErrorKind.DEADLINE, "the time is over")


def closing(peer: Peer) -> None:
    peer.request()
