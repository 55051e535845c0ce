"""What a call is due, by the state that a run saw, and how a wrong status is named."""

from __future__ import annotations

from dataclasses import replace
from itertools import product
from typing import Any

import pytest
from notation import call_in

from conformance.facts.assumptions import languages_of, limit_of
from conformance.facts.due import due
from conformance.facts.headlines import wrong_status
from conformance.facts.world import Facts
from conformance.judge.exchanges import judge
from conformance.model.error_table import INVALID_DATA_TYPES, LIMIT_REACHED, NOT_FOUND, ON_DATA_REQUESTS, UNAUTHORIZED
from conformance.model.exchange import Exchange, Intent, Operation
from conformance.model.further_headers import mark_of
from conformance.spec.kinds import State

PUBLIC = (Operation.SETTINGS, Operation.DATA)


class World(Facts):
    """A run that saw one state of the world."""

    def __init__(self, state: State) -> None:
        super().__init__()
        self.state = state

    def state_of(self, exchange: Exchange) -> State:
        return self.state if exchange.operation in ON_DATA_REQUESTS else super().state_of(exchange)


@pytest.mark.parametrize("edited", ["edited", 7, ["known types"], {"a": 1}], ids=str)
def test_what_an_edited_record_states_is_open(edited: Any) -> None:
    calls = ("POST", "GET r1", "DELETE r1", "user GET /settings", "user GET /data", "user GET /data/me")
    for asked, name in product(calls, ("request", "body", "language", "types", "label")):
        call = call_in(f"{asked} -> 500 Not Found")
        call.intent = Intent(**{name: edited})
        judge(call, Facts.of([call]))
        assert not due(call).by or (name in ("types", "label", "body", "request") and call.operation in PUBLIC)


AT_THE_GATE = call_in('"the gate" GET r1 -> 401')
AT_THE_GATE.request = replace(AT_THE_GATE.request, headers=(("Authorization", f"[{mark_of('authorization')}]"),))


@pytest.mark.parametrize(
    ("call", "status", "by", "facts"),
    [
        (call_in("POST [a] -> 500"), 200, "", World(State.EITHER)),
        (call_in("POST [a] -> 200 r1"), 400, "", World(State.FULL)),
        (call_in("POST [a] -> 400 MaximumAmountOfRequestsReached"), 200, "", Facts()),
        (call_in("POST [a] -> 401 ''"), 200, "5.1-accepts-bearer", Facts()),
        (call_in("POST -> 415", label="empty"), 200, "4.1-empty-body-labelled", Facts()),
        (call_in("POST [a] -> 415", label="unusual"), 200, "", Facts()),
        (call_in("POST [a] -> 200 r1; GET r1 -> 404"), 200, "", Facts()),
        (call_in("POST [a] -> 200 17; GET 17 -> 404"), 200, "", Facts()),
        (AT_THE_GATE, None, "", Facts()),
        (call_in("GET 17 -> 400"), 404, "", Facts()),
        (call_in("GET a_b -> 200 'a page'", request="unknown"), 404, "", Facts()),
        (call_in("DELETE a_b -> 200", request="unknown"), 404, "7-not-found", Facts()),
        (call_in("anonymous DELETE r1 -> 200"), 401, "5.3-delete-without-token", Facts()),
        (call_in("user GET /settings -> 302"), 200, "4.4-answers-200", Facts()),
        (call_in("POST [a] -> 200 r1; GET r1 -> 500", open=True), None, "", Facts()),
    ],
)
def test_a_call_is_due_a_status_by_a_requirement(call: Exchange, status: int | None, by: str, facts: Facts) -> None:
    required = due(call, facts)

    assert (required.status, required.by) == (status, by)


def test_an_answer_has_to_agree_with_the_row_of_the_table_that_it_names() -> None:
    misnamed = """400 MaximumAmountOfRequestsReached {"error": "Full"}"""
    assert due(call_in("POST [a] -> 400 MaximumAmountOfRequestsReached")).error is LIMIT_REACHED
    assert due(call_in("POST [a] -> 400 InvalidDataTypes")).error is INVALID_DATA_TYPES
    assert due(call_in(f"POST [x] -> {misnamed}")).error is INVALID_DATA_TYPES
    assert due(call_in("POST [a] -> 200 r1; DELETE r1 -> 401 ''")).error is UNAUTHORIZED
    assert due(call_in("POST [a] -> 200 r1; GET r1 -> 404 ''")).error is None
    assert due(call_in("GET r1 -> 404 ''", request="lost")).error is NOT_FOUND
    assert due(call_in(f"POST [a] -> {misnamed}"), World(State.FULL)).error is LIMIT_REACHED
    # A list of several types may be refused for its size when the limit is reached.
    assert due(call_in("""POST [a, b] -> 400 {"error": "Full"}"""), World(State.FULL)).error is None


READING = "Reading a deleted request has the wrong status"


@pytest.mark.parametrize(
    ("run", "expected", "headline"),
    [
        ("DELETE r1 -> 200; GET r1 -> 200", "404", "A deleted request can be read"),
        ("DELETE r1 -> 200; GET r1 -> 204 ''", "404", READING),
        ("""DELETE r1 -> 200; GET r1 -> 200 '{"code": 404}'""", "404", READING),
        ("DELETE r1 -> 200; GET r1 -> 410", "404", READING),
        ("POST [x] -> 200 r1", "400", "A creation with an unknown data type is accepted"),
        ('"a made-up token" POST -> 200 r1', "401", "A creation with a made-up token is accepted"),
        ("GET /settings -> 401", "200", "GET /settings is refused without a token"),
    ],
)
def test_a_headline_accuses_of_no_more_than_the_answer_shows(run: str, expected: str, headline: str) -> None:
    call = call_in(run)

    assert wrong_status(call, call.status, expected).startswith(f"{headline}: {call.status} instead of {expected}. ")


@pytest.mark.parametrize(
    ("settings", "limit", "named"),
    [
        ({"maxNumberOfRequests": 3}, 3, ""),
        ({"maxNumberOfRequests": 3.0}, 3, ""),
        ({"maxNumberOfRequests": -1}, -1, ""),
        ({"maxNumberOfRequests": "4"}, 4, 'maxNumberOfRequests "4"'),
        ({"max_number_of_requests": "6"}, 6, 'max_number_of_requests "6"'),
        ({"maxNumberOfRequest": 7}, 7, "maxNumberOfRequest 7"),
        *(({"maxNumberOfRequests": given}, None, "") for given in (None, True, 3.5)),
        ({"limit": 3}, None, ""),
    ],
)
def test_a_limit_is_stated_or_evident_or_unknown(settings: dict[str, Any], limit: int | None, named: str) -> None:
    found, assumption = limit_of(settings)

    assert (found, bool(assumption)) == (limit, bool(named))
    assert named in assumption


@pytest.mark.parametrize(("published", "languages"), [("en, nl", ["en", "nl"]), ([1], None)])
def test_languages_are_evident_or_unknown(published: object, languages: list[str] | None) -> None:
    found, assumption = languages_of({"supportedLanaguages": published})

    assert found == languages
    assert ("supportedLanaguages is taken to be" in assumption) is (languages is not None)
    assert languages_of({"supportedLanguages": ["en"]})[0] == ["en"]
