"""Statements of people about requirements that no client can decide. They change no verdict and no number."""

from __future__ import annotations

from typing import TYPE_CHECKING

from conformance.model.printable import clip
from conformance.model.verdict import Verdict
from conformance.reports import statements

if TYPE_CHECKING:
    from conformance.model.report import Attestation, Report


def attestable(report: Report) -> list[str]:
    """Return the ids of the requirements that no client can decide, and not those that the run merely left out."""
    rows = report.requirements
    left_out = report.scope.left_out
    return [row.id for row in rows if row.verdict == Verdict.NOT_TESTED and row.id not in left_out]


def attestation_of(report: Report, requirement: str) -> Attestation | None:
    """Return the attestation for a requirement, or None."""
    return next((each for each in report.attestations if each.requirement == requirement), None)


def words(attestation: Attestation, length: int = 1000) -> str:
    """Return what views say, with at most `length` characters of the statement: escape it."""
    by = f"Attested by {clip(attestation.name, statements.NAME)} on {attestation.date}"
    return f"{statements.words(by, attestation, length)} The suite did not test this."
