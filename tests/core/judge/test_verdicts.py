"""The outcome of a run and its exit code: what decides them, that unscored requirements do not, and what is waived."""

from __future__ import annotations

from dataclasses import replace
from datetime import date
from typing import Any

import pytest
import report_samples as samples
from report_samples import finding

from conformance.judge.verdicts import outcome_of
from conformance.judge.waivers import applied
from conformance.model.report import Report
from conformance.model.results import RequirementResult, Waiver
from conformance.model.run_record import RunRecord, Scope
from conformance.model.verdict import Blame, Exit, Outcome, Verdict
from conformance.reports.exit_code import OF_OUTCOME, exit_code, new_failures

MUST, OTHER, SHOULD, OPEN = "4.3-answers-ok", "4.4-object", "2.1-requestId-version", "5-isolation"
ADVICE = "2.3-privacyContactEmail-form"
FAIL, INCONCLUSIVE, WARN, OBSERVED = Verdict.FAIL, Verdict.INCONCLUSIVE, Verdict.WARN, Verdict.OBSERVED


def run_of(verdicts: dict[str, Verdict], *, blame: Blame = Blame.TARGET, **how: Any) -> Report:
    """Return a run in which every requirement is kept, but for those with a verdict; an open one raises an alert."""
    given = {id: (finding(verdict, alert=verdict is OBSERVED, blame=blame),) for id, verdict in verdicts.items()}
    return samples.report(findings=given, **how)


def test_exit_codes_are_those_that_scripts_rely_on() -> None:
    assert {outcome.value: int(code) for outcome, code in OF_OUTCOME.items()} == {
        "conforms": 0,
        "conforms-in-part": 0,
        "conforms-with-waivers": 0,
        "does-not-conform": 1,
        "inconclusive": 3,
    }
    assert (Exit.USAGE, Exit.BROKEN) == (2, 4)


@pytest.mark.parametrize(
    ("verdicts", "how", "expected"),
    [
        ({}, {}, Outcome.CONFORMS),
        ({MUST: FAIL}, {}, Outcome.DOES_NOT_CONFORM),
        ({MUST: INCONCLUSIVE}, {}, Outcome.INCONCLUSIVE),
        ({MUST: Verdict.NOT_APPLICABLE}, {}, Outcome.CONFORMS),
        ({SHOULD: WARN}, {}, Outcome.CONFORMS),
        ({OPEN: INCONCLUSIVE}, {}, Outcome.CONFORMS),
        # strict: a warning counts, unless it is advice, and nothing else does
        ({SHOULD: WARN}, {"strict": True}, Outcome.DOES_NOT_CONFORM),
        ({ADVICE: WARN}, {"strict": True}, Outcome.CONFORMS),
        ({SHOULD: INCONCLUSIVE}, {"strict": True}, Outcome.CONFORMS),
        # a fault outweighs whatever else is the matter
        ({MUST: FAIL, OTHER: INCONCLUSIVE}, {}, Outcome.DOES_NOT_CONFORM),
        ({MUST: FAIL}, {"complete": False}, Outcome.DOES_NOT_CONFORM),
        # nothing is green that was not finished
        ({}, {"complete": False}, Outcome.INCONCLUSIVE),
        ({}, {"left_behind": 1}, Outcome.INCONCLUSIVE),
        # a narrower question has a narrower answer
        ({}, {"left_out_clause": "4.4"}, Outcome.CONFORMS_IN_PART),
        ({MUST: INCONCLUSIVE}, {"left_out_clause": "4.4"}, Outcome.INCONCLUSIVE),
    ],
)
def test_outcome(verdicts: dict[str, Verdict], how: dict[str, Any], expected: Outcome) -> None:
    assert run_of(verdicts, **how).outcome is expected


@pytest.mark.parametrize("verdict", [Verdict.NOT_APPLICABLE, Verdict.NOT_TESTED])
def test_a_run_that_saw_nothing_kept_is_never_green(verdict: Verdict) -> None:
    nothing = tuple(replace(row, verdict=verdict) for row in run_of({}).requirements)

    for scope in (Scope(), Scope(left_out=(OTHER,))):
        found = outcome_of(nothing, scope, complete=True, left_behind=0, strict=False)
        assert found is Outcome.INCONCLUSIVE


