"""The joined report of repetitions: what differs is unstable and never a pass, and all of it follows from the runs."""

from __future__ import annotations

import copy
from dataclasses import replace
from typing import Any

import pytest
import report_samples as samples
from report_samples import finding
from stored_runs import sealed

from conformance.model.findings import Finding
from conformance.model.report import Report, report_of
from conformance.model.run_record import RunRecord
from conformance.model.verdict import Exit, Outcome, Verdict
from conformance.reports.exit_code import exit_code
from conformance.run.repetitions import NoRepetitions, damage, differences, joined
from conformance.trust import chain

MUST = "4.3-answers-ok"
Case = dict[str, tuple[Finding[str], ...]]

FAILED: Case = {MUST: (finding(Verdict.FAIL, message="It answers 204.", exchanges=("e2",)),)}
OPENED: Case = {MUST: (finding(Verdict.INCONCLUSIVE, message="No time.", exchanges=()),)}
LEFT: Case = {MUST: (finding(Verdict.NOT_APPLICABLE, message="No opportunity.", exchanges=()),)}


def run(number: int, findings: Case, *, of: int, seed: int = 0) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return report and evidence of a repetition."""
    sample = samples.report(findings=findings)
    sample = replace(
        sample,
        seed=seed,
        started=f"2026-01-31T12:0{number}:00Z",
        finished=f"2026-01-31T12:0{number}:01Z",
        run=RunRecord(options={"repeat": of}),
    )
    return sealed(samples.data(sample), samples.evidence())


def joint(*findings: Case) -> tuple[dict[str, Any], dict[str, Any]]:
    runs = [run(number, each, of=len(findings)) for number, each in enumerate(findings)]
    return joined([report for report, _ in runs], [evidence for _, evidence in runs])


def joint_report(*findings: Case) -> Report:
    return report_of(joint(*findings)[0])


def row(report: Report, id: str = MUST) -> Any:
    return next(each for each in report.requirements if each.id == id)


@pytest.mark.parametrize(
    ("cases", "verdict", "said"),
    [
        (({}, FAILED, {}), Verdict.FAIL, "Unstable (2 of 3): pass in repetition 1 and 3; fail in repetition 2."),
        (({}, OPENED), Verdict.INCONCLUSIVE, "Unstable (1 of 2): pass in repetition 1; inconclusive in repetition 2."),
        ((LEFT, {}, {}), Verdict.INCONCLUSIVE, "Unstable (2 of 3): not-applicable in repetition 1; pass in"),
        ((OPENED, FAILED, {}), Verdict.FAIL, "Unstable (1 of 3): inconclusive in repetition 1; fail in repetition 2;"),
    ],
)
def test_what_differs_is_unstable_and_never_a_pass(cases: tuple[Case, ...], verdict: Verdict, said: str) -> None:
    found = row(joint_report(*cases))

    assert found.verdict is verdict
    assert found.findings[0].message.startswith(said)
    assert found.findings[0].verdict is verdict
    assert len(found.repetitions) == len(cases)


@pytest.mark.parametrize(
    ("cases", "outcome", "code"),
    [
        (({}, {}, {}), Outcome.CONFORMS, Exit.CONFORMS),
        (({}, {}, FAILED), Outcome.DOES_NOT_CONFORM, Exit.DOES_NOT_CONFORM),
        ((LEFT, LEFT), Outcome.CONFORMS, Exit.CONFORMS),
    ],
)
def test_the_outcome_follows_from_the_joined_verdicts(cases: tuple[Case, ...], outcome: Outcome, code: Exit) -> None:
    data, _ = joint(*cases)

    assert (data["outcome"], exit_code(report_of(data))) == (outcome, code)
    assert samples.errors_of(data) == []


def test_repetitions_of_other_runs_cannot_be_joined() -> None:
    (one, evidence), (other, _) = run(0, {}, of=2), run(1, {}, of=2, seed=7)

    with pytest.raises(NoRepetitions, match="different builds or with different options"):
        joined([one, other], [evidence, evidence])
    with pytest.raises(NoRepetitions, match="not made one after another"):
        joined([one, one], [evidence, evidence])


def test_an_altered_joined_report_does_not_follow() -> None:
    data, evidence = joint({}, FAILED)
    forged = copy.deepcopy(data)
    forged["outcome"] = "conforms"
    forged["attestations"] = []

    assert differences(data, data) == []
    assert differences(chain.resealed(forged), data) == ["outcome"]
    assert damage(data, evidence, evidence) == []
    _, other = joint({}, {}, {})
    assert damage(data, evidence, other) == ["evidence.har does not have the exchanges of the repetitions"]
