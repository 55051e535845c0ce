"""The trace of a run: its exchanges and the results of its scenarios. It makes no call, and knows no secret."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from conformance.facts.world import Facts
from conformance.model.errors import NotDecided
from conformance.model.exchange import EARLIER, Exchange, Operation
from conformance.model.run_record import Conditions
from conformance.model.target import Target
from conformance.model.verdict import Blame


class Exchanges:
    """The exchanges of a run, of one that goes on or of one that is over."""

    exchanges: Sequence[Exchange]
    """All exchanges, in the order of the calls, so that parallel calls have the caller's order."""

    def in_order(self) -> list[Exchange]:
        """Return the exchanges so far."""
        return list(self.exchanges)

    def answered(self, operation: Operation, *statuses: int) -> list[Exchange]:
        """Return the exchanges of one operation with one of `statuses` (any, without statuses), in their order.

        An answer that is superseded does not count; that of the repetition does. Those of an earlier run are left out.
        """
        mine = (each for each in self.in_order() if each.operation is operation and each.counts)
        return [each for each in mine if each.check != EARLIER and (not statuses or each.status in statuses)]


@dataclass(eq=False)
class Trace(Exchanges):
    """What a run recorded, as its evidence holds it: every verdict is a function of it."""

    exchanges: Sequence[Exchange]
    """All exchanges, in the order of the calls."""
    target: Target
    """The target, with the options of the run and without its credentials."""
    results: Mapping[str, Any] = field(default_factory=dict)
    """What each scenario returned, by its name."""
    ends: Mapping[str, Exception] = field(default_factory=dict)
    """The exception that ended each scenario which returned nothing, by its name."""
    named: Mapping[str, Sequence[Exchange]] = field(default_factory=dict)
    """The exchanges that each of these names, by the name of the scenario."""
    conditions: Conditions = field(default_factory=Conditions)
    """The rest of what the run knew: how long it went on, and why it ended."""
    consulted: list[Exchange] = field(default_factory=list)
    """The exchanges that the check which runs was given, asked for, or rests on: evidence of its verdict."""

    @cached_property
    def facts(self) -> Facts:
        """What the exchanges show together."""
        return Facts.of(self.exchanges, empty=self.target.account_is_empty)

    def answered(self, operation: Operation, *statuses: int) -> list[Exchange]:
        """Return the same exchanges, and note them as consulted."""
        found = super().answered(operation, *statuses)
        self.consulted.extend(found)
        return found

    def time_is_up(self) -> NotDecided:
        """Return the exception for what was not tested because the run ended before."""
        interrupted = NotDecided("The run was interrupted before the calls for this.", blame=Blame.CONFIGURATION)
        return self.conditions.time_is_up or interrupted

    def result(self, scenario: str) -> Any:
        """Return what a scenario returned, and note the exchanges that it names as consulted.

        Raise what ended it, or NotDecided if the run ended before it.
        """
        self.consulted.extend(self.named.get(scenario, ()))
        if (error := self.ends.get(scenario)) is not None:
            raise error
        if scenario not in self.results:
            raise NotDecided(f"The run ended without the calls for this ({scenario}).", blame=Blame.CONFIGURATION)
        return self.results[scenario]
