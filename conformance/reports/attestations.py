"""Statements of people about requirements that no client can decide. They change no verdict and no number."""

from __future__ import annotations

from typing import Any

from conformance.model.text import clip
from conformance.model.verdict import Verdict

Attestation = dict[str, Any]

_NAME = 100
"""Characters of a name that views show."""


def attestations(report: dict[str, Any]) -> list[Attestation]:
    """Return the attestations of a report; earlier versions of the suite wrote none."""
    return list(report.get("attestations", ()))


def attestable(report: dict[str, Any]) -> list[str]:
    """Return the ids of the requirements that no client can decide, and not those that the run merely left out."""
    rows = report["requirements"]
    left_out = report["scope"]["left_out"]
    return [row["id"] for row in rows if row["verdict"] == Verdict.NOT_TESTED and row["id"] not in left_out]


def attestation_of(report: dict[str, Any], requirement: str) -> Attestation | None:
    """Return the attestation for a requirement, or None."""
    return next((each for each in attestations(report) if each["requirement"] == requirement), None)


def with_attestations(report: dict[str, Any], given: list[Attestation]) -> dict[str, Any]:
    """Return the report with these attestations, in the order of its requirements, in place of those it has."""
    order = {row["id"]: number for number, row in enumerate(report["requirements"])}
    ordered = sorted(given, key=lambda each: order.get(each["requirement"], len(order)))
    return {**report, "attestations": ordered}


def words(attestation: Attestation, length: int = 1000) -> str:
    """Return what views say, with at most `length` characters of the statement, so that no view cuts off the end.

    The name, the statement and the document come from the user: escape them.
    """
    document = attestation["document"]
    proof = f" (document {clip(document['name'], _NAME)}, SHA-256 {document['sha256']})" if document else ""
    statement = clip(attestation["statement"].rstrip(". \n"), length)
    by = f"Attested by {clip(attestation['name'], _NAME)} on {attestation['date']}"
    return f"{by}: {statement}{proof}. The suite did not test this."
