from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
import report_samples as samples
from report_samples import typed
from rich.console import Console

from conformance.model.findings import Finding
from conformance.model.report import Report
from conformance.model.results import RequirementResult
from conformance.model.verdict import Outcome, Verdict
from conformance.reports import dependents, github, html, junit, markdown, sarif, summary, summary_page, terminal
from conformance.reports.problems import Standing, by_standing
from conformance.trace.har import exchanges_of

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


def test_the_summary_says_how_many_of_them_are_mandatory_as_its_head_counts_them() -> None:
    report = blocked()
    recommended = next(row for row in report["requirements"] if row["level"] == "should")
    recommended |= {"verdict": "inconclusive", "blocked_by": [X], "reason": f"Not tested because {X} failed."}

    page = summary_page.render(typed(report), [], "ab12")

    assert "1 not tested because of a failure" in page
    assert "2 requirements could not be tested because of it. 1 of them is mandatory." in page


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


def test_under_a_waived_failure_it_stands_for_itself() -> None:
    report = samples.waived_data(blocked(), X)

    assert {row.id for group in summary.undecided(typed(report)) for row in group.rows} == {Y, FREE}
    assert dependents.blocked_by(typed(report), [X]) == []


def test_every_view_folds_it_under_the_failure() -> None:
    report = blocked()
    page = html.render(typed(report), exchanges_of(samples.evidence()))
    results = {each["ruleId"]: each for each in sarif.document(typed(report))["runs"][0]["results"]}

    assert page.index("Fix this first") < page.index('class="lines"')
    assert f"{WHY}</li>" in page
    assert WHY not in page[: page.index("</header>")]
    assert markdown.render(typed(report)).count(WHY) == 0
    assert f"  - 1 requirement could not be tested because of it. {Y}" in markdown.render(typed(report))
    assert "1 requirement could not be tested because of it." in summary_page.render(typed(report), [], "ab12")
    assert f'<skipped message="Not tested because {X} failed.">' in junit.render(typed(report))
    assert results[X]["properties"]["blocks"] == [Y]
    assert "blocks" not in results["2.3-termsOfService"]["properties"]


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


def test_what_could_not_be_tested_because_of_a_folded_failure_stands_under_the_beginning_too() -> None:
    report = folded()
    rows = tuple(
        replace(row, verdict=Verdict.INCONCLUSIVE, blocked_by=(LAST,)) if row.id == FREE else row
        for row in report.requirements
    )

    assert ids(dependents.blocked_by(replace(report, requirements=rows), [ORIGIN])) == [FREE]


def test_nothing_is_shown_under_a_waived_failure() -> None:
    report = folded(waived=ORIGIN)

    assert dependents.following(report, [ORIGIN]) == []
    assert ids(dependents.following(report, [NEXT])) == [LAST]


def test_a_circle_in_a_report_from_elsewhere_ends() -> None:
    report = folded(circle=True)

    assert html.render(report, [])
    assert len(by_standing(report)[Standing.FAILED]) == 3


def test_every_view_folds_a_failure_under_the_one_from_which_it_follows_and_counts_it(
    capsys: pytest.CaptureFixture[str],
) -> None:
    report = folded()
    page = html.render(report, [])
    terminal.print_summary(Console(width=200), report, [])
    printed = capsys.readouterr().out
    results = {each["ruleId"]: each for each in sarif.document(report)["runs"][0]["results"]}

    more, before = "2 more failures probably follow from it.", f"Probably follows from {ORIGIN}."
    assert "3 failed" in summary.numbers_sentence(report)
    assert page.count('<article class="card fail">') == 3
    assert (
        page.index(f'id="fail-{ORIGIN}"') < page.index(more, page.index("</header>")) < page.index(f'id="fail-{NEXT}"')
    )
    assert "Failed (3)" in printed
    assert f"{more} " in printed
    assert f"Wrong: {NEXT}." not in printed
    assert f"  - **{NEXT}** {before} " in markdown.render(report).replace("\\", "")
    assert f"<p>{before}</p>" in summary_page.render(report, [], "ab12")
    assert f"<p>{more}</p>" in summary_page.render(report, [], "ab12")
    assert junit.render(report).count("<failure") == 3
    assert before in junit.render(report)
    assert results[NEXT]["properties"]["followsFrom"] == ORIGIN
    assert "followsFrom" not in results[ORIGIN]["properties"]
    assert github.commands(report).count("::error title=Failed") == 1
    assert more in github.commands(report)


def test_a_passing_report_begins_with_what_was_not_tested() -> None:
    report = samples.data(samples.report(Outcome.CONFORMS))
    for row in report["requirements"]:
        row["decided_by"] = "An option." if row["verdict"] == Verdict.NOT_APPLICABLE else ""
    untested = [row["id"] for row in report["requirements"] if row["decided_by"]]

    assert [(each.decided_by, ids(each.rows)) for each in dependents.untested(typed(report))] == [
        ("An option.", untested)
    ]
    page = html.render(typed(report), exchanges_of(samples.evidence()))
    assert page.index("Not tested in this run, and how to test it") < page.index("</header>")
    assert "- `An option.` would decide" in markdown.render(typed(report))
    assert "An option." not in summary_page.render(typed(report), [], "ab12")


@pytest.mark.parametrize("outcome", [Outcome.DOES_NOT_CONFORM, Outcome.INCONCLUSIVE])
def test_other_reports_do_not(outcome: Outcome) -> None:
    assert dependents.untested(typed(samples.data(samples.report(outcome)))) == []
