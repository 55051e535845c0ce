"""The command, and what it writes: data by its schema."""

from __future__ import annotations

import json
import multiprocessing
import re
from collections.abc import Iterator
from concurrent.futures import Future, as_completed
from dataclasses import replace
from pathlib import Path

import pytest
from calibration_samples import FAULT, OTHER, OWN, document, of_fault, of_twin, reference, run, valid

from conformance.calibration.document import DocumentScope
from conformance.calibration.pool import attempt_all
from conformance.calibration.run_one import REFERENCE_JOB, Job, Kind, Trial
from conformance.model.verdict import Verdict

NO_JOB = Job(kind=Kind.FAULT, name="no-such-fault")
"""A job that ends at once."""


def holes() -> tuple[Trial, ...]:
    """Return trials of each kind, of which most have a problem."""
    return (
        reference(),
        of_fault(**{OTHER: Verdict.FAIL}),
        of_fault("settings-terms-of-service-null", **{OWN: Verdict.PASS}),
        of_twin(**{OTHER: Verdict.FAIL}),
        of_twin(seed=1),
    )


@pytest.mark.parametrize("scope", list(DocumentScope))
def test_the_data_keep_their_schema(scope: DocumentScope) -> None:
    valid(document(*holes(), scope=scope))
    valid(document(of_fault(), scope=scope))


def test_trials_come_back_in_order_from_several_processes_too() -> None:
    jobs = [REFERENCE_JOB, NO_JOB]
    done = []

    trials = attempt_all(jobs, workers=2, on_done=done.append)

    assert [trial.job for trial in trials] == jobs
    assert sorted(trial.job.name for trial in done) == sorted(job.name for job in jobs)
    assert trials[0].verdicts == reference().verdicts
    assert "no-such-fault" in trials[1].broken


def test_an_interruption_leaves_nothing_to_be_tried_in_the_background(monkeypatch: pytest.MonkeyPatch) -> None:
    done, planned = [], []

    def watched(futures: list[Future[Trial]]) -> Iterator[Future[Trial]]:
        planned.extend(futures)
        return as_completed(futures)

    def interrupt(trial: Trial) -> None:
        done.append(trial)
        raise KeyboardInterrupt

    monkeypatch.setattr("conformance.calibration.pool.as_completed", watched)

    with pytest.raises(KeyboardInterrupt):
        attempt_all([replace(NO_JOB, seed=seed) for seed in range(5_000)], workers=2, on_done=interrupt)

    assert len(done) == 1
    assert planned[-1].cancelled()
    assert multiprocessing.active_children() == []


def test_the_command_writes_what_it_found(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    again = ("--repeat", "2", "--select", "--verify")
    code = run("selftest", "--only", FAULT, "--jobs", "1", *again, "--output", str(tmp_path))

    out, err = capfd.readouterr()
    data = json.loads((tmp_path / "calibration.json").read_text("utf-8"))
    assert code == 0
    assert "No problem" in out
    assert re.search(r"sensitivity +100 % +1 of 1", out)
    assert re.search(r"stability +100 % +1 of 1", out)
    assert "3 of 3" in err
    assert {path.name for path in tmp_path.iterdir()} == {"calibration.json"}
    assert [each["name"] for each in data["services"]] == [FAULT]
    selections = {(each["requirement"], each["whole"], each["selected"]) for each in data["selections"]}
    assert selections == {(OWN, "fail", "fail")}
    valid(data)


def test_a_miss_is_told_in_words_and_in_the_exit_code(
    tmp_path: Path, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("conformance.calibration.pool.attempt_all", lambda *_, **__: [of_fault(**{OWN: Verdict.PASS})])

    code = run("selftest", "--only", FAULT, "--jobs", "1", "--quiet", "--output", str(tmp_path))

    out, err = capfd.readouterr()
    assert code == 1
    assert f"{FAULT}: Missed. {OWN} came out as pass, not fail." in " ".join(out.split())
    assert "Correct its check, or the fault" in " ".join(out.split())
    assert re.search(r"It is declared in conformance/calibration/faults/\w+\.py\.", " ".join(out.split()))
    assert err == ""


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--only", "bogus"), "No fault, twin or requirement"),
        (("--quick", "--only", FAULT), "exclude each other"),
        (("--only", FAULT, "--output", __file__), "cannot be written"),
    ],
)
def test_a_usage_error_is_told_before_anything_is_tried(
    arguments: tuple[str, ...], message: str, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("conformance.calibration.pool.attempt_all", None)

    assert run("selftest", *arguments) == 2
    assert message in capfd.readouterr().err


BRACKETS = "types-with-a-bracket-break-the-pattern"


def test_the_command_lists_a_fault_that_only_schemathesis_finds(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    arguments = ("--only", BRACKETS, "--without", "schemathesis", "--jobs", "1", "--quiet")

    code = run("selftest", *arguments, "--output", str(tmp_path))

    data = json.loads((tmp_path / "calibration.json").read_text("utf-8"))
    assert code == 0
    assert f"Only what schemathesis generates finds {BRACKETS}: 1 of 1 seed." in capfd.readouterr().out
    assert data["only_generated"] == [{"name": BRACKETS, "library": "schemathesis", "only": 1, "seeds": 1}]
    valid(data)
