"""The exchanges of a finding in the order of the run: who called what, and how the service answered."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass

from conformance.model.exchange import Exchange, Operation
from conformance.model.findings import Finding
from conformance.reports import exchange_text

PER_FINDING = 3
HISTORY = 4
"""Earlier calls about the same data request that are shown, beside its creation."""


@dataclass(frozen=True)
class Call:
    """An exchange of a finding; None if the evidence lacks it."""

    id: str
    decisive: bool
    said: str
    """The words of the step that it is, if it is one."""
    exchange: Exchange | None
    after: float
    """Seconds after the first call of the timeline."""
    in_full: bool
    """Whether the page shows it here, and not elsewhere."""


class Timelines:
    """The exchanges of all findings. The page shows each exchange in full once; `shown` are the ids of these.

    A card shows each exchange in full that decides it, because paper has no others. `decisive` are those of all cards.
    """

    def __init__(self, exchanges: Sequence[Exchange], decisive: Collection[str] = ()) -> None:
        self._exchanges = {each.id: each for each in exchanges}
        self._decisive = decisive
        self.shown: set[str] = set()

    def of(self, findings: Collection[Finding[str]], *, card: bool = False) -> list[Call]:
        """Return the calls of `findings`, for a `card` also earlier ones about the same data request."""
        steps = {step.exchange: step.text for finding in findings for step in finding.steps}
        named = [each for finding in findings for each in finding.exchanges[:PER_FINDING]]
        decisive = [each for each in map(decisive_of, findings) if each]
        first = self._exchanges.get(decisive[0]) if decisive else None
        earlier = history(self._exchanges.values(), first) if card and first is not None and not steps else []
        ids = dict.fromkeys([*steps, *(each.id for each in earlier), *named])
        found = {id: each for id, each in self._exchanges.items() if id in ids}
        start = min((each.started for each in found.values()), default=None)
        calls = []
        for id in [*found, *(each for each in ids if each not in found)]:
            exchange = found.get(id)
            is_new = exchange is not None and id not in self.shown
            in_full = is_new and (id not in self._decisive or (card and id in decisive))
            if in_full:
                self.shown.add(id)
            after = (exchange.started - start).total_seconds() if exchange and start else 0
            calls.append(Call(id, id in decisive, steps.get(id, ""), exchange, after, in_full))
        return calls


def history(exchanges: Iterable[Exchange], decisive: Exchange) -> list[Exchange]:
    """Return the creation of the data request that a call is about, and the last calls to it before that one."""
    if decisive.operation not in (Operation.READ, Operation.DELETE):
        return []
    before = (each for each in exchanges if each.number < decisive.number and each.intent.request != "clean-up")
    about = [each for each in before if decisive.request_id in (each.request_id, _created_by(each))]
    return [*about[:1], *about[1:][-HISTORY:]]


def _created_by(exchange: Exchange) -> object:
    return exchange.member("requestId") if exchange.operation is Operation.CREATE else None


def decisive_of(finding: Finding[str]) -> str:
    """Return the id of the exchange that decides `finding`: the first that it names, or that of its last step."""
    steps = [step.exchange for step in finding.steps]
    return next(iter([*finding.exchanges, *reversed(steps)]), "")


def is_sequence(calls: Collection[Call]) -> bool:
    """Tell whether `calls` are different ones, so that their order matters, and no repetitions of one."""
    exchanges = [call.exchange for call in calls if call.exchange]
    kinds = {(exchange_text.called(each).partition("?")[0], exchange_text.outcome(each)) for each in exchanges}
    return len(kinds) > 1 or any(call.said for call in calls)