@pytest.mark.parametrize(
    ("id", "verdict", "how"),
    [
        (MUST, FAIL, {}),
        (MUST, INCONCLUSIVE, {}),
        (SHOULD, WARN, {"strict": True}),
        (OPEN, OBSERVED, {"fail_on": ("alerts",)}),
        (OPEN, OBSERVED, {"fail_on": (OPEN,)}),
    ],
)
def test_an_unscored_requirement_changes_neither_outcome_nor_exit_code(
    id: str, verdict: Verdict, how: dict[str, Any]
) -> None:
    without, found = run_of({}, unscored=[id], **how), run_of({id: verdict}, unscored=[id], **how)

    assert (found.outcome, exit_code(found)) == (Outcome.CONFORMS, Exit.CONFORMS)
    assert found.summary == without.summary
    assert found.alerts == ()
    assert samples.errors_of(samples.data(found)) == []


def test_a_baseline_takes_an_unscored_failure_neither_as_new_nor_as_known() -> None:
    sound, failed = run_of({}), run_of({MUST: FAIL})
    unscored, undecided = (run_of({MUST: verdict}, unscored=[MUST]) for verdict in (FAIL, INCONCLUSIVE))

    assert new_failures(unscored, sound) == []
    assert new_failures(failed, unscored) == [MUST]
    assert exit_code(undecided, sound) is Exit.CONFORMS


ERASABLE = "2.2-isErasable-present"
FAILING, ALSO_UNDECIDED = {MUST: FAIL}, {MUST: FAIL, OTHER: INCONCLUSIVE}
STRICT = {"strict": True}


@pytest.mark.parametrize(
    ("before", "after", "code"),
    [
        (run_of(FAILING), run_of({**FAILING, OTHER: FAIL}), Exit.DOES_NOT_CONFORM),
        (run_of(FAILING), run_of(ALSO_UNDECIDED), Exit.INCONCLUSIVE),
        (run_of(ALSO_UNDECIDED), run_of(ALSO_UNDECIDED), Exit.CONFORMS),
        (run_of(ALSO_UNDECIDED), run_of(ALSO_UNDECIDED, blame=Blame.CREDENTIAL), Exit.INCONCLUSIVE),
        (run_of(ALSO_UNDECIDED, complete=False), run_of(ALSO_UNDECIDED), Exit.INCONCLUSIVE),
        (run_of(FAILING), run_of(FAILING, complete=False), Exit.INCONCLUSIVE),
        (
            run_of({SHOULD: WARN}),
            run_of({SHOULD: WARN, ERASABLE: WARN}, **STRICT),
            Exit.DOES_NOT_CONFORM,
        ),
        (run_of({SHOULD: WARN}), run_of({SHOULD: WARN, ADVICE: WARN}, **STRICT), Exit.CONFORMS),
        (run_of(FAILING), run_of(FAILING, left_behind=1), Exit.INCONCLUSIVE),
    ],
)
def test_a_run_that_decided_less_than_its_baseline_is_not_green(before: Report, after: Report, code: Exit) -> None:
    assert exit_code(after, before) is code


@pytest.mark.parametrize(
    ("outcome", "stale", "code"),
    [
        (Outcome.CONFORMS, "fail", Exit.USAGE),
        (Outcome.CONFORMS, "warn", Exit.CONFORMS),
        (Outcome.DOES_NOT_CONFORM, "fail", Exit.DOES_NOT_CONFORM),
        (Outcome.INCONCLUSIVE, "fail", Exit.INCONCLUSIVE),
    ],
)
def test_a_stale_waiver_hides_no_other_exit_code(outcome: Outcome, stale: str, code: Exit) -> None:
    report = samples.with_waivers(samples.report(outcome), outcome, samples.waiver(MUST, state="expired"))
    assert exit_code(replace(report, run=RunRecord(options={"stale-waivers": stale}))) is code


