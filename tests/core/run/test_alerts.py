"""Alerts: which observations raise one, and what --fail-on makes of it."""

from __future__ import annotations

from dataclasses import replace

import pytest
from whole_runs import only, row_of, run_over

from conformance.calibration.twins import TWINS
from conformance.calibration.variant import Variant
from conformance.model.findings import Finding
from conformance.model.report import Report
from conformance.model.verdict import Exit, Outcome, Verdict
from conformance.reports.exit_code import exit_code

SOME = ("4.4", "5-isolation", "5-existence-shown", "5-token-in-query", "5-token-over-http")


def checked(bend: Variant | None = None, *fail_on: str) -> Report:
    return run_over(bend=bend, plan=replace(only(*SOME), fail_on=fail_on)).report


def finding(report: Report, requirement_id: str) -> Finding[str]:
    row = row_of(report, requirement_id)
    assert row.verdict is Verdict.OBSERVED
    (found,) = row.findings
    return found


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
