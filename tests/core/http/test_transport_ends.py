"""Exchanges that the run ends: because it was stopped, or because its time was over; and which scheme a port speaks."""

from __future__ import annotations

import threading
from collections.abc import Callable

import httpx
import pytest
from raw_server import OK, Client, Peer, Serve, always, once, serving, trusting

from conformance.http.wire.exchange_limits import Limits
from conformance.http.wire.transport import BoundedTransport
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


BAD_REQUEST = b"HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"


@pytest.mark.parametrize(
    ("script", "secure", "http", "https"),
    [
        (always(OK), False, True, False),
        (once(BAD_REQUEST), False, True, False),
        (closing, False, False, False),
        (once(b"SSH-2.0-OpenSSH_9.6\r\n"), False, False, False),
        (always(OK), True, False, True),
        (closing, True, False, True),
    ],
)
def test_which_scheme_a_port_speaks(
    serve: Serve, script: Callable[[Peer], None], secure: bool, http: bool, https: bool
) -> None:
    server = serve(script, serving("right-name") if secure else None)
    transport = BoundedTransport(bounds=Limits())

    spoken = [transport.speaks(httpx.URL(server.url), scheme) for scheme in ("http", "https")]

    assert spoken == [http, https]
    assert not any(b"authorization" in request.lower() for request in server.requests)
