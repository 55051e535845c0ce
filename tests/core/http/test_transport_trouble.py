from __future__ import annotations

import gzip
import threading
from collections.abc import Callable
from typing import Any

import pytest
from raw_server import OK, Client, Peer, Script, Serve, answer, once, serving, trusting

from conformance.http.secrets.redaction import Redactor
from conformance.model.exchange import ErrorKind, TransportError
from conformance.model.text import hide

TroubleOf = Callable[..., TransportError]
LONG = b"HTTP/1.1 200 OK\r\nContent-Length: 100000\r\n\r\n"
CHUNKED = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"


def after_request(do: Callable[[Peer], Any]) -> Script:
    def script(peer: Peer) -> None:
        peer.request()
        do(peer)

    return script


SLOW = {
    "status line": lambda peer: peer.drip(b"HTTP/1.1 200 " + b"O" * 10_000),
    "header": lambda peer: peer.drip(b"HTTP/1.1 200 OK\r\n" + b"X: y\r\n" * 1000),
    "body": lambda peer: (peer.send(LONG), peer.drip(b"x" * 1000)),
    "chunks": lambda peer: (peer.send(CHUNKED), peer.drip(b"1\r\nx\r\n" * 1000)),
    "until close": lambda peer: (peer.send(b"HTTP/1.0 200 OK\r\n\r\n"), peer.drip(b"x" * 1000)),
    "1xx": lambda peer: peer.drip(b"HTTP/1.1 102 Processing\r\n\r\n" * 7 + b"HTTP/1.1 "),
    "nothing": lambda peer: peer.hang(),
}


@pytest.mark.parametrize("slow", SLOW.values(), ids=SLOW)
def test_however_slow_the_answer_the_deadline_holds(trouble_of: TroubleOf, slow: Callable[[Peer], Any]) -> None:
    error = trouble_of(after_request(slow), deadline=0.3)

    assert error.kind is ErrorKind.DEADLINE


@pytest.mark.parametrize("slow", [SLOW["nothing"], SLOW["body"]])
def test_an_exchange_takes_at_most_the_time_that_is_left(
    serve: Serve, client: Client, slow: Callable[[Peer], Any]
) -> None:
    with pytest.raises(TransportError) as caught:
        client().get(serve(after_request(slow)).url, extensions={"at_most": (0.2, "the time is over")})

    assert (caught.value.kind, caught.value.detail) == (ErrorKind.DEADLINE, "the time is over")


@pytest.mark.parametrize("slow", [SLOW["nothing"], SLOW["body"]])
@pytest.mark.parametrize("secure", [False, True])
def test_an_answer_that_is_no_longer_wanted_is_not_waited_for(
    serve: Serve, client: Client, slow: Callable[[Peer], Any], secure: bool
) -> None:
    asked = threading.Event()
    script = after_request(lambda peer: (asked.set(), slow(peer)))
    server = serve(script, serving("right-name") if secure else None)
    given_up = {"given_up": lambda: "it was stopped" if asked.is_set() else ""}

    with pytest.raises(TransportError) as caught:
        client(verify=trusting("right-name"), deadline=600, first_byte=600).get(server.url, extensions=given_up)

    assert (caught.value.kind, caught.value.detail) == (ErrorKind.CLOSED, "it was stopped")


def test_a_target_that_does_not_read_the_request_is_left(trouble_of: TroubleOf) -> None:
    error = trouble_of(Peer.hang, "POST", b"x" * 20_000_000, first_byte=0.2, deadline=600)

    assert error.kind is ErrorKind.DEADLINE
    assert "read the request" in error.detail


FLOODS = {
    "chunks": (CHUNKED, b"1000\r\n" + b"x" * 4096 + b"\r\n"),
    "tiny chunks": (CHUNKED, b"1\r\nx\r\n" * 1000),
    "body": (b"HTTP/1.1 200 OK\r\nContent-Length: 99999999999\r\n\r\n", b"x" * 4096),
    "100": (b"", b"HTTP/1.1 100 Continue\r\n\r\n"),
    "header line": (b"HTTP/1.1 200 OK\r\nX: ", b"x" * 4096),
    "status line": (b"HTTP/1.1 200 ", b"x" * 4096),
    "trailer": (CHUNKED + b"0\r\n", b"X: " + b"x" * 4096 + b"\r\n"),
}


@pytest.mark.parametrize(("start", "flood"), FLOODS.values(), ids=FLOODS)
def test_however_much_comes_a_cap_holds(trouble_of: TroubleOf, start: bytes, flood: bytes) -> None:
    error = trouble_of(after_request(lambda peer: (peer.send(start), peer.flood(flood))), wire=100_000, decoded=90_000)

    assert error.kind is ErrorKind.TOO_LARGE


