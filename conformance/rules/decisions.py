"""Decisions: what the single exchanges of a run decide, requirement by requirement."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from conformance.facts.due import due
from conformance.facts.world import Facts
from conformance.model.deviations import deviations
from conformance.model.errors import RequirementViolated, describe
from conformance.model.exchange import ErrorKind, Exchange
from conformance.model.probe import must_answer
from conformance.rules.guards import Run, doubt
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
        self.run = run = Run(facts)
        self._decided: defaultdict[str, Decided] = defaultdict(Decided)
        shapes: defaultdict[tuple[object, ...], list[tuple[Exchange, RequirementViolated]]] = defaultdict(list)
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
                shapes[violation.requirement, what, doubt(exchange, run)].append((exchange, violation))
        for shape, cases in sorted(shapes.items(), key=_clearness):
            exchanges = sorted((exchange for exchange, _ in cases), key=_plainness)
            violation = next(violation for exchange, violation in cases if exchange is exchanges[0])
            self._decided[str(shape[0])].shown.append((violation, exchanges))
        for violation, exchanges in silences(facts.exchanges):
            self._decided[violation.requirement].shown.append((violation, exchanges))

    def __getitem__(self, requirement: str) -> Decided:
        return self._decided.get(requirement, Decided())

    def __iter__(self) -> Iterator[str]:
        return iter(self._decided)

    def __len__(self) -> int:
        return len(self._decided)


def _plainness(exchange: Exchange) -> tuple[int, int]:
    """Return the sort key of an exchange: first ordinary calls, and of equally ordinary ones the smallest."""
    return deviations(exchange), len(exchange.request.body) + len(exchange.request.url)


def _clearness(
    shape: tuple[tuple[object, ...], list[tuple[Exchange, RequirementViolated]]],
) -> tuple[bool, tuple[int, int]]:
    """Return the sort key of a kind of violation: first those that nothing else explains, by the plainest calls."""
    (_, _, doubtful), cases = shape
    return doubtful is not None, min(_plainness(exchange) for exchange, _ in cases)


def silences(exchanges: Sequence[Exchange]) -> list[Shown]:
    """Return the violations by calls that have to be refused, and to which the service closes the connection twice.

    The second time is on a connection of its own. The service answers other calls between two of these closures, and
    closes the connection to no valid call beside them: otherwise it was out of service.
    """
    by_id = {each.id: each for each in exchanges}
    found: dict[str, tuple[int, list[Exchange]]] = {}
    for again in filter(_is_silent, exchanges):
        first, required = by_id.get(again.repeats), due(again)
        if first is None or not _is_silent(first) or not required.must_refuse:
            continue
        if required.status is not None and not _out_of_service(first, again, exchanges):
            found.setdefault(required.by, (required.status, []))[1].extend((again, first))
    return [
        (_silence(requirement, status, shown[0]), shown)
        for requirement, (status, shown) in found.items()
        if _answers_between(shown, exchanges)
    ]


def _silence(requirement: str, status: int, again: Exchange) -> RequirementViolated:
    return RequirementViolated(
        f"The service closes the connection without an answer to {describe(again)}, again on a connection of its "
        f"own, and answers other calls: {status} is due.",
        requirement=requirement,
        expected=f"status {status}",
        actual="no answer: the connection was closed twice",
        probe=must_answer(status),
    )


def _is_silent(exchange: Exchange) -> bool:
    return exchange.error is ErrorKind.CLOSED and exchange.response is None


def _out_of_service(first: Exchange, again: Exchange, exchanges: Sequence[Exchange]) -> bool:
    """Tell whether a valid call was closed too, with no answer to any call between it and these two."""
    answers = [each.finished for each in exchanges if each.response is not None]
    since = max((end for end in answers if end <= first.began), default=float("-inf"))
    until = min((end for end in answers if end >= again.finished), default=float("inf"))
    return any(_is_silent(each) and due(each).must_accept and since <= each.finished <= until for each in exchanges)


def _answers_between(silences: Sequence[Exchange], exchanges: Sequence[Exchange]) -> bool:
    """Tell whether the service answered a call between two of these closures."""
    first, last = min(each.finished for each in silences), max(each.began for each in silences)
    return any(each.response is not None and first <= each.began and each.finished <= last for each in exchanges)
