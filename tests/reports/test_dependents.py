from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
import report_samples as samples
from report_samples import typed

from conformance.model.findings import Finding
from conformance.model.report import Report
from conformance.model.verdict import Outcome, Verdict
from conformance.reports import dependents, html, junit, markdown, sarif, summary, summary_page
from conformance.reports.har import exchanges_of
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


def test_a_passing_report_begins_with_what_was_not_tested() -> None:
    report = samples.data(samples.report(Outcome.CONFORMS))
    for row in report["requirements"]:
        row["decided_by"] = "An option." if row["verdict"] == Verdict.NOT_APPLICABLE else ""
    ids = [row["id"] for row in report["requirements"] if row["decided_by"]]

    assert [(each.decided_by, [row.id for row in each.rows]) for each in dependents.untested(typed(report))] == [
        ("An option.", ids)
    ]
    page = html.render(typed(report), exchanges_of(samples.evidence()))
    assert page.index("Not tested in this run, and how to test it") < page.index("</header>")
    assert "- `An option.` would decide" in markdown.render(typed(report))
    assert "An option." not in summary_page.render(typed(report), [], "ab12")


@pytest.mark.parametrize("outcome", [Outcome.DOES_NOT_CONFORM, Outcome.INCONCLUSIVE])
def test_other_reports_do_not(outcome: Outcome) -> None:
    assert dependents.untested(typed(samples.data(samples.report(outcome)))) == []
