"""The conformance report: one HTML page without JavaScript or network access, safe against text from the service."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from functools import cache
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined

from conformance.model.score import MEASURES
from conformance.model.text import clip, count, odds, printable
from conformance.model.verdict import Verdict
from conformance.reports import summary
from conformance.reports.bit_image import bit_image
from conformance.reports.clauses import TITLES, heading_of
from conformance.reports.exchange_text import ExchangeText, exchange_text

EXCHANGES_PER_FINDING = 3

VERDICTS = {
    "fail": ("Fail", "The service violates a requirement. The report contains the exchange that shows it."),
    "warn": ("Warn", "The service does not meet a recommendation."),
    "inconclusive": ("Inconclusive", "The run could not decide it. The report states the reason and what to do."),
    "observed": ("Observed", "Not specified. The report states what this service does, which is never a fault."),
    "pass": ("Pass", "The run tested it, and the service meets it."),
    "not-applicable": ("Not applicable", "The service offers nothing to test it on. The report states the reason."),
    "not-tested": ("Not tested", "A client cannot decide it. The report states the reason."),
    "left-out": ("Left out", "This run did not select it."),
}
"""Word and meaning of each verdict, as shown."""


@dataclass(frozen=True)
class Shown:
    """An exchange of a finding; `text` is None if the page shows it elsewhere or the evidence lacks it."""

    id: str
    recorded: bool
    text: ExchangeText | None


def render(report: dict[str, Any], evidence: dict[str, Any]) -> str:
    """Return the page for `report`, with the exchanges of `evidence` that its findings name."""
    show = _Exchanges(evidence)
    page = (
        _environment()
        .get_template("report.html")
        .render(
            report=report,
            headline=summary,
            verdicts=VERDICTS,
            words=VERDICTS | {"alert": ("Alert", "")},
            word=VERDICTS.__getitem__,
            shown_verdict=lambda row: summary.shown_verdict(report, row),
            shown_counts=Counter(summary.shown_verdict(report, row) for row in report["requirements"]),
            alerts=_cards(summary.alerts(report), show),
            fails=_cards(summary.broken(report, Verdict.FAIL), show),
            warns=_cards(summary.broken(report, Verdict.WARN), show),
            undecided=[(group, show.of(group.findings[0])) for group in summary.undecided(report)],
            observed=_cards(summary.broken(report, Verdict.OBSERVED), show),
            groups=_groups(report),
            titles=TITLES,
            traffic=_traffic(evidence),
            identifiers=report.get("identifiers"),
            bit_image=bit_image,
            odds=odds,
            per_finding=EXCHANGES_PER_FINDING,
            measures=MEASURES,
        )
    )
    # Escape the whole page, so that no placeholder is forgotten. The template has no such character itself.
    return printable(page, keep="\n\t")


class _Exchanges:
    """The exchanges of findings. The page shows each one in full once."""

    def __init__(self, evidence: dict[str, Any]) -> None:
        self._evidence = evidence
        self._entries = {entry["_id"]: entry for entry in evidence["log"]["entries"]}
        self._done: set[str] = set()

    def of(self, finding: dict[str, Any]) -> list[Shown]:
        return [self._shown(exchange_id) for exchange_id in finding["exchanges"][:EXCHANGES_PER_FINDING]]

    def _shown(self, exchange_id: str) -> Shown:
        entry = self._entries.get(exchange_id)
        if entry is None or exchange_id in self._done:
            return Shown(exchange_id, entry is not None, None)
        self._done.add(exchange_id)
        return Shown(exchange_id, True, exchange_text(self._evidence, entry))


def _cards(rows: summary.Rows, show: _Exchanges) -> list[dict[str, Any]]:
    return [{"row": row, "findings": [(finding, show.of(finding)) for finding in findings]} for row, findings in rows]


def _groups(report: dict[str, Any]) -> dict[str, list[dict[str, Any]]]:
    groups: dict[str, list[dict[str, Any]]] = {}
    for row in report["requirements"]:
        groups.setdefault(heading_of(row["clause"]), []).append(row)
    return groups


def _traffic(evidence: dict[str, Any]) -> dict[str, list[tuple[str, int]]]:
    """Return for each operation how often each status or failure occurred, the most frequent first."""
    traffic: dict[str, Counter[str]] = {}
    for entry in evidence["log"]["entries"]:
        outcome = entry["_trouble"] or str(entry["response"]["status"])
        traffic.setdefault(entry["_operation"] or "other", Counter())[outcome] += 1
    return {operation: outcomes.most_common() for operation, outcomes in sorted(traffic.items())}


@cache
def _environment() -> Environment:
    environment = Environment(
        loader=PackageLoader("conformance.reports", "templates"),
        autoescape=True,
        undefined=StrictUndefined,
        finalize=_bounded,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters["count"] = count
    return environment


def _bounded(value: object) -> object:
    """Truncate long text from the service. Exchanges come as Markup and are truncated already."""
    return clip(value, 2048) if type(value) is str else value
