"""The section of the report on the identifiers of a run: what their analysis shows."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import groupby
from typing import Final

from conformance.identifiers.analysis import LEVEL, analyse
from conformance.identifiers.sample import FIXED, observed_ids
from conformance.model.exchange import Exchange
from conformance.model.identifier_tests import Identifiers, IdentifierTest

_SHOWN: Final = 64


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
                name=result.test.name,
                requirement=result.test.requirement,
                question=result.test.question,
                came=result.evidence.message if result.evidence else "",
                probability=result.evidence.probability if result.evidence else None,
                verdict="found" if result.found else "nothing-found",
                detects=result.test.detects,
            )
            for result in analysis.results
        ),
    )


def _runs_of_ones(mask: int) -> tuple[tuple[int, int], ...]:
    """Return the bits of a mask as pairs of first position and length."""
    positions = [bit for bit in range(128) if mask >> (127 - bit) & 1]
    runs = (list(run) for _, run in groupby(enumerate(positions), key=lambda pair: pair[1] - pair[0]))
    return tuple((run[0][1], len(run)) for run in runs)
