"""A report that conforms says in one paragraph what a conforming service may still do; no other report does."""

from __future__ import annotations

import io
from collections.abc import Callable

import pytest
import report_samples as samples
from report_samples import typed
from rich.console import Console
from summary_pages import text_of

from conformance.model.report import Report
from conformance.model.verdict import Outcome, Verdict
from conformance.reports import html, open_matters, summary_page, terminal

SEEN = {
    "4.1-empty-array": (samples.finding(Verdict.OBSERVED, message="An empty array: 400."),),
    "5-isolation": (samples.finding(Verdict.OBSERVED, message="Another user could not read the request."),),
}


def printed(report: Report) -> str:
    console = Console(file=(file := io.StringIO()), width=80, color_system=None)
    terminal.print_summary(console, report, [])
    return " ".join(file.getvalue().split())


VIEWS: dict[str, Callable[[Report], str]] = {
    "terminal": printed,
    "report.html": lambda report: text_of(html.render(report, samples.exchanges())),
    "summary.html": lambda report: text_of(summary_page.render(report, samples.exchanges(), "ab12")),
}


@pytest.mark.parametrize("view", VIEWS)
def test_a_report_that_conforms_says_what_it_does_not_say(view: str) -> None:
    report = typed(samples.data(samples.report(Outcome.CONFORMS, findings=SEEN)))
    text = VIEWS[view](report)
    number = sum(any(each.verdict is Verdict.OBSERVED for each in row.findings) for row in report.requirements)
    assert "What the specification leaves open, a conforming service may do in any way." in text
    assert f"The run observed {number} such matters, which decided nothing." in text
    named = "5-isolation" if view == "terminal" else "whether one user can read or delete a request of another user"
    assert named in text.partition("such matters, which decided nothing")[2]


@pytest.mark.parametrize("view", VIEWS)
@pytest.mark.parametrize("outcome", [Outcome.DOES_NOT_CONFORM, Outcome.INCONCLUSIVE])
def test_no_other_report_does(view: str, outcome: Outcome) -> None:
    text = VIEWS[view](typed(samples.data(samples.report(outcome, findings=SEEN))))
    assert "a conforming service may do" not in text


def test_the_gravest_are_those_in_which_an_alert_is_possible() -> None:
    matters = open_matters.observed(typed(samples.data(samples.report(Outcome.CONFORMS, findings=SEEN))))
    gravest = {each.id for each in open_matters.gravest(matters)}
    assert {"4.1-empty-array", "5-isolation"} <= {each.id for each in matters}
    assert "5-isolation" in gravest
    assert "4.1-empty-array" not in gravest
