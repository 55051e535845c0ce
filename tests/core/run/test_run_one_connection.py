"""A service on a server with one thread, which keeps its connections, and serves one of them at a time."""

from __future__ import annotations

import httpx
import pytest
from behind_sockets import head_of, parsed, request_of, run_behind, whole
from raw_server import Peer, Script, one_connection_at_a_time
from whole_runs import by_verdict, differences, notes_of, only

from conformance.model.verdict import Verdict


def keeping(inner: httpx.BaseTransport, _tokens: tuple[str, ...]) -> Script:
    """Keeps each connection until the client closes it, or asks for that."""

    def script(peer: Peer) -> None:
        while (head := head_of(peer)) is not None:
            method, path, fields = parsed(head)
            closes = fields.get("connection", "").lower() == "close"
            answer = inner.handle_request(request_of(peer, method, path, fields))
            peer.send(whole(answer.status_code, dict(answer.headers), answer.read()))
            if closes:
                return

    return script


def alone(inner: httpx.BaseTransport, tokens: tuple[str, ...]) -> Script:
    return one_connection_at_a_time(keeping(inner, tokens))


@pytest.mark.parametrize("concurrency", [1, 4])
def test_one_connection_is_enough_for_every_requirement(concurrency: int) -> None:
    run = run_behind(alone, only("3", "4", "5.3", "7", "8"), patience=0.1, concurrency=concurrency)

    assert by_verdict(run.report, Verdict.FAIL) == {}
    undecided = by_verdict(run.report, Verdict.INCONCLUSIVE)
    assert [row.id for row in undecided.values() if "empty-account" not in str(row.findings)] == []
    assert [each for each in run.exchanges if each.error is not None] == []
    assert run.report.summary.left_behind == 0
    assert "seems to answer one connection at a time" in " ".join(note.message for note in notes_of(run))
    assert differences(run) == []


def test_nothing_is_said_of_a_server_that_serves_several_connections() -> None:
    run = run_behind(keeping, only("4.2-object", "4.4", "8"), patience=0.1)

    assert "connection" not in " ".join(note.message for note in notes_of(run))
