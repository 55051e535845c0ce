"""The exchanges of a run as its evidence holds them."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from conformance import __version__
from conformance.http.redaction import Redactor, without_secrets
from conformance.model.exchange import Exchange
from conformance.model.report import RequirementResult
from conformance.reports import har


def shown_of(exchanges: Iterable[Exchange], results: Iterable[RequirementResult]) -> list[Exchange]:
    """Return what was sent, and of the rest what findings name: it shows why something could not be decided."""
    findings = [finding for row in results for finding in row.findings]
    steps = (step.exchange for finding in findings for step in finding.steps)
    named = frozenset([*steps, *(one for finding in findings for one in finding.exchanges)])
    return [each for each in exchanges if each.was_sent or each.id in named]


def evidence_of(exchanges: Iterable[Exchange], redactor: Redactor) -> dict[str, Any]:
    """Return the HAR document of exchanges, free of secrets."""
    return har.har([without_secrets(each, redactor) for each in exchanges], suite_version=__version__)
