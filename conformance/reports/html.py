"""The conformance report: one HTML page that is complete without JavaScript or network, safe against hostile text."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from difflib import SequenceMatcher
from functools import cache, partial

from markupsafe import Markup

from conformance.model.clauses import TITLES, heading_of
from conformance.model.examples import examples
from conformance.model.exchange import Exchange
from conformance.model.findings import Finding
from conformance.model.printable import clip
from conformance.model.report import Report
from conformance.model.results import RequirementResult
from conformance.model.score import MEASURES
from conformance.model.text import odds
from conformance.model.verdict import Verdict
from conformance.reports import again, dependents, outcome, summary
from conformance.reports.exchange_text import milliseconds_of
from conformance.reports.failures import with_findings
from conformance.reports.pages import digest, page, styled
from conformance.reports.problems import Problem, Standing, by_standing, first_fix
from conformance.reports.separation import condition_of
from conformance.reports.timeline import PER_FINDING, Call, Timelines, decisive_of, is_sequence

IDS_SHOWN = 12
"""Exchanges that a requirement names on the page; it states the number of all."""

STATES = {
    "fail": ("Failed", "The service violates a requirement. The report contains the exchange that shows it."),
    "waived": ("Waived", "The service violates a requirement, and a waiver in force accepts it."),
    "unscored": ("Unscored", "The set of the run does not list the requirement, so what was found decides nothing."),
    "warn": ("Warning", "The service does not meet a recommendation."),
    "inconclusive": ("Inconclusive", "The run could not decide it. The report states the reason and the fix."),
    "observed": ("Not specified", "The specification leaves it open. The report states what this service does."),
    "pass": ("Passed", "The run tested it, and the service meets it."),
    "not-applicable": ("Not applicable", "The service gives no opportunity to test it. The report states the reason."),
    "not-tested": ("Not tested", "A client cannot decide it. The report states the reason."),
    "left-out": ("Left out", "This run did not select it."),
    "alert": ("Alert", "A serious observation in a matter that the specification leaves open."),
}
"""Word and meaning of each state of a requirement, as shown."""

_HEX = re.compile(r"[0-9a-f]{32}")

Pieces = list[tuple[bool, str]]
"""A text in pieces, each with whether the other text lacks it."""


@dataclass
class Card:
    """Requirements with one cause, the worst first, and the calls that show it."""

    parts: list[Problem]
    calls: list[Call]
    following: list[Card] = field(default_factory=list)
    """The failures that probably follow from these."""

    @property
    def state(self) -> str:
        """That of its worst requirement."""
        return self.parts[0].state


def render(report: Report, exchanges: Sequence[Exchange]) -> str:
    """Return the page for `report`, with those of its `exchanges` that its findings name."""
    # Only text with nothing to escape reaches the script, so that its digest stays true.
    script = page("script.js")
    return styled(
        "report.html",
        "style.css",
        "print.css",
        target=report.target.base_url,
        run=summary.run_id(report),
        **_contents(report, exchanges),
        script=Markup(script),  # noqa: S704 our own file
        script_digest=digest(script),
    )


def _contents(report: Report, exchanges: Sequence[Exchange]) -> dict[str, object]:
    found = by_standing(report)
    on_cards = {
        "alerts": found[Standing.ALERT],
        "broken": [*found[Standing.FAILED], *found[Standing.WARNING]],
        "waived": found[Standing.WAIVED],
        "unscored": found[Standing.UNSCORED],
    }
    decisive = {decisive_of(each.finding) for problems in on_cards.values() for each in problems}
    timelines = Timelines(exchanges, decisive)

    def cards(problems: list[Problem]) -> list[Card]:
        # The failures of a card come first.
        groups = [sorted(group, key=lambda each: each.state != "fail") for group in by_cause(problems)]
        calls = (timelines.of([each.finding for each in group], card=True) for group in groups)
        return _folded(report, list(map(Card, groups, calls)))

    states = [(row, state_of(report, row)) for row in report.requirements]
    clauses: dict[str, list[tuple[RequirementResult, str]]] = {}
    for row, state in states:
        clauses.setdefault(heading_of(row.clause), []).append((row, state))
    first = first_fix(report)
    observed = with_findings(report, lambda _, finding: finding.verdict is Verdict.OBSERVED)
    shown = {name: cards(problems) for name, problems in on_cards.items()}
    return {
        **shown,
        "listed": [card for card in shown["broken"] if not _shows_only(card, first)],
        "undecided": [(group, timelines.of([group.finding])) for group in summary.undecided(report)],
        "report": report,
        "matters": outcome.open_matters(report),
        "first": first,
        "untested": dependents.untested(report),
        "observed": [(row, found, timelines.of(found)) for row, found in observed],
        "clauses": clauses,
        "titles": TITLES,
        "states": STATES,
        "tally": Counter(state for _, state in states),
        "operations": list(_operations(exchanges)),
        "identifiers": report.identifiers,
        "in_page": timelines.shown,
        "bit_image": bit_image,
        "odds": odds,
        "per_finding": PER_FINDING,
        "ids_shown": IDS_SHOWN,
        "examples": examples(),
        "measures": MEASURES,
        "to_start": again.to_start(report.run.options, report.target.base_url),
        "evidence_of": _evidence_of,
        "calls_of": timelines.of,
        "is_sequence": is_sequence,
        "difference": difference,
        "condition_of": partial(condition_of, report, exchanges),
        "script_of": _scripts(report, exchanges),
    }


def _scripts(report: Report, exchanges: Sequence[Exchange]) -> Callable[..., str | None]:
    """Return what makes the script of a finding. A report without failures needs none, and loads no module for it."""

    @cache
    def script() -> Callable[..., str | None]:
        from conformance.reports.scripts import reproduction
        from conformance.reports.scripts.calls import Recorded

        return partial(reproduction.script, report, Recorded(exchanges))

    return lambda *finding: script()(*finding)


def state_of(report: Report, row: RequirementResult) -> str:
    """Return the state of a requirement in the list of all."""
    if row.waived:
        return "waived"
    return "unscored" if summary.unscored_findings(row) else summary.shown_verdict(report, row)


def _shows_only(card: Card, first: Problem | None) -> bool:
    """Tell whether a card says no more than what stands under "Fix this first"."""
    return first is not None and card.state == first.state and [part.row.id for part in card.parts] == [first.row.id]


def _folded(report: Report, cards: list[Card]) -> list[Card]:
    """Return the cards, of which each stands in the one from whose requirements its own probably follow."""
    holder = {part.row.id: card for card in cards for part in card.parts}
    left: list[Card] = []
    for card in cards:
        origins = [dependents.origin(report, part.row) for part in card.parts]
        inside = holder.get(origins[0]) if all(origins) else None
        (left if inside is None or inside is card else inside.following).append(card)
    return left


def by_cause(problems: list[Problem]) -> list[list[Problem]]:
    """Return `problems` in groups of one cause, each group at the place of its first one.

    Two requirements have one cause if the same exchange decides the first finding of both, with the same deviation,
    such as null. A further finding may rest on another response, and that response is not what its card shows.
    """
    causes: dict[tuple[str, str], list[Problem]] = {}
    for each in problems:
        decisive = decisive_of(each.finding) or each.id  # what no exchange decides stands for itself
        causes.setdefault((decisive, _deviation(each.finding)), []).append(each)
    return list(causes.values())


def _deviation(finding: Finding[str]) -> str:
    """Return what was received instead, without its values: the strings "3" and "4" are one deviation."""
    return re.sub(r'"[^"]*"|\d+', "…", finding.actual or finding.message)


_LENGTH = 1000
_ALIKE = 0.4
"""Share of the shorter text's words that both have, below which two values differ as a whole."""

