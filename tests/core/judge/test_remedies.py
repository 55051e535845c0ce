"""What to do is said by the answer, where it tells more than the requirement."""

from __future__ import annotations

from typing import Any

import pytest
from assembled import detailed
from hand_made import ONE, TWO, data_request, deletion, error, exchange
from judged import LISTED

from conformance.model.error_table import INVALID_DATA_TYPES, NOT_FOUND
from conformance.model.exchange import Exchange, Operation
from conformance.model.requirements import catalogue
from conformance.model.verdict import Verdict

REJECTED: Any = {"detail": [{"type": "uuid_parsing", "loc": ["path", "request_id"], "msg": "Input should be a UUID"}]}
PAGE = "<!doctype html><title>404 Not Found</title>"


def absent(number: int, request_id: str, status: int = 404, answer: Any = None) -> Exchange:
    answer = error(NOT_FOUND) if answer is None else answer
    return exchange(Operation.READ, status, answer, number=number, request="unknown", request_id=request_id)


def remedy(requirement: str, *run: Exchange) -> str:
    row = detailed([], list(run))[requirement]
    assert row.verdict is Verdict.FAIL
    return row.findings[0].remedy


def test_the_status_that_is_due_is_named_and_the_log_where_the_service_fails() -> None:
    said = remedy("4.3-answers-ok", deletion(500, "Internal Server Error"))

    assert said.startswith("The service fails in this call: find the error in its log")
    assert said.endswith("has to have status 200.")
    assert remedy("4.3-answers-ok", deletion(202, b"")).startswith("Answer 200 instead of 202, ")
    read = exchange(Operation.READ, 500, "Internal Server Error", request="deleted")
    assert remedy("3-removed", read).endswith("has to have status 404.")
    refused = exchange(Operation.DELETE, 500, "", request="existing", credential="no token")
    assert remedy("5.3-delete-without-token", refused).endswith("has to have status 401.")


@pytest.mark.parametrize(
    ("requirement", "status", "answer"),
    [("2.4-error", 422, REJECTED), ("0-bodies-are-json", 404, PAGE), ("7-not-found-error", 404, {"error": "x"})],
)
def test_an_identifier_that_a_router_rejects_is_to_be_a_string_in_the_route(
    requirement: str, status: int, answer: Any
) -> None:
    """FastAPI answers 422, Flask and Django a page, where the parameter of the route is a UUID."""
    rejected = absent(2, "12-ab", status, answer)

    assert remedy(requirement, absent(1, TWO), rejected).startswith("Take requestId as a string in the route")
    # Where UUIDs are answered like that as well, the route is not the reason.
    assert remedy(requirement, absent(1, TWO, status, answer), rejected) == catalogue()[requirement].remedy


ROUTER: Any = {"statusCode": 404, "error": "Not Found", "message": f"Cannot DELETE /requests/{ONE}"}


@pytest.mark.parametrize(("status", "answer"), [(404, PAGE), (404, ROUTER), (405, "Method Not Allowed")])
def test_a_route_that_is_missing_is_to_be_added(status: int, answer: Any) -> None:
    """nginx and Express answer a page, NestJS an object of its own, Flask 405."""
    existing = exchange(Operation.DELETE, status, answer, number=1, request="existing", request_id=ONE)
    without = exchange(Operation.DELETE, status, answer, number=2, request_id=ONE, credential="no token")

    said = remedy("5.3-delete-without-token", existing, without)
    assert said.startswith(f"Nothing serves DELETE /requests/{{requestId}}: each of its calls was answered {status}")
    # One answer of the service itself shows that the route is there.
    own = exchange(Operation.DELETE, 404, error(NOT_FOUND), number=3, request="unknown", request_id=TWO)
    assert remedy("5.3-delete-without-token", existing, without, own) != said


@pytest.mark.parametrize(
    ("body", "given", "is_overview"),
    [
        ("omitted", ["orders", "account", "extra"], True),
        ("omitted", ["orders", "extra"], False),
        ("known types", ["orders", "account", "extra"], False),
    ],
)
def test_an_overview_with_more_types_than_the_list_is_to_agree_with_it(
    body: str, given: list[str], is_overview: bool
) -> None:
    types = None if body == "omitted" else given
    created = exchange(Operation.CREATE, 200, data_request(dataRequested=given), number=2, body=body, types=types)

    assert ("let GET /data list them as well" in remedy("2.1-dataRequested-known", LISTED, created)) is is_overview


def test_a_listed_type_that_is_refused_as_unknown_is_to_be_accepted_as_it_is_listed() -> None:
    refused = exchange(Operation.CREATE, 400, error(INVALID_DATA_TYPES), body="known types", types=["orders"])

    assert remedy("4.1-answers-200", refused).startswith("Accept each type value that GET /data lists")
