"""Alerts: which observations raise one, and what --fail-on makes of it."""

from __future__ import annotations

from dataclasses import replace

import pytest
import whole_runs
from whole_runs import only, row_of, run_over

from conformance.calibration.twins import TWINS
from conformance.calibration.variant import Variant
from conformance.model.findings import Finding
from conformance.model.report import Report
from conformance.model.requirements import catalogue
from conformance.model.verdict import Blame, Exit, Outcome, Verdict
from conformance.reports.exit_code import exit_code
from conformance.run.check import check
from conformance.run.options import Plan

SOME = ("4.4", "5-isolation", "5-existence-shown", "5-token-in-query", "5-token-over-http")


def checked(bend: Variant | None = None, *fail_on: str) -> Report:
    return run_over(bend=bend, plan=replace(only(*SOME), fail_on=fail_on)).report


def finding(report: Report, requirement_id: str) -> Finding[str]:
    row = row_of(report, requirement_id)
    assert row.verdict is Verdict.OBSERVED
    (found,) = row.findings
    return found


def test_the_reference_raises_none() -> None:
    report = checked()

    assert report.alerts == ()
    assert "could not read the request of the first user (404)" in finding(report, "5-isolation").message
    message = finding(report, "5-token-in-query").message
    assert message.startswith("The service does not accept a token in the query (access_token): 401, 401, 401")


def test_users_that_are_not_isolated_raise_one() -> None:
    report = checked(TWINS["users-share-an-organisation"])

    found = finding(report, "5-isolation")
    assert (report.alerts, report.outcome) == (("5-isolation",), Outcome.CONFORMS_IN_PART)
    assert (found.alert, found.blame, len(found.exchanges)) == (True, Blame.TARGET, 4)
    assert found.message.startswith("Another user could read and delete the request of the first user, and it was gone")
    assert found.remedy == catalogue()["5-isolation"].remedy


@pytest.mark.parametrize(
    ("fail_on", "outcome", "code"),
    [
        ((), Outcome.CONFORMS_IN_PART, Exit.CONFORMS),
        (("5-token-in-query",), Outcome.CONFORMS_IN_PART, Exit.CONFORMS),
        (("5-token-in-query", "5-isolation"), Outcome.DOES_NOT_CONFORM, Exit.DOES_NOT_CONFORM),
        (("alerts",), Outcome.DOES_NOT_CONFORM, Exit.DOES_NOT_CONFORM),
    ],
)
def test_an_alert_is_a_failure_where_that_is_asked(fail_on: tuple[str, ...], outcome: Outcome, code: Exit) -> None:
    report = checked(TWINS["users-share-an-organisation"], *fail_on)

    assert (report.outcome, exit_code(report), report.fail_on) == (outcome, code, fail_on)
    assert finding(report, "5-isolation").alert


def test_an_alert_that_was_not_selected_has_no_effect() -> None:
    plan = Plan(select=("4.4",), deselect=only(*SOME).deselect, fail_on=("5-isolation",))

    assert run_over(bend=TWINS["users-share-an-organisation"], plan=plan).report.outcome is Outcome.CONFORMS_IN_PART


def test_an_alert_that_the_catalogue_does_not_declare_is_a_crash_of_the_suite(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(catalogue().rows, "5-isolation", replace(catalogue()["5-isolation"], alert=False))

    with whole_runs.session_over(bend=TWINS["users-share-an-organisation"]) as session:
        report = check(session, only(*SOME), whole_runs.Silent()).report

    (crash,) = report.crashes
    assert crash.requirements == ("5-isolation",)
    assert "5-isolation raised an alert, which the catalogue does not declare" in crash.exception
    assert (report.alerts, report.outcome) == ((), Outcome.INCONCLUSIVE)
