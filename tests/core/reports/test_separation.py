"""The condition of a failure, which report.html names."""

from __future__ import annotations

from typing import Any

import pytest
from assembled import read
from hand_made import data_request, error, exchange

from conformance.model.error_table import INVALID_DATA_TYPES
from conformance.model.exchange import Exchange, Operation
from conformance.reports.separation import alternation, condition


def creation(number: int, status: int, *types: str, **more: Any) -> Exchange:
    """Return a creation for these types; without any, one whose body is omitted."""
    answer = data_request() if status == 200 else error(INVALID_DATA_TYPES)
    body = {"body": "known types", "types": list(types), "sent": b'["x"]'} if types else {"body": "omitted"}
    return exchange(Operation.CREATE, status, answer, number=number, **(body | more))


FINE = [creation(number, 200, "a") for number in (1, 2, 3)]


@pytest.mark.parametrize(
    ("failing", "words"),
    [
        ([creation(4, 400), creation(5, 400)], "Only without a body: all 2 such calls, and none of 3 others."),
        ([creation(4, 400, "privé")], "Only where a type is not ASCII: one such call, and none of 3 others."),
        (
            [creation(4, 400, "b", credential="other user")],
            "Only with the token of the other user: one such call, and none of 3 others.",
        ),
        ([creation(4, 400, "b"), creation(5, 400)], ""),
        (
            [creation(4, 400, "b"), creation(5, 400, "c", "b")],
            'Only where the body lists "b": all 2 such calls, and none of 3 others.',
        ),
        ([], ""),
    ],
)
def test_the_simplest_condition_is_named(failing: list[Exchange], words: str) -> None:
    assert condition(failing, FINE) == words


def test_answers_in_turn_suggest_several_stores() -> None:
    reads = [read(status, number) for number, status in enumerate((200, 404, 200), 2)]

    assert alternation([reads[1]], reads) == (
        "The same GET answered 200 and 404 in turn: several instances without a common store?"
    )
    assert alternation([reads[1]], reads[:2]) == ""
    # Readings beside the deletion have no order.
    racing = [read(status, number, racing=True) for number, status in enumerate((200, 404, 200), 2)]
    assert alternation([racing[0]], racing) == ""
