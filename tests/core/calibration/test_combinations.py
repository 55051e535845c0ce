"""How faults are combined in one service, which cannot be, what their trials say of the suite, and selftest --pairs."""

from __future__ import annotations

from dataclasses import replace

import pytest
from calibration_samples import FAULT, OTHER, OWN, PAIR, finding, of_pair

from conformance.calibration.combinations import (
    check_combination,
    find_variant,
    tour,
)
from conformance.calibration.run_one import Trial
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
BLOCKED = finding(Verdict.INCONCLUSIVE, "This needs a request.")


def sight_of_the_first(trial: Trial) -> Sight:
    return judge_trial(trial).seen[0].sight


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
    trial = replace(of_pair(BLOCKED, **{OWN: verdict}), blocked_by={OWN: blockers})

    assert sight_of_the_first(trial) is sight


def test_a_combination_is_called_by_the_names_of_its_faults() -> None:
    assert [job.name for job in only([PAIR])] == [PAIR]
    with pytest.raises(NoSuchVariant, match="cannot be combined"):
        only([f"{FAULT} + {FAULT}"])
