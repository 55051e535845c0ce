"""Unscored requirements decide nothing: neither the outcome nor a number, whatever was found."""

from __future__ import annotations

from dataclasses import replace
from datetime import date

import pytest
import report_samples as samples
from report_samples import finding

from conformance.judge.verdicts import outcome_of, undeclared
from conformance.judge.waivers import applied
from conformance.model.report import Report
from conformance.model.results import Waiver, alerts_of, summarise
from conformance.model.verdict import Exit, Outcome, Verdict
from conformance.reports.comparison import OTHER, WORSE, compare
from conformance.reports.exit_code import exit_code, new_failures

MUST, SHOULD, OPEN, LANGUAGE = "4.3-answers-ok", "2.1-requestId-version", "5-isolation", "7-language-not-supported"
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
    "not-applicable": (MUST, {"must": Verdict.NOT_APPLICABLE}, {}),
    "not-tested": (MUST, {"must": Verdict.NOT_TESTED}, {}),
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


@pytest.mark.parametrize("case", ["fail", "inconclusive", "strict", "alert"])
def test_the_same_decides_where_it_is_scored(case: str) -> None:
    _, findings, how = CASES[case]

    assert report(**how, **findings).outcome is not Outcome.CONFORMS


def test_a_pass_of_unscored_requirements_alone_conforms_to_nothing() -> None:
    everything = [row.id for row in samples.report().requirements]

    assert report(*everything).outcome is Outcome.INCONCLUSIVE


def test_the_numbers_count_only_what_is_scored() -> None:
    summary, whole = report(MUST).summary, report().summary

    assert (summary.unscored, whole.unscored) == (1, 0)
    assert (summary.must.testable, summary.must.decided) == (whole.must.testable - 1, whole.must.decided - 1)
    assert sum(summary.verdicts.values()) == sum(whole.verdicts.values()) - 1


def test_an_unscored_requirement_without_a_language_makes_no_part() -> None:
    rows = report().requirements

    assert LANGUAGE in undeclared(rows)
    assert LANGUAGE not in undeclared(replace(row, scored=row.id != LANGUAGE) for row in rows)


def test_no_waiver_of_an_unscored_requirement_is_stale() -> None:
    waiver = Waiver(requirement=MUST, reason="r", owner="o", expires="2099-01-01")
    how = {"today": date(2026, 11, 26), "strict": False, "fail_on": (), "whole": True}

    rows, (state,) = applied(report(MUST, must=Verdict.FAIL).requirements, [waiver], **how)  # type: ignore[arg-type]

    assert (state.state, any(row.waived for row in rows)) == ("in-force", False)


def test_a_baseline_takes_an_unscored_failure_neither_as_new_nor_as_known() -> None:
    sound, unscored, failed = report(), report(MUST, must=Verdict.FAIL), report(must=Verdict.FAIL)

    assert new_failures(unscored, sound) == []
    assert new_failures(failed, unscored) == [MUST]
    assert exit_code(report(MUST, must=Verdict.INCONCLUSIVE), sound) is Exit.CONFORMS


def test_compare_calls_no_unscored_requirement_worse() -> None:
    sound, failed = report(MUST), report(MUST, must=Verdict.FAIL)

    (change,) = compare(sound, failed).changes
    assert (change.kind, change.after) == (OTHER, "fail (unscored)")
    (scored,) = compare(failed, report(must=Verdict.FAIL)).changes
    assert (scored.kind, scored.before, scored.after) == (WORSE, "fail (unscored)", "fail")
