"""How faults are combined in one service, and what a trial of it says of the suite."""

from __future__ import annotations

from dataclasses import replace

import pytest
from calibration_samples import FAULT, OTHER, OWN, PAIR, trial

from conformance.calibration.combinations import check_combination, find_variant, tour
from conformance.calibration.run_one import Job
from conformance.calibration.sample import NoSuchVariant, only
from conformance.calibration.trial_result import Sight, judge_trial
from conformance.model.verdict import Verdict


def test_all_faults_of_a_combination_are_in_effect() -> None:
    name = "deletion-answers-row-count + settings-limit-only + completed-at-of-1970"

    check_combination(name)

    combined = find_variant(name)
    assert [fault.name for fault in combined.faults] == name.split(" + ")
    assert combined.config == {"complete_after": 0.0}
    answers = [body for _, body, _ in tour(combined)]
    assert answers[0] == b'{"maxNumberOfRequests":3}'
    assert b"OK" not in answers
    assert any(b'"completedAt":"1970-' in body for body in answers)


THIRD = "4.6-account"


@pytest.mark.parametrize(
    ("verdict", "blockers", "sight"),
    [
        (Verdict.FAIL, (), Sight.FOUND),
        (Verdict.INCONCLUSIVE, (OTHER,), Sight.NAMED),
        (Verdict.INCONCLUSIVE, (THIRD,), Sight.MISSED),
        (Verdict.PASS, (), Sight.MISSED),
    ],
)
def test_a_fault_is_found_or_named_or_missed(verdict: Verdict, blockers: tuple[str, ...], sight: Sight) -> None:
    tried = replace(trial(Job(name=PAIR), **{OWN: verdict, OTHER: Verdict.FAIL}), blocked_by={OWN: blockers})

    assert judge_trial(tried).seen[0].sight is sight


def test_a_combination_is_called_by_the_names_of_its_faults() -> None:
    assert [job.name for job in only([PAIR])] == [PAIR]
    with pytest.raises(NoSuchVariant, match="cannot be combined"):
        only([f"{FAULT} + {FAULT}"])
