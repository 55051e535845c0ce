"""Decisions: what the single exchanges of a run decide, requirement by requirement."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from conformance.facts.due import due
from conformance.facts.world import Facts
from conformance.model.deviations import deviations
from conformance.model.errors import RequirementViolated, describe, must_answer
from conformance.model.exchange import ErrorKind, Exchange
from conformance.rules.guards import doubt
from conformance.rules.judge import decidable, judge

EVERY_EXCHANGE = "every exchange of the run"
"""The name of the check of these findings."""

Shown = tuple[RequirementViolated, list[Exchange]]
"""A violation, with the exchanges that show it, the plainest first."""


@dataclass
class Decided:
    """What the exchanges of a run decide of one requirement, each by itself."""

    shown: list[Shown] = field(default_factory=list)
    """The kinds of violations, the clearest first."""
    kept: list[Exchange] = field(default_factory=list)
    """The exchanges whose answers keep the requirement."""
    crash: Exception | None = None
    """The crash of the judge at an exchange that could decide the requirement."""

    def raise_violation(self) -> None:
        """Raise the clearest violation, which has all others, if there is one; else the crash of the judge."""
        if self.shown:
            clearest, *others = (replace(violation, exchanges=exchanges) for violation, exchanges in self.shown)
            raise replace(clearest, others=others)
        if self.crash is not None:
            raise self.crash


class Decisions(Mapping[str, Decided]):
    """What the exchanges of a run decide, by requirement; nothing of one that no exchange decides."""

    def __init__(self, facts: Facts) -> None:
        self.facts = facts
        self._decided: defaultdict[str, Decided] = defaultdict(Decided)
        shapes: defaultdict[tuple[str, str, str], list[tuple[Exchange, RequirementViolated]]] = defaultdict(list)
        for exchange in facts.exchanges:
            try:
                judgement = judge(exchange, facts)
            except Exception as crash:
                for requirement in decidable(exchange.operation) if exchange.operation else ():
                    self._decided[requirement].crash = self._decided[requirement].crash or crash
                continue
            for requirement in judgement.kept:
                self._decided[requirement].kept.append(exchange)
            for violation in judgement.violations:
                what = f"{exchange.operation} {violation.path} {violation.actual}"
                # An answer that something else may explain takes nothing from those that it does not explain.
                cause = doubt(exchange, facts)
                explained = "" if cause is None else cause.message
                shapes[violation.requirement, what, explained].append((exchange, violation))
        for cases in shapes.values():
            cases.sort(key=lambda case: plainness(case[0]))
        # Those that nothing else explains come first.
        clearest = sorted(shapes.items(), key=lambda shape: (shape[0][2] != "", plainness(shape[1][0][0])))
        for (requirement, _, _), cases in clearest:
            self._decided[requirement].shown.append((cases[0][1], [exchange for exchange, _ in cases]))
        for violation, exchanges in silences(facts.exchanges):
            self._decided[violation.requirement].shown.append((violation, exchanges))

    def __getitem__(self, requirement: str) -> Decided:
        return self._decided.get(requirement, Decided())

    def __iter__(self) -> Iterator[str]:
        return iter(self._decided)

    def __len__(self) -> int:
        return len(self._decided)


def plainness(exchange: Exchange) -> tuple[int, int]:
    """Return the sort key of an exchange: first ordinary calls, and of equally ordinary ones the smallest."""
    return deviations(exchange), len(exchange.request.body) + len(exchange.request.url)


def silences(exchanges: Sequence[Exchange]) -> list[Shown]:
    """Return the violations by calls that have to be refused, and to which the service closes the connection twice.

    The second time is on a connection of its own. The service answers other calls between two of these closures, and
    closes the connection to no valid call beside them: otherwise it was out of service.
    """
    silent = {each.id: each for each in exchanges if each.error is ErrorKind.CLOSED and each.response is None}
    answered = [each for each in exchanges if each.response is not None]
    valid = [each.finished for each in silent.values() if due(each).must_accept]
    closures: dict[str, list[Exchange]] = {}
    for again in silent.values():
        first, required = silent.get(again.repeats), due(again)
        if first is not None and required.must_refuse:
            since = max((each.finished for each in answered if each.finished <= first.began), default=float("-inf"))
            until = min((each.finished for each in answered if each.finished >= again.finished), default=float("inf"))
            if not any(since <= end <= until for end in valid):
                closures.setdefault(required.by, []).extend((again, first))
    shown = []
    for requirement, calls in closures.items():
        since, until = min(each.finished for each in calls), max(each.began for each in calls)
        status = due(calls[0]).status
        if status is not None and any(since <= each.began and each.finished <= until for each in answered):
            violation = RequirementViolated(
                f"The service closes the connection without an answer to {describe(calls[0])}, again on a connection "
                f"of its own, and answers other calls: {status} is due.",
                requirement=requirement,
                expected=f"status {status}",
                actual="no answer: the connection was closed twice",
                probe=must_answer(status),
            )
            shown.append((violation, calls))
    return shown
