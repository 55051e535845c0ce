"""The words of a finding in the output of pytest. They may quote the target: the caller removes the secrets."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from conformance.model.curl import curl
from conformance.model.errors import describe, in_words
from conformance.model.exchange import Exchange
from conformance.model.findings import Finding
from conformance.model.requirements import Requirement
from conformance.reports import basis
from conformance.reports.again import BEFORE

_SHOWN = 5
"""Exchanges of a finding that the text shows."""


def fields(row: Requirement, finding: Finding[Exchange] | None, start: str) -> Iterator[tuple[str, str]]:
    """Yield requirement, basis, finding, what `start`s the application of the calls, and calls, by their names."""
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


def text(named: Mapping[str, str], exchanges: int) -> str:
    """Return these parts, a line for each, of a finding with so many exchanges."""
    first = ("requirement", "level", "message")
    lines = [f"{named['requirement']} ({named['level']}): {named['message']}"]
    lines += [f"  {name}: {value}" for name, value in named.items() if name not in first]
    return "\n".join([*lines, *([f"  … and {exchanges - _SHOWN} more"] if exchanges > _SHOWN else [])])
