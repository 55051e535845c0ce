"""The exchanges of a finding in the order of the run: who called what, and how the service answered."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime

from conformance.model.exchange import Exchange, Operation
from conformance.model.findings import Finding
from conformance.reports.exchange_text import ExchangeText, Line, exchange_line, exchange_text

PER_FINDING = 3
HISTORY = 4
"""Earlier calls about the same data request that are shown, beside its creation."""


@dataclass(frozen=True)
class Call:
    """An exchange of a finding. `line` is None if the evidence lacks it, `text` also if the page shows it elsewhere."""

    id: str
    decisive: bool
    said: str
    """The words of the step that it is, if it is one."""
    after: float
    """Seconds after the first call of the timeline."""
    line: Line | None
    text: ExchangeText | None


class Timelines:
    """The exchanges of all findings. The page shows each exchange in full once; `shown` are the ids of these.

    A card shows each exchange in full that decides it, because paper has no others. `decisive` are those of all cards.
    """

    def __init__(self, exchanges: Sequence[Exchange], decisive: Collection[str] = ()) -> None:
        self._exchanges = exchanges
        self._decisive = decisive
        self._places = {exchange.id: place for place, exchange in enumerate(exchanges)}
        self.shown: set[str] = set()

    def of(self, findings: Collection[Finding[str]], *, card: bool = False) -> list[Call]:
        """Return the calls of `findings`, for a `card` also earlier ones about the same data request."""
        steps = {step.exchange: step.text for finding in findings for step in finding.steps}
        named = [each for finding in findings for each in finding.exchanges[:PER_FINDING]]
        decisive = [each for each in map(decisive_of, findings) if each]
        earlier = []
        if card and not steps and decisive and decisive[0] in self._places:
            earlier = history(self._exchanges, self._exchanges[self._places[decisive[0]]])
        ids = dict.fromkeys([*steps, *(each.id for each in earlier), *named])
        in_order = sorted((each for each in ids if each in self._places), key=self._places.__getitem__)
        start = self._exchanges[self._places[in_order[0]]].started if in_order else None
        lacking = (Call(each, each in decisive, steps.get(each, ""), 0, None, None) for each in ids)
        calls = [self._call(each, each in decisive, steps.get(each, ""), start, card) for each in in_order]
        return [*calls, *(call for call in lacking if call.id not in self._places)]

    def _call(self, exchange_id: str, decisive: bool, said: str, start: datetime | None, card: bool) -> Call:
        exchange = self._exchanges[self._places[exchange_id]]
        after = (exchange.started - start).total_seconds() if start else 0
        elsewhere = exchange_id in self.shown or (exchange_id in self._decisive and not (card and decisive))
        text = None if elsewhere else exchange_text(exchange)
        if text:
            self.shown.add(exchange_id)
        return Call(exchange_id, decisive, said, after, exchange_line(exchange), text)


def history(exchanges: Iterable[Exchange], decisive: Exchange) -> list[Exchange]:
    """Return the creation of the data request that a call is about, and the last calls to it before that one."""
    if decisive.operation not in (Operation.READ, Operation.DELETE):
        return []
    before = (each for each in exchanges if each.number < decisive.number and each.intent.request != "clean-up")
    about = [each for each in before if decisive.request_id in (each.request_id, _created_by(each))]
    return [*about[:1], *about[1:][-HISTORY:]]


def _created_by(exchange: Exchange) -> object:
    answer = exchange.response
    return answer.member("requestId") if answer is not None and exchange.operation is Operation.CREATE else None


def decisive_of(finding: Finding[str]) -> str:
    """Return the id of the exchange that decides `finding`: the first that it names, or that of its last step."""
    steps = [step.exchange for step in finding.steps]
    return next(iter([*finding.exchanges, *reversed(steps)]), "")


def is_sequence(calls: Collection[Call]) -> bool:
    """Tell whether `calls` are different ones, so that their order matters, and no repetitions of one."""
    return any(call.said for call in calls) or len({call.line and call.line.kind for call in calls}) > 1
