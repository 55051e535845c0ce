"""What the text formats say of a finding and of its requirement: each part by its label, in one order."""

from __future__ import annotations

from conformance.model.findings import Finding
from conformance.model.report import Report
from conformance.model.results import RequirementResult
from conformance.model.text import count
from conformance.reports import basis, dependents, people, summary
from conformance.reports.problems import Problem, waiver_words

IDS = 12
"""Ids of requirements that a field names."""


def of_finding(report: Report, row: RequirementResult, finding: Finding[str]) -> dict[str, str]:
    """Return what a finding says, and what follows from the failure of its requirement."""
    later, blocked = dependents.following(report, [row.id]), dependents.blocked_by(report, [row.id])
    return summary.labelled(finding) | _without_empty(
        {
            "follow": f"{dependents.following_sentence(later)} {_ids(later)}".strip(),
            "blocks": f"{dependents.blocked_sentence(blocked)} {_ids(blocked)}".strip(),
        }
    )


def grounds(report: Report, row: RequirementResult) -> dict[str, str]:
    """Return on what a requirement rests, and what people said of its failure."""
    unscored = f"the set {report.scope.set} does not list it, so its {row.verdict} decides nothing"
    return basis.fields(report, row) | _without_empty(
        {
            "follows": dependents.origin_sentence(report, row),
            "unscored": "" if row.scored else unscored,
            "waived": waiver_words(report, row) if row.waived else "",
            "reply": people.reply_to(report, row.id),
        }
    )


def further(problem: Problem) -> str:
    """Return how many findings a problem has beside its first; empty without any."""
    others = len(problem.findings) - 1
    return f"{count(others, 'more finding')} about it, in the report" if others else ""


def lines(fields: dict[str, str]) -> list[str]:
    """Return fields as lines, with the message of the finding first and without its label."""
    return [text if label == "finding" else f"{label}: {text}" for label, text in fields.items()]


def all_lines(report: Report, row: RequirementResult, finding: Finding[str]) -> list[str]:
    """Return everything that is said of a finding, as lines."""
    return lines(of_finding(report, row, finding) | grounds(report, row))


def _ids(rows: list[RequirementResult]) -> str:
    return summary.first_ids([row.id for row in rows], IDS)


def _without_empty(fields: dict[str, str]) -> dict[str, str]:
    return {label: text for label, text in fields.items() if text}
