"""A credential that a server may refuse in its own words is not handled as that of a user: odd characters, a query."""

from __future__ import annotations

from typing import Any

import pytest
from hand_made import data_request, error, exchange

from conformance.facts.world import Facts
from conformance.judge.exchanges import judge
from conformance.model.credential_forms import ODD_BEARER
from conformance.model.error_table import IN_QUERY, LIMIT_REACHED, NOT_FOUND
from conformance.model.exchange import Exchange, Operation, Superseded

PAGE, JSON = b"<h1>Bad Request</h1>", {"error": "Bad Request", "message": "The header is malformed."}


def answered(
    operation: Operation,
    status: int,
    answer: Any = PAGE,
    *,
    credential: str = ODD_BEARER,
    repeats: str = "e1",
    **more: Any,
) -> Exchange:
    asked = exchange(operation, status, answer, credential=credential, request="existing", open=True, **more)
    asked.repeats = repeats
    return asked


def violated(asked: Exchange) -> list[str]:
    return [each.requirement for each in judge(asked, Facts()).violations if each.requirement.startswith("5.3")]


@pytest.mark.parametrize(
    "legal",
    [
        answered(Operation.READ, 404, JSON | {"error": NOT_FOUND.error}),
        answered(Operation.READ, 200),  # the page of a firewall
        answered(Operation.CREATE, 501),
        answered(Operation.READ, 500, repeats=""),
        answered(Operation.READ, 503, superseded=Superseded.UNAVAILABLE),
        # A router may have no path with a query, and answer as for requests that do not exist.
        answered(Operation.READ, 404, error(NOT_FOUND), credential=IN_QUERY),
        answered(Operation.CREATE, 400, error(LIMIT_REACHED), credential=IN_QUERY),
        answered(Operation.READ, 500, JSON, credential=IN_QUERY),
        answered(Operation.DELETE, 200, credential=IN_QUERY),
    ],
    ids=lambda each: f"{each.operation} {each.response.status} {each.request.credential}",
)
def test_a_server_may_refuse_it_in_its_own_words(legal: Exchange) -> None:
    assert violated(legal) == []


@pytest.mark.parametrize(
    "wrong",
    [
        answered(Operation.READ, 500, JSON),
        answered(Operation.READ, 200, data_request()),
        answered(Operation.CREATE, 200, data_request()),
        answered(Operation.DELETE, 200, b"OK", label="text/plain"),
        answered(Operation.DELETE, 500),
        answered(Operation.READ, 200, data_request(), credential=IN_QUERY),
        answered(Operation.CREATE, 200, data_request(), credential=IN_QUERY),
        answered(Operation.DELETE, 200, b"OK", label="text/plain", credential=IN_QUERY),
    ],
    ids=lambda each: f"{each.operation} {each.response.status} {each.request.credential}",
)
def test_a_service_may_not_handle_it(wrong: Exchange) -> None:
    named = {Operation.CREATE: "create", Operation.READ: "read", Operation.DELETE: "delete"}

    assert violated(wrong) == [f"5.3-{named[wrong.operation]}-with-bad-token"]