ENDINGS = {
    "closes at once": (lambda _peer: None, ErrorKind.CLOSED),
    "resets": (Peer.reset, ErrorKind.CLOSED),
    "cuts the status line": (lambda peer: peer.send(b"HTT"), ErrorKind.TRUNCATED),
    "cuts the header block": (lambda peer: peer.send(LONG[:-2]), ErrorKind.TRUNCATED),
    "closes after a 1xx": (lambda peer: peer.send(b"HTTP/1.1 100 Continue\r\n\r\n"), ErrorKind.TRUNCATED),
    "cuts the body": (lambda peer: peer.send(LONG + b"x"), ErrorKind.TRUNCATED),
    "cuts a chunk": (lambda peer: peer.send(CHUNKED + b"5\r\nx"), ErrorKind.TRUNCATED),
    "leaves out the last chunk": (lambda peer: peer.send(CHUNKED + b"1\r\nx\r\n"), ErrorKind.TRUNCATED),
}


@pytest.mark.parametrize(("do", "trouble"), ENDINGS.values(), ids=ENDINGS)
def test_an_answer_that_is_cut_off_is_no_answer(trouble_of: TroubleOf, do: Script, trouble: ErrorKind) -> None:
    error = trouble_of(after_request(do))

    assert error.kind is trouble
    assert not error.reused


GARBAGE = {
    "banner": b"SSH-2.0-OpenSSH_9.6\r\n",
    "TLS alert": b"\x15\x03\x01\x00\x02\x02\x28",
    "blank line": b"\r\n" + OK,
    "HTTP/2": b"HTTP/2 200\r\n\r\n",
    "101": b"HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\n\r\n",
    "negative length": b"HTTP/1.1 200 OK\r\nContent-Length: -2\r\n\r\nOK",
    "two lengths": b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\nContent-Length: 3\r\n\r\nOK!",
    "length and chunks": b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
    "unknown transfer coding": b"HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip\r\n\r\n",
    "chunk size": CHUNKED + b"xyz\r\n",
    "chunk end": CHUNKED + b"1\r\nxxx\r\n0\r\n\r\n",
    "header name": b"HTTP/1.1 200 OK\r\nBad Name: 1\r\n\r\n",
    "no colon": b"HTTP/1.1 200 OK\r\nnonsense\r\n\r\n",
    "NUL in a header": b"HTTP/1.1 200 OK\r\nX: a\0b\r\n\r\n",
}


@pytest.mark.parametrize("data", GARBAGE.values(), ids=GARBAGE)
def test_what_is_not_http_is_recognised_without_waiting(trouble_of: TroubleOf, data: bytes) -> None:
    error = trouble_of(after_request(lambda peer: (peer.send(data), peer.hang())))

    assert error.kind is ErrorKind.NOT_HTTP
    assert len(error.detail) < 400


@pytest.mark.parametrize(
    ("before", "said"),
    [
        (CHUNKED, "illegal chunk header: bytearray(b'[DRSI_TOKEN]\\r\\n')"),
        (b"", "its answer starts with b'eyJhbGc'"),
        (
            b"HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Encoding: ",
            "a content coding that was not asked for: [DRSI_TOKEN]",
        ),
    ],
)
def test_a_token_in_what_is_not_http_does_not_show(trouble_of: TroubleOf, before: bytes, said: str) -> None:
    token = "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0NTY3ODkwIn0.dozjgNryP4J3jVmNHl0w5N_XgL0n3I9PlFUP0THsR8U" * 3
    hide(Redactor([("DRSI_TOKEN", token)]).text)

    error = trouble_of(after_request(lambda peer: (peer.send(before + token.encode() + b"\r\n\r\nx"), peer.hang())))

    assert error.detail.endswith(said)


@pytest.mark.parametrize(
    "fields",
    [
        [f"X-{number}: y" for number in range(5000)],
        [f"X-{number}: y" for number in range(100)],
        ["X: " + "y" * 300_000],
        ["X: " + "y" * 70_000],
    ],
    ids=["5000 fields", "101 fields", "300 KB", "70 KB"],
)
def test_a_header_block_has_bounds(trouble_of: TroubleOf, fields: list[str]) -> None:
    assert trouble_of(once(answer(b"", *fields))).kind is ErrorKind.TOO_LARGE


@pytest.mark.parametrize(
    "bad",
    [
        answer(b"x", "Content-Encoding: br"),
        answer(gzip.compress(b"cut")[:-1], "Content-Encoding: gzip"),
        answer(b"x" * 1001),
        answer(b"", "Bad Name: 1"),
    ],
    ids=["unknown coding", "cut coding", "too large", "illegal header"],
)
def test_after_trouble_the_connection_is_not_used_again(serve: Serve, client: Client, bad: bytes) -> None:
    def script(peer: Peer) -> None:
        while (request := peer.request()) is not None:
            peer.send(bad if b" /bad " in request else OK)

    server, http = serve(script), client(decoded=1000)
    with pytest.raises(TransportError):
        http.get(f"{server.url}bad")

    assert http.get(server.url).text == "OK"
    assert server.connections == 2
