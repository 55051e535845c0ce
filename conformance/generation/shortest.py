"""The property of every search for series of calls: the judge. The shortest series that violates it is kept."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Final
from unittest import SkipTest

from conformance.client.api import Api
from conformance.facts.world import Facts
from conformance.model.error_table import UNAUTHORIZED
from conformance.model.errors import NotDecided, RequirementViolated
from conformance.model.exchange import Exchange
from conformance.rules.judge import judge, violated
from conformance.rules.requests import loss

WANTED: Final = ("3-removed", "4.3-answers-ok")
"""What a series of calls shows."""

SECONDS: Final = 30.0
"""Seconds that a run may use to shrink a series."""


class SearchEnded(SkipTest):
    """Ends a search of hypothesis at once: hypothesis does not repeat a skipped test."""

    def __init__(self) -> None:
        super().__init__("there was enough")


class Shown(Exception):
    """Tells hypothesis that a series shows a violation."""


@dataclass
class Series:
    """What series of calls show."""

    shown: list[tuple[str, Exchange]] = field(default_factory=list)
    """The calls of the shortest series that shows a violation, in words, each with its exchange; the last shows it."""
    requirement: str = ""
    """What it violates; the check judges it."""
    undecided: NotDecided | None = None
    """Why the run made no further series."""


class Shortest:
    """Judges series of calls, and keeps the shortest one that shows the first violation."""

    def __init__(self, service: Api, result: Series, spare: int) -> None:
        """Keep it in `result`; `spare` exchanges may shrink it, ten times as many in a thorough run."""
        self.service = service
        self.result = result
        self._spare = spare * service.session.target.budget.times
        # What single answers before violate needs no series.
        self._wanted = set(WANTED) - violated(service.record.in_order())
        self._most = 0
        self._until = 0.0

    @property
    def is_shrinking(self) -> bool:
        """Whether a series has shown a violation."""
        return bool(self._most)

    def raise_if_over(self) -> None:
        """Raise SearchEnded if no further call may be made to shrink a series."""
        session = self.service.session
        over = len(self.service.record) >= self._most or session.clock.seconds() > self._until
        if self.is_shrinking and (over or session.journal.spent >= session.target.budget.max_created):
            raise SearchEnded

    def is_shown(self, calls: list[tuple[str, Exchange]]) -> bool:
        """Tell whether a series shows a violation: the first one that a series has shown."""
        places = {exchange.id: place for place, (_, exchange) in enumerate(calls)}
        found = [
            (violation.requirement, places[shown.id])
            for violation, shown in violations_of([each for _, each in calls], self.service.record.in_order())
            if violation.requirement in self._wanted
        ]
        if found and not self.is_shrinking:
            self.result.requirement = found[0][0]
            self._most = len(self.service.record) + self._spare
            self._until = self.service.session.clock.seconds() + SECONDS
        last = next((place for requirement, place in found if requirement == self.result.requirement), None)
        if last is not None and not 0 < len(self.result.shown) <= last + 1:
            self.result.shown = calls[: last + 1]
        return last is not None


def violations_of(
    calls: Sequence[Exchange], exchanges: list[Exchange]
) -> Iterator[tuple[RequirementViolated, Exchange]]:
    """Yield what calls of a run violate, each with the call that shows it.

    A request that is lost violates more than the answer to its deletion; other answers are judged each by itself. A
    token may have expired: what a 401 means is no matter of the series.
    """
    known, own = Facts.of(exchanges), {each.id for each in calls}
    for life in known.ledger.lives.values():
        if (missing := life.lost) is not None and missing.id in own:
            yield loss(life, missing), missing
    for each in calls:
        if each.response is not None and each.response.status == UNAUTHORIZED.status:
            continue
        for violation in judge(each, known).violations:
            yield violation, each
