"""Every view shows what was found about unscored requirements, marked, and no view counts it as a failure."""

from __future__ import annotations

import io
import json
from typing import Any

import pytest
import report_samples as samples
from report_samples import typed
from rich.console import Console

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
    summary_page,
    terminal,
)
from conformance.trust import statement

MUST, OPEN, PENDING = "4.3-answers-ok", "5-isolation", "8-limit-enforced"


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


def test_the_data_are_valid() -> None:
    assert samples.errors_of(samples.unscored()) == []


def test_nothing_is_red_in_the_views_of_pipelines() -> None:
    report = typed(samples.unscored())
    suite = junit.tree(report).find("testsuite")
    assert suite is not None

    assert (suite.get("failures"), suite.get("errors")) == ("0", "0")
    skipped = {case.get("name"): case.find("skipped") for case in suite.iter("testcase")}
    said = {
        name: skip.get("message") for name, skip in skipped.items() if skip is not None and name in samples.UNSCORED
    }
    assert said == {
        MUST: "unscored, fail: The new check failed.",
        OPEN: "unscored, observed: The new alert.",
        PENDING: "unscored, inconclusive: The new one is open.",
    }
    assert "::error" not in github.commands(report)
    levels = {result["ruleId"]: result["level"] for result in sarif.document(report)["runs"][0]["results"]}  # type: ignore[index]
    assert {levels[id] for id in samples.UNSCORED} == {"note"}
    severities = {issue["check_name"]: issue["severity"] for issue in code_quality.issues(report)}
    assert {severities[id] for id in samples.UNSCORED} == {"info"}


def test_a_signed_statement_names_the_set_and_counts_only_what_is_scored() -> None:
    made = statement.statement(samples.unscored(), b'{"files": {}}')["predicate"]

    assert made["drsiRun"]["set"] == "2026-1"
    assert (made["result"], made["failedTests"]) == ("PASSED", [])


@pytest.mark.parametrize("view", VIEWS)
def test_hostile_findings_break_no_view(view: str) -> None:
    assert VIEWS[view](samples.unscored(samples.HOSTILE))
