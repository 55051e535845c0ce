"""The property of the search for sequences of calls: the judge. The shortest one that violates it is kept."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cached_property
from typing import Final

from conformance.facts.world import Facts
from conformance.generation.cases import SearchEnded
from conformance.judge.exchanges import judge, violated
from conformance.judge.requests import loss
from conformance.model.error_table import UNAUTHORIZED
from conformance.model.errors import RequirementViolated
from conformance.model.exchange import Exchange
from conformance.scenarios.api import Api

WANTED: Final = ("3-removed", "4.3-answers-ok")
"""What a series of calls shows."""

SPARE: Final = 250
"""Exchanges that a run may use to shrink a series; a thorough run ten times as many."""

SECONDS: Final = 30.0
"""Seconds that a run may use for it."""


class Shown(Exception):
    """Tells hypothesis that a series shows a violation."""


class Shortest:
    """Judges series of calls, and keeps the shortest one that shows the first violation."""

    def __init__(self, service: Api) -> None:
        self.service = service
        self.shown: list[Exchange] = []
        """The shortest series that shows the violation; its last call shows it."""
        self.requirement = ""
        """What it violates; "" until a series has shown a violation."""
        self._spare = SPARE * service.session.target.budget.times
        self._before = service.record.in_order()
        self._most = 0
        self._until = 0.0

    @cached_property
    def _wanted(self) -> set[str]:
        """What is looked for: what single answers before the search violate needs no series."""
        return set(WANTED) - violated(self._before)

    def raise_if_over(self) -> None:
        """Raise SearchEnded if no further call may be made to shrink a series."""
        session = self.service.session
        over = len(self.service.record) >= self._most or session.clock.seconds() > self._until
        if self.requirement and (over or session.journal.spent >= session.target.budget.max_created):
            raise SearchEnded

    def is_shown(self, calls: list[Exchange]) -> bool:
        """Tell whether a series shows a violation: the first one that a series has shown."""
        places = {exchange.id: place for place, exchange in enumerate(calls)}
        found = [
            (violation.requirement, places[shown.id])
            for violation, shown in violations_of(calls, self.service.record.in_order())
            if violation.requirement in WANTED and violation.requirement in self._wanted
        ]
        if found and not self.requirement:
            self.requirement = found[0][0]
            self._most = len(self.service.record) + self._spare
            self._until = self.service.session.clock.seconds() + SECONDS
        last = next((place for requirement, place in found if requirement == self.requirement), None)
        if last is not None and not 0 < len(self.shown) <= last + 1:
            self.shown = calls[: last + 1]
        return last is not None


def violations_of(
    calls: Sequence[Exchange], exchanges: list[Exchange]
) -> Iterator[tuple[RequirementViolated, Exchange]]:
    """Yield what calls of a run violate, each with the call that shows it.

    A request that is lost violates more than the answer to its deletion; other answers are judged each by itself. A
    token may have expired: what a 401 means is no matter of the series.
    """
    if not calls:
        return
    known, own = Facts.of(exchanges), {each.id for each in calls}
    for life in known.ledger.lives.values():
        if (missing := life.lost) is not None and missing.id in own:
            yield loss(life, missing), missing
    for each in calls:
        if each.response is not None and each.response.status == UNAUTHORIZED.status:
            continue
        for violation in judge(each, known).violations:
            yield violation, each
