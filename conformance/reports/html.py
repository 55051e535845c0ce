"""The compliance report: one page without JavaScript or network, in which nothing from the target lives."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from functools import cache
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined

from conformance.model.score import MEASURES
from conformance.model.text import clip, count, printable
from conformance.model.verdict import Verdict
from conformance.randomness.evidence import odds
from conformance.reports import digest
from conformance.reports.clauses import TITLES, heading_of
from conformance.reports.exchange_text import ExchangeText, exchange_text
from conformance.reports.picture import picture

EXCHANGES_PER_FINDING = 3

VERDICTS = {
    "fail": ("Fail", "A requirement was broken, and the exchange that shows it is recorded."),
    "warn": ("Warn", "A recommendation was not kept."),
    "inconclusive": ("Inconclusive", "It could not be exercised; the reason and what to do are given."),
    "observed": ("Observed", "The specification leaves it open: what this service does, never a fault."),
    "pass": ("Pass", "Exercised and kept."),
    "not-applicable": ("Not applicable", "The service gave no occasion for it; the reason is given."),
    "not-tested": ("Not tested", "It cannot be decided from outside; the reason is given."),
    "left-out": ("Left out", "It was not asked for in this run."),
}
"""Word and meaning of each verdict, as shown."""


@dataclass(frozen=True)
class Shown:
    """An exchange behind a finding; `text` is None where the page shows it elsewhere, or there is no record of it."""

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
            headline=digest,
            verdicts=VERDICTS,
            words=VERDICTS | {"alert": ("Alert", "")},
            word=VERDICTS.__getitem__,
            shown_verdict=lambda row: digest.shown_verdict(report, row),
            shown_counts=Counter(digest.shown_verdict(report, row) for row in report["requirements"]),
            alerts=_cards(digest.alerts(report), show),
            fails=_cards(digest.broken(report, Verdict.FAIL), show),
            warns=_cards(digest.broken(report, Verdict.WARN), show),
            undecided=[(group, show.of(group.findings[0])) for group in digest.undecided(report)],
            observed=_cards(digest.broken(report, Verdict.OBSERVED), show),
            groups=_groups(report),
            titles=TITLES,
            traffic=_traffic(evidence),
            identifiers=report.get("identifiers"),
            picture=picture,
            odds=odds,
            per_finding=EXCHANGES_PER_FINDING,
            measures=MEASURES,
        )
    )
    # Over the whole page, so that no placeholder can be forgotten; the template has no such character itself.
    return printable(page, keep="\n\t")


class _Exchanges:
    """Hands out the exchanges behind findings, each of them in full once in the page."""

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


def _cards(rows: list[tuple[dict[str, Any], list[dict[str, Any]]]], show: _Exchanges) -> list[dict[str, Any]]:
    return [{"row": row, "findings": [(finding, show.of(finding)) for finding in findings]} for row, findings in rows]


def _groups(report: dict[str, Any]) -> dict[str, list[dict[str, Any]]]:
    groups: dict[str, list[dict[str, Any]]] = {}
    for row in report["requirements"]:
        groups.setdefault(heading_of(row["clause"]), []).append(row)
    return groups


def _traffic(evidence: dict[str, Any]) -> dict[str, list[tuple[str, int]]]:
    """Return, per operation, how often each status or trouble came, the most frequent first."""
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
    """Keep what the target sent from filling the page; exchanges, which come as Markup, are bounded already."""
    return clip(value, 2048) if type(value) is str else value
