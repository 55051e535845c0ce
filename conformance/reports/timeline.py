"""The exchanges of a finding in the order of the run: who called what, and how the service answered."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime

from conformance.model.exchange import Exchange, Operation
from conformance.model.findings import Finding
from conformance.reports.exchange_text import ExchangeText, Line, exchange_line, exchange_text

PER_FINDING = 3
HISTORY = 4
"""Earlier calls about the same data request that are shown, beside its creation."""

_REQUEST_ID = re.compile(r"/requests/([^/?#]+)$")


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
        first = next(iter(decisive), "")
        earlier = self._history(first) if card and first in self._places and not steps else ()
        ids = dict.fromkeys([*steps, *earlier, *named])
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

    def _history(self, decisive: str) -> list[str]:
        """Return the ids of the creation of the data request that `decisive` is about, and of the last calls to it."""
        place = self._places[decisive]
        found = _REQUEST_ID.search(self._exchanges[place].request.url)
        about = list(self._about(found[1], place)) if found else []
        return [*about[:1], *about[1:][-HISTORY:]]

    def _about(self, request_id: str, before: int) -> Iterator[str]:
        for each in self._exchanges[:before]:
            if each.intent.request == "clean-up":
                continue
            answer = each.response if each.operation is Operation.CREATE else None
            if (answer and request_id.encode() in answer.body) or each.request.url.endswith(f"/requests/{request_id}"):
                yield each.id


def decisive_of(finding: Finding[str]) -> str:
    """Return the id of the exchange that decides `finding`: the first that it names, or that of its last step."""
    steps = [step.exchange for step in finding.steps]
    return next(iter([*finding.exchanges, *reversed(steps)]), "")


def is_sequence(calls: Collection[Call]) -> bool:
    """Tell whether `calls` are different ones, so that their order matters, and no repetitions of one."""
    return any(call.said for call in calls) or len({call.line and call.line.kind for call in calls}) > 1
