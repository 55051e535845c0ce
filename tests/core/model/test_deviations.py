from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from hand_made import exchange

from conformance.model.deviations import deviations
from conformance.model.exchange import Exchange, Operation

PLAIN = (("Accept", "application/json"), ("Accept-Encoding", "identity"), ("Content-Type", "application/json"))


@pytest.mark.parametrize(
    ("operation", "how"),
    [
        (Operation.CREATE, {"body": "known types"}),
        (Operation.READ, {"request": "existing"}),
        (Operation.DELETE, {"request": "clean-up"}),
        (Operation.DATA, {"credential": "no token", "language": "supported"}),
        (Operation.DATA_ME, {"credential": "no token"}),
    ],
)
def test_an_ordinary_valid_call_has_none(operation: Operation, how: dict[str, Any]) -> None:
    assert deviations(exchange(operation, asked=PLAIN, **how)) == 0


@pytest.mark.parametrize(
    "how",
    [
        {"credential": "a made-up token"},
        {"credential": "other user"},
        {"request": "foreign"},
        {"request_id": "odd-word"},
        {"open": True},
        {"unusual": True},
        {"racing": True},
        {"redirected_from": "e1"},
        {"asked": [*PLAIN, ("Accept-Language", "nl")]},
        {"asked": [("Accept", "text/html,*/*;q=0.8")]},
        {"asked": [("Accept-Encoding", "gzip, deflate")]},
        {"asked": [("accept", "application/json"), ("host", "service.test")]},
    ],
)
def test_each_respect_in_which_a_reading_differs_counts_one(how: dict[str, Any]) -> None:
    assert deviations(exchange(Operation.READ, **{"request": "existing", "asked": PLAIN, **how})) == 1


@pytest.mark.parametrize(
    "how",
    [
        {"body": "odd"},
        {"body": "omitted", "label": None, "asked": [*PLAIN[:2], ("Content-Type", "application/vnd.api+json")]},
        {"asked": [*PLAIN, ("Expect", "100-continue")]},
    ],
)
def test_each_respect_in_which_a_creation_differs_counts_one(how: dict[str, Any]) -> None:
    assert deviations(exchange(Operation.CREATE, **{"body": "known types", "asked": PLAIN, **how})) == 1


def test_a_query_and_a_body_in_pieces_count_too() -> None:
    def sent(call: Exchange, **changes: Any) -> Exchange:
        return replace(call, request=replace(call.request, **changes))

    plain = exchange(Operation.DATA, credential="no token")

    assert deviations(sent(plain, url=f"{plain.request.url}?lang=nl")) == 1
    assert deviations(sent(exchange(Operation.CREATE, body="known types"), pieces=2)) == 1
