"""Whether a series of calls shows a deleted request, given all exchanges of a run: the property of the sequences."""

from __future__ import annotations

from collections.abc import Sequence

from conformance.facts.world import Facts
from conformance.judge.exchanges import judge
from conformance.model.error_table import UNAUTHORIZED
from conformance.model.errors import RequirementViolated
from conformance.model.exchange import Exchange


def remaining(calls: Sequence[Exchange], exchanges: Sequence[Exchange]) -> tuple[RequirementViolated, Exchange] | None:
    """Return the first violation of 3-removed by `calls`, which are some of the `exchanges`, with its call, or None.

    A token may have expired: what a 401 means is no matter of the series.
    """
    known = Facts.of(exchanges)
    for each in calls:
        for violation in judge(each, known).violations if each.status != UNAUTHORIZED.status else ():
            if violation.requirement == "3-removed":
                return violation, each
    return None
