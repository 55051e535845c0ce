from __future__ import annotations

from typing import Any

import httpx
import pytest
from hand_made import (
    ONE,
    SETTINGS,
    TOKEN,
    Scripted,
    created,
    json_answer,
    session_with,
)

from conformance.facts.creation import identifier_in
from conformance.http.session import Session
from conformance.model.errors import NotDecided
from conformance.model.exchange import Exchange
from conformance.model.target import Budget
from conformance.model.verdict import Blame

settings = json_answer(200, SETTINGS)
CALLS = {"GET": "/settings", "POST": "/requests", "DELETE": f"/requests/{ONE}"}


def call(session: Session, method: str) -> Exchange:
    return session.send(method, CALLS[method], credential="user")


def test_the_next_creation_beyond_the_budget_is_not_sent() -> None:
    transport = Scripted(created())
    session = session_with(transport, budget=Budget(max_created=2))
    for _ in range(2):
        call(session, "POST")

    with pytest.raises(NotDecided, match=r"budget of creations \(2\)") as caught:
        call(session, "POST")

    assert caught.value.blame is Blame.CONFIGURATION
    assert "--max-created" in caught.value.remedy
    assert len(transport.sent) == 2
    assert call(session, "DELETE").error is None


def test_the_budget_of_requests_ends_questions_but_not_the_clean_up() -> None:
    transport = Scripted(created())
    session = session_with(transport, budget=Budget(max_requests=2))
    call(session, "POST")
    session.send("GET", "/settings")

    with pytest.raises(NotDecided, match=r"budget of requests \(2\)") as caught:
        session.send("GET", "/settings")

    assert "--max-requests" in caught.value.remedy
    session.clean_up()
    assert transport.methods == ["POST", "GET", "DELETE"]


@pytest.mark.parametrize(
    "url",
    [
        "http://elsewhere.test/api/settings",
        "http://service.test:8080/api/settings",
        "http://service.test.evil.test/api/settings",
        "http://169.254.169.254/latest/meta-data",
    ],
)
def test_nothing_leaves_for_another_origin(url: str) -> None:
    transport = Scripted(settings)
    session = session_with(transport)

    with pytest.raises(NotDecided, match="not the target's origin"):
        session.record.call(httpx.Request("GET", url))

    assert transport.sent == []


def test_the_token_goes_only_with_the_calls_that_ask_for_it() -> None:
    transport = Scripted(settings)
    session = session_with(transport)

    session.send("GET", "/settings")
    session.send("GET", "/settings", credential="a made-up token", authorization="Bearer made-up")
    session.send("GET", "/settings", credential="user")

    assert [request.headers.get("Authorization") for request in transport.sent] == [
        None,
        "Bearer made-up",
        f"Bearer {TOKEN}",
    ]


@pytest.mark.parametrize(
    ("body", "found"),
    [
        ({"requestId": ONE}, ONE),
        ({"id": ONE}, ONE),
        ([{"requestId": ONE}], ONE),
        ({"data": {"attributes": {"uuid": ONE}}}, ONE),
        ({"requestId": 7}, None),
        (None, None),
    ],
)
def test_even_an_odd_answer_is_searched_for_what_to_clean_up(body: Any, found: str | None) -> None:
    assert identifier_in(body) == found
