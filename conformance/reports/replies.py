"""What the audited organisation answered to findings. A reply stands beside its finding and changes no verdict."""

from __future__ import annotations

from typing import TYPE_CHECKING

from conformance.model.printable import clip
from conformance.model.verdict import Verdict
from conformance.reports import statements

if TYPE_CHECKING:
    from conformance.model.report import Reply, Report


def answerable(report: Report) -> list[str]:
    """Return the ids of the requirements with a finding to answer: a failure, a warning or an alert."""
    return [
        row.id
        for row in report.requirements
        if any(each.alert or each.verdict in (Verdict.FAIL, Verdict.WARN) for each in row.findings)
    ]


def reply_to(report: Report, requirement: str) -> str:
    """Return in words what was answered to the findings of a requirement; empty if nothing was."""
    return next((words(each) for each in report.replies if each.requirement == requirement), "")


def words(reply: Reply, length: int = 1000) -> str:
    """Return what views say, with at most `length` characters of the statement, and whether it is signed: escape it."""
    by = f"{clip(reply.name, statements.NAME)} replied on {reply.date}"
    signed = (
        f"Signed with the key {clip(reply.key, statements.NAME)}; 'verify' checks it." if reply.key else "Not signed."
    )
    return f"{statements.words(by, reply, length)} {signed}"
