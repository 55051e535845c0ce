"""The journal of a run: what it created and deleted."""

from __future__ import annotations

from typing import Any

import httpx
import pytest
from hand_made import ONE, Scripted, created, json_answer, session_with

from conformance.model.credential_forms import ODD_BEARER
from conformance.model.exchange import ErrorKind, Intent, TransportError

PAGE = lambda: httpx.Response(200, text="<h1>Blocked</h1>", headers={"content-type": "text/html"})  # noqa: E731


@pytest.mark.parametrize("answer", [json_answer(502, {}), PAGE, TransportError(ErrorKind.CLOSED, "")])
def test_what_a_gateway_answers_to_characters_of_no_token_leaves_no_request(answer: Any) -> None:
    session = session_with(Scripted(answer))
    session.send("POST", "/requests", credential=ODD_BEARER, intent=Intent(open=True, unusual=True))

    assert (session.journal.left_behind, session.journal.pending) == (0, 0)


@pytest.mark.parametrize(
    ("body", "error", "left"),
    [("odd", ErrorKind.CLOSED, 0), ("odd", ErrorKind.DEADLINE, 1), ("known types", ErrorKind.CLOSED, 1)],
)
def test_a_service_that_hangs_up_on_an_odd_body_leaves_no_request(body: str, error: ErrorKind, left: int) -> None:
    session = session_with(Scripted(TransportError(error, "closed before any byte of an answer")))
    session.send("POST", "/requests", credential="user", intent=Intent(body=body))

    assert (session.journal.left_behind, session.journal.pending) == (left, 0)


def test_a_server_error_beyond_the_limit_leaves_nothing_and_one_before_it_may() -> None:
    settings = json_answer(200, {"maxNumberOfRequests": 1})
    session = session_with(Scripted(settings, json_answer(500, {}), created(ONE), json_answer(500, {})))
    session.send("GET", "/settings")
    for _ in range(3):
        session.send("POST", "/requests", credential="user", intent=Intent(body="omitted"))

    assert session.journal.unknown == 1
