"""What a reader of a run has to act on, the worst first: the list that the short formats show."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from conformance.model.findings import Finding
from conformance.model.report import Report
from conformance.model.requirements import catalogue, distances
from conformance.model.results import RequirementResult
from conformance.model.verdict import Verdict
from conformance.reports import dependents, failures, summary
from conformance.reports.language import day, gettext


class Standing(StrEnum):
    """What a problem means for the run, the worst first. Only the first two make it fail."""

    FAILED = "failed"
    UNDECIDED = "inconclusive"
    ALERT = "alert"
    WARNING = "warning"
    WAIVED = "waived"
    UNSCORED = "unscored"


SHOWN: Final = {
    Standing.ALERT: ("Alerts", 10),
    Standing.FAILED: ("Failed", 25),
    Standing.WARNING: ("Recommendations not met", 10),
    Standing.WAIVED: ("Failed and waived", 25),
    Standing.UNSCORED: ("Unscored: decides nothing", 10),
}
"""Heading of each section of a text, and how many requirements it shows: a comment has at most 65,536 characters."""


@dataclass(frozen=True)
class Problem:
    """A requirement with those of its findings that have the same standing."""

    standing: Standing
    row: RequirementResult
    findings: list[Finding[str]]

    @property
    def id(self) -> str:
        """Id of the requirement."""
        return self.row.id

    @property
    def finding(self) -> Finding[str]:
        """The first of its findings."""
        return self.findings[0]

    @property
    def state(self) -> str:
        """How the problem is shown: by its first finding, such as "fail", or because that does not count."""
        if self.standing in (Standing.WAIVED, Standing.UNSCORED):
            return self.standing
        return "alert" if self.finding.alert else self.finding.verdict


def problems(report: Report) -> list[Problem]:
    """Return the problems of a run by their standing, and then in the order of the specification.

    A failure that probably follows from another one stands after that one.
    """
    found: dict[tuple[Standing, str], Problem] = {}
    for row in report.requirements:
        for standing, finding in _standings(report, row):
            found.setdefault((standing, row.id), Problem(standing, row, [])).findings.append(finding)
    rank, place = list(Standing).index, {row.id: number for number, row in enumerate(report.requirements)}
    before = {id: dependents.origin(report, problem.row) for (_, id), problem in found.items()}
    return sorted(
        found.values(), key=lambda each: (rank(each.standing), place[before[each.id] or each.id], bool(before[each.id]))
    )


def by_standing(report: Report) -> dict[Standing, list[Problem]]:
    """Return the problems of each standing."""
    found = problems(report)
    return {standing: [each for each in found if each.standing is standing] for standing in Standing}


def first_fix(report: Report) -> Problem | None:
    """Return what to fix first: the violation on which most others depend, else a warning or alert that was asked for.

    None if nothing failed that is not waived.
    """
    failed = by_standing(report)[Standing.FAILED]
    violated = [each for each in failed if any(finding.verdict is Verdict.FAIL for finding in each.findings)]
    graph = catalogue().needs

    def weight(problem: Problem) -> tuple[int, int]:
        below = dependents.blocked_by(report, [problem.id]), dependents.following(report, [problem.id])
        return sum(map(len, below)), sum(problem.id in distances(graph, id) for id in graph)

    origins = [each for each in violated or failed if not dependents.origin(report, each.row)]
    return max(origins, key=weight, default=None)


def _standings(report: Report, row: RequirementResult) -> list[tuple[Standing, Finding[str]]]:
    if not row.scored:
        return [(Standing.UNSCORED, finding) for finding in summary.unscored_findings(row)]
    fails = Standing.WAIVED if row.waived else Standing.FAILED
    standings = []
    for finding in row.findings:
        if failures.counts_as_failure(report, row, finding):
            standings.append((fails, finding))
        elif finding.alert:
            standings.append((Standing.ALERT, finding))
        elif finding.verdict == Verdict.WARN:
            standings.append((Standing.WARNING, finding))
    undecided = summary.shown_verdict(report, row) == Verdict.INCONCLUSIVE and failures.must_be_decided(report, row)
    if undecided and not dependents.is_dependent(report, row):
        standings += [(Standing.UNDECIDED, finding) for finding in summary.reasons(row, Verdict.INCONCLUSIVE)]
    return standings


def waiver_words(report: Report, row: RequirementResult) -> str:
    """Return why the failures of `row` are waived, by whom, and until when."""
    waivers = failures.waivers_of(report, row)
    return "; ".join(
        gettext("%(reason)s (%(owner)s, until %(date)s)", reason=each.reason, owner=each.owner, date=day(each.expires))
        for each in waivers
    )
