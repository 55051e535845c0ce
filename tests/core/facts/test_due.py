"""What a call is due, by the state that a run saw, and how a wrong status is named."""

from __future__ import annotations

from dataclasses import replace
from itertools import product
from typing import Any

import pytest
from hand_made import data_request, error, exchange

from conformance.facts.due import due
from conformance.facts.headlines import wrong_status
from conformance.facts.world import Facts
from conformance.judge.exchanges import judge
from conformance.model.error_table import INVALID_DATA_TYPES, LIMIT_REACHED, NOT_FOUND, UNAUTHORIZED
from conformance.model.exchange import Exchange, Operation
from conformance.model.further_headers import mark_of
from conformance.spec.kinds import State

CREATE, READ, DELETE = Operation.CREATE, Operation.READ, Operation.DELETE
PUBLIC = (Operation.SETTINGS, Operation.DATA)


GATE = [("Authorization", f"[{mark_of('authorization')}]")]


class World(Facts):
    """A run that saw one state of the world."""

    def __init__(self, state: State) -> None:
        super().__init__()
        self.state = state

    def state_of(self, exchange: Exchange) -> State:
        return self.state if exchange.operation in (CREATE, READ, DELETE) else super().state_of(exchange)


def _labelled(label: str, status: int = 200, **meant: Any) -> Exchange:
    creation = exchange(CREATE, status, **meant)
    creation.intent = replace(creation.intent, label=label)
    return creation


@pytest.mark.parametrize("edited", ["edited", 7, ["known types"], {"a": 1}], ids=str)
def test_what_an_edited_record_states_is_open(edited: Any) -> None:
    for operation, name in product(Operation, ("request", "body", "language", "types", "label")):
        call = exchange(operation, 500, error(NOT_FOUND))
        call.intent = replace(call.intent, **{name: edited})
        judge(call, Facts.of([call]))
        assert not due(call).by or (name in ("types", "label", "body", "request") and operation in PUBLIC)


@pytest.mark.parametrize(
    ("call", "status", "by", "facts"),
    [
        (exchange(CREATE, 500, body="known types"), 200, "", World(State.EITHER)),
        (exchange(CREATE, 200, body="known types"), 400, "", World(State.FULL)),
        (exchange(CREATE, 400, error(LIMIT_REACHED), body="known types"), 200, "", Facts()),
        (exchange(CREATE, 401, body="known types"), 200, "5.1-accepts-bearer", Facts()),
        (_labelled("empty", 415, body="omitted"), 200, "4.1-empty-body-labelled", Facts()),
        (_labelled("unusual", 415, body="known types"), 200, "", Facts()),
        (exchange(READ, 404, request="existing"), 200, "", Facts()),
        (exchange(READ, 404, request="existing", request_id="17"), 200, "", Facts()),
        (exchange(READ, 401, credential="the gate", asked=GATE), None, "", Facts()),
        (exchange(READ, 400, request="unknown", request_id="17"), 404, "", Facts()),
        (exchange(READ, 200, "a page", request="unknown", request_id="a_b"), 404, "", Facts()),
        (exchange(DELETE, 200, "OK", request="unknown", request_id="a_b"), 404, "7-not-found", Facts()),
        (exchange(DELETE, 200, request="existing", credential="no token"), 401, "5.3-delete-without-token", Facts()),
        (exchange(Operation.SETTINGS, 302), 200, "4.4-answers-200", Facts()),
        (exchange(READ, 500, request="existing", open=True), None, "", Facts()),
    ],
)
def test_a_call_is_due_a_status_by_a_requirement(call: Exchange, status: int | None, by: str, facts: Facts) -> None:
    required = due(call, facts)

    assert (required.status, required.by) == (status, by)


def test_an_answer_has_to_agree_with_the_row_of_the_table_that_it_names() -> None:
    for row in (LIMIT_REACHED, INVALID_DATA_TYPES):
        assert due(exchange(CREATE, 400, error(row), body="known types")).error is row
    misnamed = error(LIMIT_REACHED, error="Full")
    assert due(exchange(CREATE, 400, misnamed, body="unknown type")).error is INVALID_DATA_TYPES
    assert due(exchange(DELETE, 401, request="existing")).error is UNAUTHORIZED
    assert due(exchange(READ, 404, request="existing")).error is None
    assert due(exchange(READ, 404, request="lost")).error is NOT_FOUND
    assert due(exchange(CREATE, 400, misnamed, body="known types"), World(State.FULL)).error is LIMIT_REACHED
    # A list of several types may be refused for its size when the limit is reached.
    several = exchange(CREATE, 400, {"error": "Full"}, body="known types", types=["orders", "account"])
    assert due(several, World(State.FULL)).error is None


MADE_UP = {"credential": "a made-up token"}


@pytest.mark.parametrize(
    ("operation", "status", "expected", "how", "headline"),
    [
        (Operation.READ, 200, "404", {"request": "deleted"}, "A deleted request can be read"),
        (Operation.DELETE, 500, "200", {"request": "existing"}, "A request cannot be deleted"),
        (Operation.READ, 410, "404", {"request": "deleted"}, "Reading a deleted request has the wrong status"),
        (Operation.CREATE, 415, "200", {"body": "omitted"}, "A creation without a body is refused"),
        (Operation.CREATE, 200, "400", {"body": "unknown type"}, "A creation with an unknown data type is accepted"),
        (Operation.CREATE, 200, "401", {"body": "omitted", **MADE_UP}, "A creation with a made-up token is accepted"),
        (Operation.SETTINGS, 401, "200", {"credential": "no token"}, "GET /settings is refused without a token"),
        (Operation.DATA, 200, "400", {"language": "unsupported"}, "An unsupported language is accepted"),
    ],
)
def test_a_headline_says_what_is_wrong_before_it_names_the_call(
    operation: Operation, status: int, expected: str, how: dict[str, Any], headline: str
) -> None:
    message = wrong_status(exchange(operation, status, data_request(), **how), status, expected)

    assert message.startswith(f"{headline}: {status} instead of {expected}. The call: ")


@pytest.mark.parametrize(("status", "body"), [(204, b""), (200, b"{}"), (200, b'{"code": 404}')])
def test_a_reading_that_returns_nothing_is_no_request_that_can_be_read(status: int, body: bytes) -> None:
    message = wrong_status(exchange(Operation.READ, status, body, request="deleted"), status, "404")

    assert message.startswith(f"Reading a deleted request has the wrong status: {status} instead of 404. The call: ")


@pytest.mark.parametrize(
    ("asked", "words"),
    [
        ("?language=eo", "GET /data with ?language=eo answered 400"),
        ("", "GET /data with Accept-Language eo answered 400"),
    ],
)
def test_a_refused_language_is_named_as_the_call_asks_for_it(asked: str, words: str) -> None:
    answer = {"error": "Bad Request", "message": "No."}
    call = exchange(Operation.DATA, 400, answer, language="unsupported", asked=[("Accept-Language", "eo")])
    call.request = replace(call.request, url=call.request.url + asked)

    assert f'{words} with error "Bad Request"' in next(iter(judge(call, Facts()).violations)).message
