"""From trials to marks and the score, the score against the one before, and what the command writes."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from pathlib import Path

import pytest
from calibration_samples import FAULT, OTHER, OWN, TWIN, document, of_fault, of_twin, valid
from cli_services import Command, is_one_message, names_in

from conformance.calibration.document import DocumentScope
from conformance.calibration.faults import FAULTS
from conformance.calibration.run_one import Job, attempt
from conformance.calibration.score import falls
from conformance.calibration.trial_result import Mark, judge_trial
from conformance.model.requirements import catalogue
from conformance.model.verdict import Verdict
from conformance.reference.call import Call
from conformance.reference.service import Service


@pytest.mark.parametrize(
    ("verdicts", "mark"),
    [
        ({}, Mark.CAUGHT),
        ({"1.4-every-parameter": Verdict.FAIL}, Mark.CAUGHT),
        ({OTHER: Verdict.INCONCLUSIVE}, Mark.CAUGHT),
        ({OTHER: Verdict.FAIL}, Mark.MISATTRIBUTED),
        ({OWN: Verdict.PASS}, Mark.MISSED),
        ({OWN: Verdict.INCONCLUSIVE, OTHER: Verdict.FAIL}, Mark.MISSED),
    ],
)
def test_a_fault_is_caught_by_its_own_requirement_alone(verdicts: dict[str, Verdict], mark: Mark) -> None:
    judged = judge_trial(of_fault(**verdicts))

    assert judged.mark is mark
    assert judged.good is (judged.why == "")
    assert all(id in judged.why for id, verdict in verdicts.items() if not judged.good and verdict is not Verdict.WARN)


@pytest.mark.parametrize(
    ("verdicts", "mark"),
    [
        ({}, Mark.ACCEPTED),
        ({"2.1-completedAt": Verdict.NOT_APPLICABLE}, Mark.ACCEPTED),
        ({OTHER: Verdict.NOT_APPLICABLE}, Mark.UNEXPECTED),
        ({OTHER: Verdict.INCONCLUSIVE}, Mark.UNEXPECTED),
        ({"2.1-requestId-version": Verdict.WARN}, Mark.UNEXPECTED),
        ({OTHER: Verdict.FAIL}, Mark.FAILED),
    ],
)
def test_a_twin_comes_to_what_it_declares(verdicts: dict[str, Verdict], mark: Mark) -> None:
    judged = judge_trial(of_twin(**verdicts))

    assert judged.mark is mark
    assert judged.good is (judged.why == "")


@pytest.mark.parametrize(
    ("name", "alerts", "why"),
    [
        (TWIN, (), ""),
        (TWIN, ("5-isolation",), "An alert was raised, though the service does not declare it: 5-isolation."),
        ("others-may-read-only", ("5-isolation",), ""),
        ("others-may-read-only", (), "The alert that the service declares was not raised: 5-isolation."),
    ],
)
def test_a_twin_raises_the_alerts_that_it_declares(name: str, alerts: tuple[str, ...], why: str) -> None:
    judged = judge_trial(replace(of_twin(), job=Job(name=name), alerts=alerts))

    assert (judged.mark, judged.why) == (Mark.UNEXPECTED if why else Mark.ACCEPTED, why)


class _RaisesWhenItAnswers(Service):
    def settings(self, call: Call) -> object:
        raise KeyError(call.operation)


def test_an_exception_in_the_code_of_a_fault_is_no_verdict(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(FAULTS, FAULT, replace(FAULTS[FAULT], service=_RaisesWhenItAnswers))
    judged = judge_trial(attempt(Job(name=FAULT)))

    assert (judged.mark, judged.trial.verdicts) == (Mark.DEFECTIVE, {})
    assert re.search(r"raised KeyError: .* at .*test_score\.py:\d+\.", judged.why)
    problem, *_ = document(judged.trial)["problems"]
    assert (problem["about"], problem["what"]) == (FAULT, f"Defective. {judged.why}")


def test_a_verdict_that_changes_with_the_seed_is_a_hole() -> None:
    made = document(of_fault(), of_twin(), of_fault(seed=1), of_twin(seed=1, **{OTHER: Verdict.INCONCLUSIVE}))

    assert made["score"]["stability"] == {"kept": 1, "of": 2}
    assert made["score"]["repetitions"] == 2
    assert [(each["requirement"], each["verdicts"]) for each in made["wavering"]] == [(OTHER, ("pass", "inconclusive"))]
    assert "is flaky" in made["problems"][0]["what"]


def measures(kept: int, of: int) -> dict[str, object]:
    full = {name: {"kept": 5, "of": 5} for name in ("attribution", "specificity")}
    return {**full, "sensitivity": {"kept": kept, "of": of}, "stability": None, "excused": 0}


@pytest.mark.parametrize(
    ("kept", "of", "number"), [(9, 10, 0), (10, 11, 0), (10, 10, 0), (9, 11, 1), (9, 9, 1), (8, 9, 2)]
)
def test_the_score_may_only_rise(kept: int, of: int, number: int) -> None:
    assert len(list(falls(measures(9, 10), measures(kept, of)))) == number


def test_a_fall_is_a_hole_where_the_whole_set_was_tried() -> None:
    committed = {"suite": {"catalogue": catalogue().digest}, "score": measures(9, 10)}

    assert "score" not in {each["about"] for each in document(of_fault(), committed=committed)["problems"]}
    full = document(of_fault(), scope=DocumentScope.FULL, committed=committed)
    assert "score" in {each["about"] for each in full["problems"]}


def test_the_command_writes_what_it_found(command: Command, folder: Path) -> None:
    done = command("selftest", "--only", FAULT, "--jobs", "1", "--select", "--verify", "--output", "out")

    data = json.loads((folder / "out" / "calibration.json").read_text("utf-8"))
    assert done.code == 0
    assert "No problem" in done.out
    assert re.search(r"sensitivity +100 % +1 of 1", done.out)
    assert "2 of 2" in done.err
    assert names_in(folder / "out") == {"calibration.json"}
    assert [each["name"] for each in data["services"]] == [FAULT]
    selections = {(each["requirement"], each["whole"], each["selected"]) for each in data["selections"]}
    assert selections == {(OWN, "fail", "fail")}
    valid(data)


def test_a_miss_is_told_in_words_and_in_the_exit_code(command: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("conformance.calibration.pool.attempt_all", lambda *_, **__: [of_fault(**{OWN: Verdict.PASS})])

    done = command("selftest", "--only", FAULT, "--jobs", "1", "--quiet", "--output", "out")

    told = " ".join(done.out.split())
    assert (done.code, done.err) == (1, "")
    assert f"{FAULT}: Missed. {OWN} came out as pass, not fail." in told
    assert "Correct its check, or the fault" in told
    assert re.search(r"It is declared in conformance/calibration/faults/\w+\.py\.", told)


def test_a_place_that_cannot_be_written_is_named_before_anything_is_tried(
    command: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("conformance.calibration.pool.attempt_all", None)

    is_one_message(command("selftest", "--only", FAULT, "--output", __file__), "cannot be written")
