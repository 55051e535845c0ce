"""Services that close the connection after each answer conform: the specification states no version of HTTP."""

from __future__ import annotations

from collections.abc import Callable

import httpx
import pytest
from behind_sockets import head_of, parsed, request_of, run_behind, whole
from raw_server import Peer, Script
from whole_runs import by_verdict, only, verified

from conformance.model.verdict import Outcome, Verdict

Framing = Callable[[httpx.Response], bytes]
ScriptOf = Callable[[httpx.BaseTransport, tuple[str, ...]], Script]


def of_http_1_0(answer: httpx.Response) -> bytes:
    """Return an answer as servers of HTTP/1.0 write it: the end of the connection is the end of the body."""
    fields = [(name, value) for name, value in answer.headers.items() if name != "content-length"]
    lines = [f"HTTP/1.0 {answer.status_code} -", *(f"{name}: {value}" for name, value in fields), "Connection: close"]
    return "\r\n".join(lines).encode("latin-1") + b"\r\n\r\n" + answer.read()


def with_an_announcement(answer: httpx.Response) -> bytes:
    return whole(answer.status_code, {**answer.headers, "connection": "close"}, answer.read())


def without_an_announcement(answer: httpx.Response) -> bytes:
    return whole(answer.status_code, dict(answer.headers), answer.read())


def when_used_again(inner: httpx.BaseTransport, _tokens: tuple[str, ...]) -> Script:
    """Return the script of a server that keeps each connection until a second request arrives, and then closes it."""

    def script(peer: Peer) -> None:
        if (head := head_of(peer)) is not None:
            peer.send(without_an_announcement(inner.handle_request(request_of(peer, *parsed(head)))))
            head_of(peer)

    return script


def closing(framed: Framing) -> ScriptOf:
    """Return the script of a server that answers one request on each connection."""

    def script_of(inner: httpx.BaseTransport, _tokens: tuple[str, ...]) -> Script:
        def script(peer: Peer) -> None:
            if (head := head_of(peer)) is not None:
                peer.send(framed(inner.handle_request(request_of(peer, *parsed(head)))))

        return script

    return script_of


@pytest.mark.parametrize(
    "script_of",
    [closing(of_http_1_0), closing(with_an_announcement), closing(without_an_announcement), when_used_again],
    ids=["of_http_1_0", "with_an_announcement", "without_an_announcement", "when_used_again"],
)
def test_a_service_that_closes_each_connection_conforms(script_of: ScriptOf) -> None:
    run = run_behind(script_of, only("4.2-object", "4.3-media-type", "4.4", "4.5-array", "5.3", "8-limit-enforced"))

    assert by_verdict(run.report, Verdict.FAIL, Verdict.WARN, Verdict.INCONCLUSIVE) == {}
    assert run.report.outcome is Outcome.CONFORMS_IN_PART
    found = verified(run)
    assert not found.damage
    assert not found.differences
