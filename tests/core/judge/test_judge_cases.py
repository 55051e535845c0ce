from __future__ import annotations

from dataclasses import replace

import pytest
from answered import (
    AT_THE_LIMIT,
    creation,
    foreign_tongue,
    full,
    missing,
    reading,
    settings,
    unauthorized,
    unknown_type,
)
from hand_made import ONE, data_request, data_type, deletion, error, exchange
from judged import DATA, DEEP, HTML, LISTED, READ, broken

from conformance.facts.world import Facts
from conformance.judge.exchanges import judge
from conformance.model.error_table import LIMIT_REACHED, NOT_FOUND
from conformance.model.exchange import Exchange

OTHER = {"error": "Other", "message": "Something else."}

CASES: dict[str, tuple[list[Exchange], set[str]]] = {
    # what is legal
    "an odd body that makes a request": ([LISTED, creation(body="odd", open=True, generated=True)], set()),
    "an odd body that is refused at the limit for a reason of its own": (
        [*AT_THE_LIMIT, creation(400, OTHER, body="odd", open=True)],
        set(),
    ),
    "unprintable type refused in between": (
        [unknown_type(status, HTML, body="unprintable type", sent=b'["a\\u0000b"]') for status in (400, 403, 422, 500)],
        set(),
    ),
    "limit met where another refusal was due": ([unknown_type(400, error(LIMIT_REACHED))], set()),
    "a request that may have completed": ([creation(), reading(), reading(404, error(NOT_FOUND))], set()),
    "an underscore that no route takes": (
        [missing(status=status, answer=HTML, request_id=f"{ONE[:-1]}_") for status in (400, 404)],
        set(),
    ),
    "races": (
        [
            creation(400, error(LIMIT_REACHED), racing=True),
            creation(racing=True),
            creation(503, HTML, racing=True),
            deletion(404, error(NOT_FOUND), "application/json", racing=True),
            deletion(409, OTHER, "application/json", racing=True),
        ],
        set(),
    ),
    "legal but deeper than what is read": ([settings(answer=DEEP)], set()),
    # what is wrong
    "a deletion that failed, after which the request may be gone": (
        [
            creation(),
            deletion(500, b""),
            deletion(404, error(NOT_FOUND), "application/json"),
            reading(404, error(NOT_FOUND)),
        ],
        {"4.3-answers-ok"},
    ),
    "a type that only a list in another language has": (
        [
            LISTED,
            exchange(DATA, 200, [data_type("bestellingen")], language="supported"),
            creation(types=["bestellingen"], answer=data_request(dataRequested=["bestellingen"])),
        ],
        {"2.1-dataRequested-known"},
    ),
    "not found, then seen in progress": ([creation(), reading(404, error(NOT_FOUND)), reading()], {"4.2-answers-200"}),
    "another hour": (
        [
            creation(answer=data_request(createdAt="2026-01-31T12:30:00Z")),
            reading(answer=data_request(createdAt="2026-01-31T13:30:00Z")),
        ],
        {"4.2-agrees-with-creation"},
    ),
    "two milliseconds later than at the reading before": (
        [
            creation(answer=data_request(createdAt="2026-01-31T12:00:00.225Z")),
            reading(answer=data_request(createdAt="2026-01-31T12:00:00.225Z")),
            reading(answer=data_request(createdAt="2026-01-31T12:00:00.227Z")),
        ],
        {"4.2-agrees-with-creation"},
    ),
    "a part of an identifier finds a request": (
        [missing(READ, 200, data_request(), request_id=ONE[:-1])],
        {"7-not-found"},
    ),
    "an underscore stands for any digit": (
        [missing(READ, 200, data_request(), request_id=f"{ONE[:-1]}_", unusual=True)],
        {"7-not-found"},
    ),
    "404 before 401": (
        [unauthorized(status=404, answer=error(NOT_FOUND), request="unknown")],
        {"5.3-read-without-token"},
    ),
    "an odd body makes a request for what is not listed": (
        [LISTED, creation(answer=data_request(dataRequested=["ORDERS"]), body="odd", open=True, generated=True)],
        {"2.1-dataRequested-known"},
    ),
    "limit misnamed": (
        [*AT_THE_LIMIT, full(answer=error(LIMIT_REACHED, error="TooMany")), reading()],
        {"7-limit-reached-error"},
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_what_is_wrong_breaks_its_requirement_and_no_other_and_what_is_legal_none(name: str) -> None:
    run, requirements = CASES[name]

    found = broken(*run)

    assert set().union(*found) == requirements
    # Of the exchanges that a case needs, one alone is wrong.
    assert sum(map(bool, found)) == bool(requirements)


def test_a_refused_language_is_named_as_the_call_asks_for_it() -> None:
    in_query = foreign_tongue(answer={"error": "Bad Request", "message": "No."})
    in_query.request = replace(in_query.request, url=f"{in_query.request.url}?language=eo")
    in_header = exchange(DATA, 400, {"error": "No", "message": "No."}, asked=[("Accept-Language", "eo")])
    in_header.intent = in_query.intent

    said = [next(iter(judge(each, Facts()).violations)).message for each in (in_query, in_header)]

    assert 'GET /data with ?language=eo answered 400 with error "Bad Request"' in said[0]
    assert 'GET /data with Accept-Language eo answered 400 with error "No"' in said[1]