_WORD = re.compile(r"[-+]?\w+(?:[-+.:@']\w+)*|\s+|[^\w\s]")
"""A word, a number, a moment or an identifier; white space; or another character."""


def difference(expected: str, actual: str) -> tuple[Pieces, Pieces]:
    """Return both texts in pieces, word by word; nothing differs where there is only one text."""
    texts = clip(expected, _LENGTH), clip(actual, _LENGTH)
    if not all(texts):
        return [(False, texts[0])], [(False, texts[1])]
    left, right = (_WORD.findall(text) for text in texts)
    opcodes = SequenceMatcher(None, left, right, autojunk=False).get_opcodes()
    common = [word for tag, start, end, _, _ in opcodes if tag == "equal" for word in left[start:end]]
    if _size(common) < _ALIKE * min(_size(left), _size(right)):
        return [(True, texts[0])], [(True, texts[1])]
    return (
        [(tag != "equal", "".join(left[start:end])) for tag, start, end, _, _ in opcodes if start < end],
        [(tag != "equal", "".join(right[start:end])) for tag, _, _, start, end in opcodes if start < end],
    )


def _size(words: list[str]) -> int:
    return sum(not word.isspace() for word in words)


def _evidence_of(row: RequirementResult) -> list[str]:
    """Return the ids of the exchanges that decided `row`, or else of those that its findings name."""
    named = dict.fromkeys(each for finding in row.findings for each in finding.exchanges)
    return list(row.evidence.exchanges or named)


def _operations(exchanges: Sequence[Exchange]) -> Iterator[dict[str, object]]:
    """Yield the calls of each operation: their outcomes, the most frequent first, and latencies in milliseconds."""
    groups: dict[str, list[Exchange]] = {}
    for exchange in exchanges:
        groups.setdefault(exchange.operation.call if exchange.operation else "other", []).append(exchange)
    for name, group in sorted(groups.items()):
        times = sorted(map(milliseconds_of, group))
        yield {
            "name": name,
            "outcomes": Counter(each.error or str(each.status) for each in group).most_common(),
            "median": times[len(times) // 2],
            "p95": times[min(len(times) - 1, len(times) * 95 // 100)],
            "longest": times[-1],
        }


def bit_image(ids: Sequence[str]) -> str:
    """Return the path of an SVG of 128 columns that draws the ones of each identifier, the most significant bit first.

    A text that is no UUID has an empty row. About 20 KB for 64 identifiers.
    """
    digits = [each.replace("-", "").lower() for each in ids]
    rows = {place: f"{int(each, 16):0128b}" for place, each in enumerate(digits) if _HEX.fullmatch(each)}
    return "".join(
        f"M{ones.start()} {place}.5h{len(ones[0])}" for place in rows for ones in re.finditer("1+", rows[place])
    )
