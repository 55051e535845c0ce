from __future__ import annotations

from dataclasses import replace
from typing import Any

import report_samples as samples
from report_samples import typed

from conformance.model.findings import Finding
from conformance.model.report import Report
from conformance.model.results import RequirementResult
from conformance.model.verdict import Verdict
from conformance.reports import dependents, html, summary
from conformance.reports.problems import Standing, by_standing

X, Y, FREE = "4.2-object", "4.2-agrees-with-creation", "8-completed-do-not-count"
WHY = "The body of the reading is no object."


def blocked() -> dict[str, Any]:
    """Return the data of a run in which X failed, Y therefore was not tested, and another has a reason of its own."""
    found: dict[str, tuple[Finding[str], ...]] = {
        X: (samples.finding(Verdict.FAIL, message="The body of a reading is an array.", exchanges=("e5",)),),
        Y: (samples.finding(Verdict.INCONCLUSIVE, message=WHY, exchanges=()),),
        FREE: (samples.finding(Verdict.INCONCLUSIVE, message="No time was left.", exchanges=()),),
        "2.3-termsOfService": (samples.finding(Verdict.FAIL, message="It is no URL."),),
    }
    sample: Report = samples.report(findings=found)
    rows = tuple(
        replace(row, blocked_by=(X,), reason=f"Not tested because {X} failed.") if row.id == Y else row
        for row in sample.requirements
    )
    return samples.data(replace(sample, requirements=rows))


def test_what_most_depends_on_is_to_be_fixed_first() -> None:
    first = dependents.first_fix(typed(blocked()))

    assert first is not None
    assert (first.row.id, [row.id for row in first.blocked]) == (X, [Y])


def test_a_dependent_requirement_weighs_less_than_one_with_a_reason_of_its_own() -> None:
    report = blocked()

    assert [row.id for group in summary.undecided(typed(report)) for row in group.rows] == [FREE]
    assert [problem.id for problem in by_standing(typed(report))[Standing.UNDECIDED]] == [FREE]
    assert "1 not tested because of a failure" in summary.numbers_sentence(typed(report))
    assert "1 inconclusive" in summary.numbers_sentence(typed(report))


ORIGIN, NEXT, LAST = "5.1-accepts-bearer", "4.3-answers-ok", "3-removed"


def folded(*, circle: bool = False, waived: str = "") -> Report:
    """Return a report in which LAST follows from NEXT and NEXT from ORIGIN; with a circle, ORIGIN from LAST too."""
    before = {NEXT: ORIGIN, LAST: NEXT} | ({ORIGIN: LAST} if circle else {})
    found = {
        id: (samples.finding(Verdict.FAIL, message=f"Wrong: {id}.", exchanges=(f"e{number}",)),)
        for number, id in enumerate((ORIGIN, NEXT, LAST), 1)
    }
    sample: Report = samples.report(findings=found)
    rows = tuple(
        replace(row, follows_from=(before[row.id],) if row.id in before else (), waived=row.id == waived)
        for row in sample.requirements
    )
    return replace(sample, requirements=rows)


def ids(rows: list[RequirementResult]) -> list[str]:
    return [row.id for row in rows]


def test_a_failure_is_shown_under_the_one_at_the_beginning() -> None:
    report = folded()
    by_id = {row.id: row for row in report.requirements}

    assert [dependents.origin(report, by_id[id]) for id in (ORIGIN, NEXT, LAST)] == ["", ORIGIN, ORIGIN]
    assert set(ids(dependents.following(report, [ORIGIN]))) == {NEXT, LAST}
    assert dependents.following(report, [NEXT]) == []


def test_nothing_is_shown_under_a_waived_failure() -> None:
    report = folded(waived=ORIGIN)

    assert dependents.following(report, [ORIGIN]) == []
    assert ids(dependents.following(report, [NEXT])) == [LAST]


def test_a_circle_in_a_report_from_elsewhere_ends() -> None:
    report = folded(circle=True)

    assert html.render(report, [])
    assert len(by_standing(report)[Standing.FAILED]) == 3
