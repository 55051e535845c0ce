"""Every view shows what was found about unscored requirements, marked, and no view counts it as a failure."""

from __future__ import annotations

import csv
import io
import json
from typing import Any

import pytest
import report_samples as samples
from report_samples import finding, typed
from rich.console import Console

from conformance.evidence import statement
from conformance.model.results import alerts_of, summarise
from conformance.model.verdict import Outcome, Verdict
from conformance.reports import (
    code_quality,
    ctrf,
    github,
    html,
    junit,
    markdown,
    pytest_page,
    sarif,
    spreadsheet,
    summary,
    summary_page,
    terminal,
)

MUST, OPEN, PENDING = "4.3-answers-ok", "5-isolation", "8-limit-enforced"
FOUND = {
    MUST: (finding(Verdict.FAIL, message="The new check failed."),),
    OPEN: (finding(Verdict.OBSERVED, message="The new alert.", alert=True),),
    PENDING: (finding(Verdict.INCONCLUSIVE, message="The new one is open."),),
}


def data(text: str = "") -> dict[str, Any]:
    """Return the data of a run that conforms, with three unscored requirements."""
    found = {
        id: tuple(finding(each.verdict, text, message=each.message, alert=each.alert) for each in of)
        for id, of in FOUND.items()
    }
    values = samples.data(samples.report(Outcome.CONFORMS, findings=found))
    for row in values["requirements"]:
        row["scored"] = row["id"] not in FOUND
    rows = typed(values).requirements
    traffic = {"exchanges": 212, "created": 31, "deleted": 31, "not_found": 0, "left_behind": 0}
    sample = samples.replace(
        typed(values),
        summary=summarise(rows, **traffic),
        alerts=alerts_of(rows),
        scope=samples.Scope(set="2026-1"),
        requirements=rows,
    )
    return samples.data(sample)


def printed(values: dict[str, Any]) -> str:
    file = io.StringIO()
    terminal.print_summary(Console(file=file, width=200), typed(values), [])
    return file.getvalue()


VIEWS = {
    "terminal": printed,
    "html": lambda values: html.render(typed(values), []),
    "summary": lambda values: summary_page.render(typed(values), [], "sha256:0"),
    "markdown": lambda values: markdown.render(typed(values)),
    "junit": lambda values: junit.render(typed(values)),
    "sarif": lambda values: json.dumps(sarif.document(typed(values))),
    "pytest-html": lambda values: pytest_page.render(typed(values), []),
    "ctrf": lambda values: json.dumps(ctrf.document(typed(values))),
    "csv": lambda values: spreadsheet.render(typed(values)),
    "github": lambda values: github.commands(typed(values)),
    "code quality": lambda values: json.dumps(code_quality.issues(typed(values))),
    "report.json": json.dumps,
}
WITHOUT_A_HEAD = ("csv", "code quality")


def test_the_data_are_valid() -> None:
    assert samples.errors_of(data()) == []


@pytest.mark.parametrize("view", VIEWS)
def test_each_view_shows_the_failure_marked_as_unscored(view: str) -> None:
    shown = VIEWS[view](data())

    assert MUST in shown
    words = "report.html has the findings" if view == "summary" else "The new check failed."
    assert words in shown
    assert "scored" in shown.lower()


@pytest.mark.parametrize("view", [each for each in VIEWS if each not in WITHOUT_A_HEAD])
def test_each_head_names_the_set(view: str) -> None:
    assert "2026-1" in VIEWS[view](data()).replace("\\", "")


def test_the_sentence_on_the_set_says_what_is_not_scored() -> None:
    total = samples.ROWS - 3

    assert summary.set_sentence(typed(data())) == (
        f"Set 2026-1: {total} requirements scored; 3 are unscored, which decides nothing."
    )
    assert summary.set_sentence(samples.report()) == ""


def test_nothing_is_red_in_the_views_of_pipelines() -> None:
    report = typed(data())
    suite = junit.tree(report).find("testsuite")
    assert suite is not None

    assert (suite.get("failures"), suite.get("errors")) == ("0", "0")
    skipped = {case.get("name"): case.find("skipped") for case in suite.iter("testcase")}
    said = {name: skip.get("message") for name, skip in skipped.items() if skip is not None and name in FOUND}
    assert said == {
        MUST: "unscored, fail: The new check failed.",
        OPEN: "unscored, observed: The new alert.",
        PENDING: "unscored, inconclusive: The new one is open.",
    }
    assert "::error" not in github.commands(report)
    levels = {result["ruleId"]: result["level"] for result in sarif.document(report)["runs"][0]["results"]}  # type: ignore[index]
    assert {levels[id] for id in FOUND} == {"note"}
    severities = {issue["check_name"]: issue["severity"] for issue in code_quality.issues(report)}
    assert {severities[id] for id in FOUND} == {"info"}


def test_the_table_has_a_column_of_it() -> None:
    rows = list(csv.DictReader(io.StringIO(spreadsheet.render(typed(data())))))

    assert {row["id"] for row in rows if row["unscored"] == "yes"} == set(FOUND)
    assert {row["id"]: row["alert"] for row in rows}[OPEN] == ""


def test_the_page_lists_it_apart_and_says_why() -> None:
    page = html.render(typed(data()), [])

    assert '<h3 id="unscored">Unscored</h3>' in page
    assert f'id="unscored-{MUST}"' in page
    assert "The set 2026-1 does not list it, so its fail decides nothing." in page
    assert '<h3 id="broken">' not in page
    assert '<h3 id="alerts">' not in page


def test_a_signed_statement_names_the_set_and_counts_only_what_is_scored() -> None:
    made = statement.statement(data(), b'{"files": {}}')["predicate"]

    assert made["drsiRun"]["set"] == "2026-1"
    assert (made["result"], made["failedTests"]) == ("PASSED", [])


@pytest.mark.parametrize("view", VIEWS)
def test_hostile_findings_break_no_view(view: str) -> None:
    assert VIEWS[view](data(samples.HOSTILE))
