from __future__ import annotations

from datetime import date
from typing import Any

import pytest
import report_samples as samples

from conformance.judge.verdicts import outcome_of
from conformance.judge.waivers import applied
from conformance.model.results import RequirementResult, Waiver
from conformance.model.run_record import Scope
from conformance.model.verdict import Outcome, Verdict

FAILED, SHOULD, ALERT = "4.3-answers-ok", "2.2-isErasable-present", "5-isolation"
TODAY = date(2026, 12, 31)
FOUND = samples.broken_findings()
BROKEN = samples.report(findings={FAILED: FOUND[FAILED]}).requirements
WARNED = samples.report(findings={SHOULD: FOUND[SHOULD]}).requirements
ALERTED = samples.report(findings=samples.alert_findings()).requirements
INCONCLUSIVE = (samples.finding(Verdict.INCONCLUSIVE),)


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
    rows = samples.report(findings={FAILED: (FOUND[FAILED][0], *INCONCLUSIVE)}).requirements
    narrow = samples.waiver(FAILED, finding="JSON string")

    assert judged(rows, narrow)[2] is Outcome.DOES_NOT_CONFORM
    assert judged(rows, samples.waiver(FAILED))[2] is Outcome.CONFORMS_WITH_WAIVERS


@pytest.mark.parametrize(
    ("rows", "requirement", "options", "usual"),
    [
        (WARNED, SHOULD, {"strict": True}, Outcome.CONFORMS),
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
    undecided = samples.report(findings={FAILED: INCONCLUSIVE}).requirements
    left_out = samples.report(left_out_clause="4.3").requirements

    assert judged(passed, waiver) == (set(), ["unused"], Outcome.CONFORMS)
    for rows, whole in [(passed, False), (undecided, True), (left_out, True)]:
        assert judged(rows, waiver, whole=whole)[1] == ["in-force"]
