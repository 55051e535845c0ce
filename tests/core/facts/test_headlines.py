from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from hand_made import data_request, exchange

from conformance.facts.headlines import wrong_status
from conformance.facts.world import Facts
from conformance.judge.exchanges import judge
from conformance.model.exchange import Operation

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
