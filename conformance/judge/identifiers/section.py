"""The section of the report on the identifiers of a run: what their analysis shows."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import groupby
from typing import Final

from conformance.judge.identifiers.analysis import LEVEL, TESTS, analyse
from conformance.judge.identifiers.sample import FIXED, observed_ids
from conformance.model.exchange import Exchange
from conformance.model.report import Identifiers, IdentifierTest

_SHOWN: Final = 64

WORDS: Final = (
    (
        "unbalanced bits",
        "Does a bit have the same value in every identifier, or far more often than half the time?",
        "1 bit that never changes, or that is a one in 97 of 100 identifiers",
    ),
    (
        "few independent bits",
        "Can identifiers be put together from others?",
        "at most 62 random bits, from which all others are computed by exclusive or",
    ),
    (
        "rising or falling",
        "Does a part of the identifier grow, or shrink, with time?",
        "1 byte that moves in one direction, by at most half of its range from one identifier to the next",
    ),
    (
        "counting",
        "Does a part of the identifier count from one to the next?",
        "a counter of at least 1 byte, of which the run receives two of three numbers",
    ),
)
"""For each test its name, the question that it asks, and the smallest defect that it finds among 64 identifiers with
probability 0.99, measured by `benchmarks/randomness_power.py`."""


def identifiers(exchanges: Iterable[Exchange], label: str, *, wanted: int) -> Identifiers | None:
    """Return the report's section on the identifiers of a user, or None if there are fewer than two."""
    ids = tuple(observed for observed, _ in observed_ids(exchanges, label))
    if len({observed.id for observed in ids}) < 2:
        return None
    analysis = analyse(ids)
    clock = analysis.clock
    return Identifiers(
        seen=len(ids),
        wanted=wanted,
        in_certain_order=len(analysis.sample.in_order),
        shown=tuple(str(observed.id) for observed in ids[:_SHOWN]),
        clock=clock.description if clock else "",
        judged=len(analysis.rest.positions),
        not_judged=_runs_of_ones(FIXED | (clock.bits | clock.finer if clock else 0)),
        level=LEVEL,
        tests=tuple(
            IdentifierTest(
                name=name,
                requirement=requirement,
                question=question,
                came=evidence.message if evidence else "",
                probability=evidence.probability if evidence else None,
                verdict="found" if evidence and evidence.probability < LEVEL else "nothing-found",
                detects=detects,
            )
            for (name, question, detects), requirement, evidence in zip(
                WORDS, TESTS.values(), analysis.results, strict=True
            )
        ),
    )


def _runs_of_ones(mask: int) -> tuple[tuple[int, int], ...]:
    """Return the bits of a mask as pairs of first position and length."""
    positions = [bit for bit in range(128) if mask >> (127 - bit) & 1]
    runs = (list(run) for _, run in groupby(enumerate(positions), key=lambda pair: pair[1] - pair[0]))
    return tuple((run[0][1], len(run)) for run in runs)
