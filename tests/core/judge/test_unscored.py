"""Unscored requirements decide nothing: neither the outcome nor a number, whatever was found."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
import report_samples as samples
from report_samples import finding

from conformance.judge.verdicts import outcome_of
from conformance.model.report import Report
from conformance.model.results import alerts_of, summarise
from conformance.model.verdict import Exit, Outcome, Verdict
from conformance.reports.exit_code import exit_code, new_failures

MUST, SHOULD, OPEN = "4.3-answers-ok", "2.1-requestId-version", "5-isolation"


def report(id: str, verdict: Verdict | None = None, *, scored: bool = False, **how: Any) -> Report:
    """Return a run with a finding on a requirement, which is unscored."""
    found = {} if verdict is None else {id: (finding(verdict, alert=verdict is Verdict.OBSERVED),)}
    sample = samples.report(findings=found, **how)
    rows = tuple(replace(row, scored=scored or row.id != id) for row in sample.requirements)
    traffic = {"exchanges": 1, "created": 0, "deleted": 0, "not_found": 0, "left_behind": 0}
    return replace(
        sample,
        requirements=rows,
        outcome=outcome_of(rows, sample.scope, complete=True, left_behind=0, **{"strict": False, **how}),
        scope=replace(sample.scope, set="2026-1"),
        summary=summarise(rows, **traffic),
        alerts=alerts_of(rows),
    )


@pytest.mark.parametrize(
    ("id", "verdict", "how"),
    [
        (MUST, Verdict.FAIL, {}),
        (MUST, Verdict.INCONCLUSIVE, {}),
        (SHOULD, Verdict.WARN, {"strict": True}),
        (OPEN, Verdict.OBSERVED, {"fail_on": ("alerts",)}),
        (OPEN, Verdict.OBSERVED, {"fail_on": (OPEN,)}),
    ],
)
def test_an_unscored_requirement_changes_neither_outcome_nor_exit_code(
    id: str, verdict: Verdict, how: dict[str, Any]
) -> None:
    without, found = report(id, **how), report(id, verdict, **how)

    assert (found.outcome, exit_code(found)) == (Outcome.CONFORMS, Exit.CONFORMS)
    assert found.summary == without.summary
    assert found.alerts == ()
    assert samples.errors_of(samples.data(found)) == []


def test_a_baseline_takes_an_unscored_failure_neither_as_new_nor_as_known() -> None:
    sound, unscored, failed = report(MUST), report(MUST, Verdict.FAIL), report(MUST, Verdict.FAIL, scored=True)

    assert new_failures(unscored, sound) == []
    assert new_failures(failed, unscored) == [MUST]
    assert exit_code(report(MUST, Verdict.INCONCLUSIVE), sound) is Exit.CONFORMS
