"""Confirmations: what the tester asserts decides, and every report says so."""

from __future__ import annotations

import pytest
from whole_runs import notes_of, only, row_of, run_over

from conformance.calibration.faults import FAULTS
from conformance.calibration.twins import TWINS
from conformance.calibration.variant import Variant
from conformance.model.report import Report
from conformance.model.target import EMPTY_ACCOUNT, IF_EMPTY, NO_SELECTOR, LanguageSelector
from conformance.model.verdict import Blame, Outcome, Verdict
from conformance.reports import summary
from conformance.run.options import Plan

NONE = LanguageSelector("none", "")


def checked(
    variant: Variant, *, empty: bool, selector: LanguageSelector | None = None, plan: Plan | None = None
) -> Report:
    return run_over(bend=variant, account_is_empty=empty, language_selector=selector, plan=plan).report


@pytest.mark.parametrize(
    ("name", "requirement"),
    [
        ("place-never-freed", "3-frees-the-limit"),
        ("one-short-of-the-limit", "8-accepts-up-to-limit"),
    ],
)
def test_what_fails_with_the_confirmation_does_not_pass_without(name: str, requirement: str) -> None:
    confirmed, alone = (checked(FAULTS[name], empty=empty, plan=only("3", "8")) for empty in (True, False))

    assert (confirmed.confirmations, alone.confirmations) == ((EMPTY_ACCOUNT,), ())
    assert row_of(confirmed, requirement).verdict is Verdict.FAIL
    assert f" {IF_EMPTY}." in row_of(confirmed, requirement).findings[0].message
    assert row_of(alone, requirement).verdict is Verdict.INCONCLUSIVE
    assert row_of(alone, requirement).findings[0].blame is Blame.CONFIGURATION


@pytest.mark.parametrize(
    ("name", "since"), [("account-full", "from the first creation on"), ("account-partly-in-use", "with 2 ")]
)
def test_an_account_that_is_not_empty_is_recognised(name: str, since: str) -> None:
    run = run_over(bend=TWINS[name], account_is_empty=True)
    report = run.report

    failed = [row for row in report.requirements if row.verdict is Verdict.FAIL]
    undecided = [each for row in report.requirements for each in row.findings if each.verdict is Verdict.INCONCLUSIVE]
    (note,) = [each for each in notes_of(run) if "Creations were refused for the limit" in each.message]
    assert [row.id for row in failed] == ["8-accepts-up-to-limit"]
    assert f" {IF_EMPTY}." in failed[0].findings[0].message
    assert not [each.message for each in undecided if each.blame is Blame.TARGET]
    assert (since in note.message, note.blame) == (True, Blame.CONFIGURATION)
    assert "--empty-account" in note.message
    assert "drsi-conformance cleanup" in note.remedy


def test_only_the_tester_can_say_that_there_is_no_selector() -> None:
    twin = TWINS["language-ignored"]
    unknown = checked(twin, empty=True, plan=only("4.5", "7-language-not-supported"))
    confirmed = checked(twin, empty=True, selector=NONE)

    assert "7-language-not-supported" in unknown.scope.undeclared
    assert "--language-selector" in summary.scope_sentence(unknown)
    assert (confirmed.outcome, confirmed.scope.undeclared) == (Outcome.CONFORMS, ())
    assert confirmed.confirmations == (EMPTY_ACCOUNT, NO_SELECTOR)
