"""Confirmations: what the tester asserts decides, and every report says so."""

from __future__ import annotations

import pytest
from whole_runs import only, row_of, run_over

from conformance.calibration.faults import FAULTS
from conformance.calibration.variant import Variant
from conformance.model.report import Report
from conformance.model.target import EMPTY_ACCOUNT, IF_EMPTY, LanguageSelector
from conformance.model.verdict import Blame, Verdict
from conformance.run.options import Plan


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
