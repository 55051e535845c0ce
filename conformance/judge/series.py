"""Whether a series of calls shows a deleted request, given all exchanges of a run: the property of the sequences."""

from __future__ import annotations

from collections.abc import Sequence

from conformance.facts.due import due
from conformance.facts.world import Facts
from conformance.judge.exchanges import judge
from conformance.model.error_table import UNAUTHORIZED
from conformance.model.errors import RequirementViolated
from conformance.model.exchange import Exchange, Operation


def remaining(calls: Sequence[Exchange], exchanges: Sequence[Exchange]) -> tuple[RequirementViolated, Exchange] | None:
    """Return the first violation of 3-removed by `calls`, which are some of the `exchanges`, with its call, or None.

    A token may have expired: what a 401 means is no matter of the series.
    """
    known = Facts.of(exchanges)
    on_one = (each for each in calls if each.operation is not Operation.CREATE and each.status != UNAUTHORIZED.status)
    wrong = (each for each in on_one if due(each, known).by == "3-removed")
    shown = ((violation, each) for each in wrong for violation in judge(each, known).violations)
    return next((one for one in shown if one[0].requirement == "3-removed"), None)
