"""What follows from a failure, what to fix first, and what a run without failures did not test.

A failure that probably follows from another one is shown under that one, and counts all the same. So is a requirement
that could not be tested because of it.
"""

from __future__ import annotations

from collections.abc import Iterable

from conformance.model.report import Report
from conformance.model.results import RequirementResult as Row
from conformance.model.verdict import Verdict
from conformance.reports.failures import is_conforming
from conformance.reports.language import gettext, ngettext


def is_dependent(report: Report, row: Row) -> bool:
    """Tell whether a failure that the report shows, and no waiver covers, prevented the test of `row`."""
    return bool(row.blocked_by) and _blocker(row, _failed(report)) is not None


def blocked_by(report: Report, ids: Iterable[str]) -> list[Row]:
    """Return the requirements without a test that are shown under one of these failures."""
    wanted, failed, origins = set(ids), _failed(report), _origins(report)
    blockers = ((row, _blocker(row, failed)) for row in report.requirements if row.scored)
    return [row for row, blocker in blockers if blocker is not None and origins.get(blocker, blocker) in wanted]


def following(report: Report, ids: Iterable[str]) -> list[Row]:
    """Return the failures that are shown under one of these."""
    wanted, origins = set(ids), _origins(report)
    return [row for row in report.requirements if origins.get(row.id) in wanted]


def origin(report: Report, row: Row) -> str:
    """Return the failure under which another failure is shown; empty for one that stands for itself."""
    return _origins(report).get(row.id, "") if row.follows_from else ""


def following_sentence(rows: list[Row]) -> str:
    """Return how many failures probably follow from another; empty if none."""
    if not rows:
        return ""
    return ngettext(
        "%(num)s more failure probably follows from it.", "%(num)s more failures probably follow from it.", len(rows)
    )


def origin_sentence(report: Report, row: Row) -> str:
    """Return from which failure another one probably follows; empty if from none."""
    found = origin(report, row)
    return gettext("Probably follows from %(id)s.", id=found) if found else ""


def blocked_sentence(rows: list[Row]) -> str:
    """Return how many requirements a failure prevented from being tested; empty if none."""
    if not rows:
        return ""
    return ngettext(
        "%(num)s requirement could not be tested because of it.",
        "%(num)s requirements could not be tested because of it.",
        len(rows),
    )


def untested(report: Report) -> dict[str, list[Row]]:
    """Return what a run that ends with exit code 0 did not test, by what would decide it; nothing for other runs."""
    if not is_conforming(report):
        return {}
    groups: dict[str, list[Row]] = {}
    selects, wanted = bool(_named(report)), asked(report)
    for row in report.requirements:
        if selects and row not in wanted:
            continue
        left_out = row.id in report.scope.left_out  # the report names these in another sentence
        undecided = row.verdict in (Verdict.NOT_APPLICABLE, Verdict.NOT_TESTED) and row.scored
        if undecided and row.decided_by and not left_out:
            groups.setdefault(row.decided_by, []).append(row)
    return groups


def asked(report: Report) -> list[Row]:
    """Return the requirements that a selection asked for; nothing for a run without a selection."""
    named = _named(report)
    if not named:
        return []
    return [
        row
        for row in report.requirements
        if row.scored
        and row.id not in report.scope.left_out
        and (row.verdict != Verdict.NOT_TESTED or named & {row.id, row.clause})
    ]


def _named(report: Report) -> set[str]:
    """Return the clauses and ids that a selection names."""
    return {*report.scope.only, *report.scope.select}


def _failed(report: Report) -> set[str]:
    rows = (row for row in report.requirements if row.scored and not row.waived)
    return {row.id for row in rows if any(finding.verdict is Verdict.FAIL for finding in row.findings)}


def _origins(report: Report) -> dict[str, str]:
    """Return, for each failure that follows from another, the one at the beginning: it follows from no other."""
    failed = _failed(report)
    nearest = {
        row.id: next((id for id in row.follows_from if id in failed and id != row.id), "")
        for row in report.requirements
        if row.id in failed
    }
    found = {}
    for id in nearest:
        way = [id]
        while (before := nearest[way[-1]]) and before not in way:  # a report from elsewhere may have a circle
            way.append(before)
        if way[1:]:
            found[id] = way[-1]
    return found


def _blocker(row: Row, failed: set[str]) -> str | None:
    """Return the failure under which an inconclusive requirement is shown."""
    if row.verdict != Verdict.INCONCLUSIVE:
        return None
    return next((id for id in row.blocked_by if id in failed), None)
