"""The condition of a failure, which report.html names (docs/traces.md)."""

from __future__ import annotations

import pytest
from notation import trace_in

from conformance.reports.separation import alternation, condition

FINE = "POST [a] -> 200 r1; POST [a] -> 200 r2; POST [a] -> 200 r3"


@pytest.mark.parametrize(
    ("failing", "words"),
    [
        ("POST -> 400; POST -> 400", "Only without a body: all 2 such calls, and none of 3 others."),
        ("POST [privé] -> 400", "Only where a type is not ASCII: one such call, and none of 3 others."),
        ("other POST [b] -> 400", "Only with the token of the other user: one such call, and none of 3 others."),
        ("POST [b] -> 400; POST -> 400", ""),
        (
            "POST [b] -> 400; POST [c, b] -> 400",
            'Only where the body lists "b": all 2 such calls, and none of 3 others.',
        ),
        ("", ""),
    ],
)
def test_the_simplest_condition_is_named(failing: str, words: str) -> None:
    calls = trace_in(f"GET /data -> 200 [a, b, c, privé]; {FINE}; {failing}".removesuffix("; ")).exchanges[1:]
    assert condition(list(calls[3:]), list(calls[:3])) == words


def test_answers_in_turn_suggest_several_stores() -> None:
    reads = list(trace_in("GET r1 -> 200; GET r1 -> 404; GET r1 -> 200").exchanges)

    assert alternation([reads[1]], reads) == (
        "The same GET answered 200 and 404 in turn: several instances without a common store?"
    )
    assert alternation([reads[1]], reads[:2]) == ""
    # Readings beside the deletion have no order.
    racing = list(trace_in("| GET r1 -> 200; | GET r1 -> 404; | GET r1 -> 200").exchanges)
    assert alternation([racing[0]], racing) == ""
