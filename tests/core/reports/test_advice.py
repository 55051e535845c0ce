"""Advice, which no place of the specification says, counts nowhere, not even in a strict run."""

from __future__ import annotations

from typing import Any

import pytest
import report_samples as samples
from report_samples import typed

from conformance.model.verdict import Exit, Outcome, Verdict
from conformance.reports import badge, code_quality, junit, sarif
from conformance.reports.comparison import OTHER, WORSE, compare
from conformance.reports.exit_code import exit_code
from conformance.reports.failures import failures
from conformance.reports.problems import Standing, problems

ADVICE, RECOMMENDED = "2.3-privacyContactEmail-form", "2.1-requestId-version"
BEFORE = samples.data(samples.report(Outcome.CONFORMS, strict=True))


def warned(requirement: str, outcome: Outcome) -> dict[str, Any]:
    found = {requirement: (samples.finding(Verdict.WARN, message="It is odd."),)}
    return samples.data(samples.report(outcome, findings=found, strict=True))


@pytest.fixture(name="advised")
def _advised() -> dict[str, Any]:
    return warned(ADVICE, Outcome.CONFORMS)


def test_no_view_counts_it(advised: dict[str, Any]) -> None:
    assert failures(typed(advised)) == []
    assert [(each.id, each.standing) for each in problems(typed(advised))] == [(ADVICE, Standing.WARNING)]
    assert 'failures="0"' in junit.render(typed(advised))
    assert [each["level"] for each in sarif.document(typed(advised))["runs"][0]["results"]] == ["warning"]
    assert [each["severity"] for each in code_quality.issues(typed(advised))] == ["minor"]
    assert badge.message(typed(advised)) == "conforms"


def test_it_makes_no_run_worse_than_another(advised: dict[str, Any]) -> None:
    assert [each.kind for each in compare(typed(BEFORE), typed(advised)).changes] == [OTHER]
    assert [
        each.kind for each in compare(typed(BEFORE), typed(warned(RECOMMENDED, Outcome.DOES_NOT_CONFORM))).changes
    ] == [WORSE]


def test_it_is_not_new_beside_a_baseline(advised: dict[str, Any]) -> None:
    both = samples.data(
        samples.report(
            findings={each: (samples.finding(Verdict.WARN, message="It is odd."),) for each in (ADVICE, RECOMMENDED)},
            strict=True,
        )
    )
    known = typed(warned(RECOMMENDED, Outcome.DOES_NOT_CONFORM))

    assert exit_code(typed(both), known) is Exit.CONFORMS
    assert exit_code(typed(advised), known) is Exit.CONFORMS
