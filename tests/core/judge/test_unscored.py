"""Unscored requirements decide nothing: neither the outcome nor a number, whatever was found."""

from __future__ import annotations

from dataclasses import replace

import pytest
import report_samples as samples
from report_samples import finding

from conformance.judge.verdicts import outcome_of
from conformance.model.report import Report
from conformance.model.results import alerts_of, summarise
from conformance.model.verdict import Exit, Outcome, Verdict
from conformance.reports.exit_code import exit_code, new_failures

MUST, SHOULD, OPEN = "4.3-answers-ok", "2.1-requestId-version", "5-isolation"
ALERT = finding(Verdict.OBSERVED, alert=True)


def report(*unscored: str, strict: bool = False, fail_on: tuple[str, ...] = (), **findings: Verdict) -> Report:
    """Return a run with findings on must, should or open, in which those named are unscored."""
    names = {"must": MUST, "should": SHOULD, "open": OPEN}
    found = {names[name]: (finding(verdict),) for name, verdict in findings.items()}
    if "open" in findings:
        found[OPEN] = (ALERT,)
    sample = samples.report(findings=found, strict=strict, fail_on=fail_on)
    rows = tuple(replace(row, scored=row.id not in unscored) for row in sample.requirements)
    traffic = {"exchanges": 1, "created": 0, "deleted": 0, "not_found": 0, "left_behind": 0}
    outcome = outcome_of(rows, sample.scope, complete=True, left_behind=0, strict=strict, fail_on=fail_on)
    return replace(
        sample,
        requirements=rows,
        outcome=outcome,
        scope=replace(sample.scope, set="2026-1"),
        summary=summarise(rows, **traffic),
        alerts=alerts_of(rows),
    )


CASES = {
    "fail": (MUST, {"must": Verdict.FAIL}, {}),
    "inconclusive": (MUST, {"must": Verdict.INCONCLUSIVE}, {}),
    "strict": (SHOULD, {"should": Verdict.WARN}, {"strict": True}),
    "alert": (OPEN, {"open": Verdict.OBSERVED}, {"fail_on": ("alerts",)}),
    "named alert": (OPEN, {"open": Verdict.OBSERVED}, {"fail_on": (OPEN,)}),
}


@pytest.mark.parametrize(("id", "findings", "how"), CASES.values(), ids=CASES)
def test_an_unscored_requirement_changes_neither_outcome_nor_exit_code(id, findings, how) -> None:  # type: ignore[no-untyped-def]
    without, found = report(id, **how), report(id, **how, **findings)

    assert (found.outcome, exit_code(found)) == (Outcome.CONFORMS, Exit.CONFORMS)
    assert found.summary == without.summary
    assert found.alerts == ()
    assert samples.errors_of(samples.data(found)) == []


def test_a_baseline_takes_an_unscored_failure_neither_as_new_nor_as_known() -> None:
    sound, unscored, failed = report(), report(MUST, must=Verdict.FAIL), report(must=Verdict.FAIL)

    assert new_failures(unscored, sound) == []
    assert new_failures(failed, unscored) == [MUST]
    assert exit_code(report(MUST, must=Verdict.INCONCLUSIVE), sound) is Exit.CONFORMS
