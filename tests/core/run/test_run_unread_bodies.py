"""A service that leaves refused bodies unread reads them as the beginning of the next call on the connection."""

from __future__ import annotations

import json

import httpx
from behind_sockets import head_of, parsed, request_of, run_behind, whole
from raw_server import Peer, Script
from whole_runs import by_verdict, notes_of, verified

from conformance.model.exchange import Superseded
from conformance.model.verdict import Blame, Outcome, Verdict
from conformance.reference.call import PROBLEMS, ErrorCondition

UNAUTHORIZED = PROBLEMS[ErrorCondition.UNAUTHORIZED]
NO_METHOD = b"HTTP/1.1 501 Unsupported method\r\nContent-Type: text/html\r\nContent-Length: 12\r\n\r\n<p>What?</p>"


def leaving_bodies_unread(inner: httpx.BaseTransport, tokens: tuple[str, ...]) -> Script:
    """Return the script of a server that checks the token of a creation before it reads the body."""
    refusal = json.dumps({"error": UNAUTHORIZED.error, "message": UNAUTHORIZED.message}).encode()

    def script(peer: Peer) -> None:
        while (head := head_of(peer)) is not None:
            method, path, fields = parsed(head)
            if method not in ("GET", "POST", "DELETE", "HEAD", "OPTIONS", "PUT", "PATCH"):
                peer.send(NO_METHOD)
            elif method == "POST" and fields.get("authorization") not in {f"Bearer {each}" for each in tokens}:
                peer.send(whole(401, {"content-type": "application/json"}, refusal))
            else:
                answer = inner.handle_request(request_of(peer, method, path, fields))
                peer.send(whole(answer.status_code, dict(answer.headers), answer.read()))

    return script


def test_an_unread_body_is_named_once_and_no_requirement_is_blamed() -> None:
    run = run_behind(leaving_bodies_unread)

    misplaced = [each for each in run.exchanges if each.superseded is Superseded.MISPLACED]
    assert misplaced
    assert by_verdict(run.report, Verdict.FAIL, Verdict.WARN) == {}
    notes = [each for each in notes_of(run) if "leaves the body" in each.message]
    assert [each.blame for each in notes] == [Blame.TARGET]
    assert run.report.outcome in (Outcome.CONFORMS, Outcome.INCONCLUSIVE)
    found = verified(run)
    assert not found.damage
    assert not found.differences
