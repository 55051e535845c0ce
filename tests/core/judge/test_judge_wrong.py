from __future__ import annotations

import pytest
from answered import (
    AT_THE_LIMIT,
    creation,
    full,
    missing,
    reading,
    settings,
    unauthorized,
    unknown_type,
)
from hand_made import ONE, SETTINGS, data_request, deletion, error, exchange
from judged import COMPLETED, CREATE, HTML, LISTED, READ, broken
from lives import one_after_another

from conformance.facts.world import Facts
from conformance.judge.exchanges import decidable, judge
from conformance.model.error_table import (
    LIMIT_REACHED,
    NOT_FOUND,
    UNAUTHORIZED,
)
from conformance.model.exchange import Exchange

OTHER = {"error": "Other", "message": "Something else."}

WRONG: dict[str, tuple[list[Exchange], set[str]]] = {
    # statuses of what needs no token
    "settings ask for a token": ([settings(401, OTHER)], {"5.4-settings-without-token"}),
    "settings refuse even a token": ([settings(401, OTHER, credential="user")], {"4.4-answers-200"}),
    # documents
    "settings in an array": ([settings(answer=[SETTINGS])], {"4.4-object"}),
    "null is not absent": (
        [creation(answer=data_request(completedAt=None))],
        {"2.1-completedAt", "3-in-progress-no-completedAt"},
    ),
    # bodies
    "not JSON": ([settings(answer=HTML)], {"0-bodies-are-json"}),
    "error that is not JSON": ([unauthorized(answer=HTML)], {"0-bodies-are-json", "2.4-object"}),
    # creation
    "creation for all refused": (
        [exchange(CREATE, 400, OTHER, body="omitted")],
        {"4.1-answers-200", "4.1-body-omitted"},
    ),
    "unknown type accepted": ([unknown_type(200, data_request())], {"7-invalid-data-types"}),
    # reading and deleting
    "not found, then seen in progress": ([creation(), reading(404, error(NOT_FOUND)), reading()], {"4.2-answers-200"}),
    "another hour": (
        [
            creation(answer=data_request(createdAt="2026-01-31T12:30:00Z")),
            reading(answer=data_request(createdAt="2026-01-31T13:30:00Z")),
        ],
        {"4.2-agrees-with-creation"},
    ),
    "five milliseconds later": (
        [
            creation(answer=data_request(createdAt="2026-01-31T12:00:00.221Z")),
            reading(answer=data_request(createdAt="2026-01-31T12:00:00.226Z")),
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
    "completed not deleted": (
        [creation(answer=COMPLETED), deletion(409, OTHER, "application/json")],
        {"3-deletes-completed"},
    ),
    # authentication
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
    # errors
    "page of the framework": ([creation(400, HTML, body="odd", open=True)], {"0-bodies-are-json"}),
    "limit misnamed": (
        [*AT_THE_LIMIT, full(answer=error(LIMIT_REACHED, error="TooMany")), reading()],
        {"7-limit-reached-error"},
    ),
    "limit with another message in the middle of something else": (
        [creation(400, error(LIMIT_REACHED, message="Too many."))],
        {"7-limit-reached-message"},
    ),
    "error a number": (
        [unauthorized(answer=error(UNAUTHORIZED, error=401))],
        {"2.4-error", "7-unauthorized-error"},
    ),
}


@pytest.mark.parametrize("name", WRONG)
def test_what_is_wrong_breaks_its_requirement_and_no_other(name: str) -> None:
    run, requirements = WRONG[name]

    found = broken(*run)

    assert set().union(*found) == requirements
    # Of the exchanges that a case needs, one alone is wrong.
    assert sum(map(bool, found)) == 1


def test_what_judging_an_exchange_may_find_is_what_a_crash_there_costs() -> None:
    for run, _ in WRONG.values():
        exchanges = one_after_another(*run)
        known = Facts.of(exchanges)
        for one in exchanges:
            assert one.operation is not None
            judgement = judge(one, known)
            found = {violation.requirement for violation in judgement.violations} | judgement.kept
            assert found <= decidable(one.operation)
