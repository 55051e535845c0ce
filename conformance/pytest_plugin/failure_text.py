"""The words of a finding in the output of pytest. They may quote the target: the caller removes the secrets."""

from __future__ import annotations

from collections.abc import Iterator

from conformance.model.curl import curl
from conformance.model.errors import describe, in_words
from conformance.model.exchange import Exchange
from conformance.model.findings import Finding
from conformance.model.requirements import Requirement
from conformance.reports import basis
from conformance.reports.again import BEFORE

_SHOWN = 5
"""Exchanges of a finding that the text shows."""


def text(row: Requirement, finding: Finding[Exchange], start: str) -> str:
    """Return requirement, basis, finding, what `start`s the application of the calls, and calls, a line for each."""
    return "\n".join(_lines(row, finding, start))


def reason(row: Requirement, finding: Finding[Exchange]) -> str:
    """Return why a check is skipped, and what to do."""
    return " ".join(filter(None, (f"{row.id} is {finding.verdict}: {finding.message}", finding.remedy)))


def fields(row: Requirement, finding: Finding[Exchange] | None, start: str) -> Iterator[tuple[str, str]]:
    """Yield the parts by their names."""
    yield "requirement", row.id
    yield "level", row.level.value
    yield "basis", basis.rests_on(basis.of_catalogue(row))
    if finding is None:
        return
    yield "message", finding.message
    for name, value in (("expected", finding.expected), ("actual", finding.actual)):
        if value:
            yield name, value
    if remedy := finding.remedy or row.remedy:
        yield "fix", remedy
    if raised := [each.raised for each in finding.exchanges if each.raised]:
        yield "server", raised[0]
    if start and finding.exchanges:
        yield BEFORE, start
    for exchange in finding.exchanges[:_SHOWN]:
        yield exchange.id, f"{curl(exchange) or describe(exchange)}  # {in_words(exchange)}"


def _lines(row: Requirement, finding: Finding[Exchange], start: str) -> Iterator[str]:
    named = dict(fields(row, finding, start))
    yield f"{named.pop('requirement')} ({named.pop('level')}): {named.pop('message')}"
    yield from (f"  {name}: {value}" for name, value in named.items())
    if (more := len(finding.exchanges) - _SHOWN) > 0:
        yield f"  … and {more} more"
