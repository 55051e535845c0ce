"""What the report says of the identifiers of a run: a function of its exchanges alone."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import groupby

from conformance.model.exchange import Exchange
from conformance.model.report import Identifiers, IdentifierTest
from conformance.randomness.battery import LEVEL, TESTS
from conformance.randomness.examination import Examination, examine
from conformance.randomness.sample import FIXED, drawn_for

MOST_SHOWN = 64


def identifiers(exchanges: Iterable[Exchange], label: str, *, wanted: int) -> Identifiers | None:
    """Return what is to be told of the identifiers that a user was given, or None where there are fewer than two."""
    drawn = tuple(each for each, _ in drawn_for(exchanges, label))
    if len({each.id for each in drawn}) < 2:
        return None
    examined = examine(drawn)
    clock = examined.clock
    return Identifiers(
        seen=len(drawn),
        wanted=wanted,
        in_certain_order=len(examined.sample.in_order),
        shown=tuple(str(each.id) for each in drawn[:MOST_SHOWN]),
        clock=examined.time_based or (clock.told if clock else ""),
        judged=len(examined.rest.positions),
        not_judged=_columns(FIXED | (clock.bits | clock.finer if clock else 0)),
        level=LEVEL,
        tests=_tests(examined),
    )


def _tests(examined: Examination) -> tuple[IdentifierTest, ...]:
    came = {each.test.name: each for each in examined.results}
    return tuple(
        IdentifierTest(
            name=test.name,
            requirement=test.requirement,
            question=test.question,
            came=evidence.message if (evidence := came[test.name].evidence) else "",
            probability=evidence.probability if evidence else None,
            verdict="found" if came[test.name].found else "nothing-found",
            detects=test.detects,
        )
        for test in TESTS
    )


def _columns(mask: int) -> tuple[tuple[int, int], ...]:
    """Return the bits of a mask as pairs of first column and count."""
    columns = [bit for bit in range(128) if mask >> (127 - bit) & 1]
    runs = (list(run) for _, run in groupby(enumerate(columns), key=lambda pair: pair[1] - pair[0]))
    return tuple((run[0][1], len(run)) for run in runs)
