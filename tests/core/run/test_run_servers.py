"""Servers that treat connections in their own ways. The service behind them conforms: no requirement is violated."""

from __future__ import annotations

import json
from collections.abc import Callable

import httpx
import pytest
from behind_sockets import parsed, request_of, run_behind, whole
from raw_server import Peer, Script, one_connection_at_a_time
from whole_runs import by_verdict, notes_of, only, verified

from conformance.model.exchange import Superseded
from conformance.model.verdict import Blame, Verdict
from conformance.reference.call import PROBLEMS, ErrorCondition
from conformance.run.conclusion import Run

ScriptOf = Callable[[httpx.BaseTransport, tuple[str, ...]], Script]
UNAUTHORIZED = PROBLEMS[ErrorCondition.UNAUTHORIZED]
REFUSAL = json.dumps({"error": UNAUTHORIZED.error, "message": UNAUTHORIZED.message}).encode()
NO_METHOD = b"HTTP/1.1 501 Unsupported method\r\nContent-Type: text/html\r\nContent-Length: 12\r\n\r\n<p>What?</p>"


def of_http_1_0(answer: httpx.Response) -> bytes:
    """Return an answer as servers of HTTP/1.0 write it: the end of the connection is the end of the body."""
    fields = [(name, value) for name, value in answer.headers.items() if name != "content-length"]
    lines = [f"HTTP/1.0 {answer.status_code} -", *(f"{name}: {value}" for name, value in fields), "Connection: close"]
    return "\r\n".join(lines).encode("latin-1") + b"\r\n\r\n" + answer.read()


def with_an_announcement(answer: httpx.Response) -> bytes:
    return whole(answer.status_code, {**answer.headers, "connection": "close"}, answer.read())


def plain(answer: httpx.Response) -> bytes:
    return whole(answer.status_code, dict(answer.headers), answer.read())


def closing(framed: Callable[[httpx.Response], bytes], *, at_once: bool = True) -> ScriptOf:
    """Return the script of a server that answers one request on each connection, and closes it then or at the next."""

    def script_of(inner: httpx.BaseTransport, _tokens: tuple[str, ...]) -> Script:
        def script(peer: Peer) -> None:
            if (head := peer.head()) is not None:
                peer.send(framed(inner.handle_request(request_of(peer, head))))
                if not at_once:
                    peer.head()

        return script

    return script_of


def alone(inner: httpx.BaseTransport, _tokens: tuple[str, ...]) -> Script:
    """Return the script of a server with one thread, which keeps a connection until the client closes it."""

    def script(peer: Peer) -> None:
        while (head := peer.head()) is not None:
            fields = parsed(head)[2]
            peer.send(plain(inner.handle_request(request_of(peer, head))))
            if fields.get("connection", "").lower() == "close":
                return

    return one_connection_at_a_time(script)


def leaving_bodies_unread(inner: httpx.BaseTransport, tokens: tuple[str, ...]) -> Script:
    """Return the script of a server that checks the token of a creation before it reads the body."""

    def script(peer: Peer) -> None:
        while (head := peer.head()) is not None:
            method, _, fields = parsed(head)
            if method not in ("GET", "POST", "DELETE", "HEAD", "OPTIONS", "PUT", "PATCH"):
                peer.send(NO_METHOD)
            elif method == "POST" and fields.get("authorization") not in {f"Bearer {each}" for each in tokens}:
                peer.send(whole(401, {"content-type": "application/json"}, REFUSAL))
            else:
                peer.send(plain(inner.handle_request(request_of(peer, head))))

    return script


def assert_accuses_nothing(run: Run) -> None:
    found = verified(run)
    assert by_verdict(run.report, Verdict.FAIL, Verdict.WARN) == {}
    assert run.report.summary.left_behind == 0
    assert (found.damage, found.differences) == ((), ())


@pytest.mark.parametrize(
    "script_of",
    [closing(of_http_1_0), closing(with_an_announcement), closing(plain), closing(plain, at_once=False)],
    ids=["of HTTP/1.0", "with an announcement", "without one", "when it is used again"],
)
def test_a_service_that_closes_each_connection_conforms(script_of: ScriptOf) -> None:
    run = run_behind(script_of, only("4.2-object", "4.3-media-type", "4.4", "4.5-array", "5.3", "8-limit-enforced"))

    assert_accuses_nothing(run)
    assert by_verdict(run.report, Verdict.INCONCLUSIVE) == {}


@pytest.mark.parametrize("concurrency", [1, 4])
def test_one_connection_is_enough_for_every_requirement(concurrency: int) -> None:
    run = run_behind(alone, only("3", "4", "5.3", "7", "8"), patience=0.1, concurrency=concurrency)

    assert_accuses_nothing(run)
    undecided = by_verdict(run.report, Verdict.INCONCLUSIVE)
    assert [row.id for row in undecided.values() if "empty-account" not in str(row.findings)] == []
    assert [each for each in run.exchanges if each.error is not None] == []
    assert "seems to answer one connection at a time" in " ".join(note.message for note in notes_of(run))


def test_an_unread_body_is_named_once_and_no_requirement_is_blamed() -> None:
    run = run_behind(leaving_bodies_unread)

    assert_accuses_nothing(run)
    assert [each for each in run.exchanges if each.superseded is Superseded.MISPLACED]
    assert [each.blame for each in notes_of(run) if "leaves the body" in each.message] == [Blame.TARGET]