FAILED, ALERT = "4.3-answers-ok", "5-isolation"
TODAY = date(2026, 12, 31)
FOUND = samples.broken_findings()
BROKEN = samples.report(findings={FAILED: FOUND[FAILED]}).requirements
WARNED = samples.report(findings={ERASABLE: FOUND[ERASABLE]}).requirements
ALERTED = samples.report(findings=samples.alert_findings()).requirements
UNDECIDED = (samples.finding(Verdict.INCONCLUSIVE),)


def judged(
    rows: tuple[RequirementResult, ...], *waivers: Waiver, today: date = TODAY, **how: Any
) -> tuple[set[str], list[str], Outcome]:
    """Return the ids of what is waived, the states of the waivers, and the outcome of the run."""
    options = {"strict": False, "fail_on": (), **{key: how[key] for key in how if key != "whole"}}
    results, given = applied(rows, waivers, today=today, whole=how.get("whole", True), **options)
    outcome = outcome_of(results, Scope(), complete=True, left_behind=0, **options)
    return {row.id for row in results if row.waived}, [waiver.state for waiver in given], outcome


def test_a_waiver_is_in_force_up_to_its_last_day() -> None:
    waiver = samples.waiver(FAILED)

    assert judged(BROKEN, waiver) == ({FAILED}, ["in-force"], Outcome.CONFORMS_WITH_WAIVERS)
    assert judged(BROKEN, waiver, today=date(2027, 1, 1)) == (set(), ["expired"], Outcome.DOES_NOT_CONFORM)


def test_every_failing_finding_has_to_be_covered() -> None:
    one, other = (samples.waiver(FAILED, finding=words) for words in ("JSON string", "^A second"))

    assert judged(BROKEN, one) == (set(), ["in-force"], Outcome.DOES_NOT_CONFORM)
    assert judged(BROKEN, one, other) == ({FAILED}, ["in-force"] * 2, Outcome.CONFORMS_WITH_WAIVERS)
    assert judged(BROKEN, samples.waiver(FAILED, finding="^second"))[1:] == (["unused"], Outcome.DOES_NOT_CONFORM)


def test_a_waiver_of_one_finding_does_not_hide_what_was_not_decided() -> None:
    rows = samples.report(findings={FAILED: (FOUND[FAILED][0], *UNDECIDED)}).requirements
    narrow = samples.waiver(FAILED, finding="JSON string")

    assert judged(rows, narrow)[2] is Outcome.DOES_NOT_CONFORM
    assert judged(rows, samples.waiver(FAILED))[2] is Outcome.CONFORMS_WITH_WAIVERS


@pytest.mark.parametrize(
    ("rows", "requirement", "options", "usual"),
    [
        (WARNED, ERASABLE, {"strict": True}, Outcome.CONFORMS),
        (ALERTED, ALERT, {"fail_on": (ALERT,)}, Outcome.CONFORMS),
    ],
)
def test_a_waiver_covers_what_the_options_make_a_failure(
    rows: tuple[RequirementResult, ...], requirement: str, options: dict[str, Any], usual: Outcome
) -> None:
    waiver = samples.waiver(requirement)

    assert judged(rows, **options)[2] is Outcome.DOES_NOT_CONFORM
    assert judged(rows, waiver, **options) == ({requirement}, ["in-force"], Outcome.CONFORMS_WITH_WAIVERS)
    assert judged(rows, waiver) == (set(), ["in-force"], usual)  # needed by another run, so not unused


def test_a_waiver_is_unused_only_if_the_run_can_tell() -> None:
    waiver = samples.waiver(FAILED)
    passed = samples.report(Outcome.CONFORMS).requirements
    undecided = samples.report(findings={FAILED: UNDECIDED}).requirements
    left_out = samples.report(left_out_clause="4.3").requirements

    assert judged(passed, waiver) == (set(), ["unused"], Outcome.CONFORMS)
    for rows, whole in [(passed, False), (undecided, True), (left_out, True)]:
        assert judged(rows, waiver, whole=whole)[1] == ["in-force"]
