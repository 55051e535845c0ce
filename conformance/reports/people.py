"""What people stated after a run. It stands beside its requirement or finding, and changes no verdict and no number.

An attestation is about a requirement that no client can decide; a reply is the organisation's answer to a finding.
Names, statements and documents come from the user: escape the words.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from conformance.model.printable import clip
from conformance.model.verdict import Verdict

if TYPE_CHECKING:
    from conformance.model.report import Attestation, Reply, Report

_END: Final = ". \n"
_NAME, _STATEMENT = 100, 1000
"""Characters of a name and of a statement that views show."""


def attestable(report: Report) -> list[str]:
    """Return the ids of the requirements that no client can decide, and not those that the run merely left out."""
    rows = report.requirements
    return [row.id for row in rows if row.verdict == Verdict.NOT_TESTED and row.id not in report.scope.left_out]


def answerable(report: Report) -> list[str]:
    """Return the ids of the requirements with a finding to answer: a failure, a warning or an alert."""
    return [
        row.id
        for row in report.requirements
        if any(each.alert or each.verdict in (Verdict.FAIL, Verdict.WARN) for each in row.findings)
    ]


def attestation_of(report: Report, requirement: str) -> str:
    """Return in words what was stated about a requirement, or ""."""
    given = next((each for each in report.attestations if each.requirement == requirement), None)
    if given is None:
        return ""
    by = f"Attested by {clip(given.name, _NAME)} on {given.date}"
    return f"{by}: {_words(given)} The suite did not test this."


def reply_to(report: Report, requirement: str) -> str:
    """Return in words what was answered to the findings of a requirement, and whether it is signed, or ""."""
    return next((replied(each) for each in report.replies if each.requirement == requirement), "")


def replied(reply: Reply) -> str:
    """Return a reply in words."""
    key = f"Signed with the key {clip(reply.key, _NAME)}; 'verify' checks it." if reply.key else "Not signed."
    return f"{clip(reply.name, _NAME)} replied on {reply.date}: {_words(reply)} {key}"


def _words(given: Attestation) -> str:
    document = given.document
    proof = f" (document {clip(document.name, _NAME)}, SHA-256 {document.sha256})" if document else ""
    return f"{clip(given.statement.rstrip(_END), _STATEMENT)}{proof}."
