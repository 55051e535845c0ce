"""Recorded trials: what is kept of a trial, when it is judged again, and which code makes it stale."""

from __future__ import annotations

import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest
from calibration_samples import FAULT, PAIR
from cli_services import Command, is_one_message

from conformance.calibration import recordings, run_one
from conformance.calibration.run_one import Job, Trial
from conformance.model.errors import ConfigurationFault

JOB = Job(name=FAULT)

JOBS = [
    Job(name="type-is-withdrawn-in-the-middle"),
    Job(name="list-repeats-itself", select="3-removed"),
    Job(name=PAIR),
]

LOADED = """
import sys
from conformance.calibration import recordings
from conformance.calibration.run_one import REFERENCE_JOB
recordings.attempt(REFERENCE_JOB)
print(*(name for name in sys.modules if name in recordings._sources()))
"""


CALLING = ("application", "checks", "client", "generation", "http", "reference", "scenarios", "schema")


def without_time(trial: Trial) -> Trial:
    return replace(trial, seconds=0.0)


def not_made(*_: object, **__: object) -> None:
    raise ConfigurationFault("A call was made.")


@pytest.mark.parametrize("job", JOBS, ids=lambda job: job.name)
def test_a_recorded_trial_says_what_the_trial_said(job: Job, monkeypatch: pytest.MonkeyPatch) -> None:
    new = recordings.attempt(job)
    monkeypatch.setattr(run_one, "check", not_made)

    assert new.verdicts
    assert without_time(recordings.attempt(job)) == without_time(new)


@pytest.mark.parametrize(
    ("module", "stale"),
    [
        ("conformance.judge.verdicts", False),
        ("conformance.checks.test_8_limit", False),
        ("conformance.scenarios.limit", True),
        ("conformance.http.session", True),
        ("conformance.calibration.faults.samples", True),
    ],
)
def test_a_changed_module_makes_the_recordings_stale_whose_calls_need_it(
    module: str, stale: bool, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    def place() -> Path | None:
        for each in (recordings._imports, recordings._digest_of, recordings._environment):
            each.cache_clear()
        return recordings._place(JOB)

    before, sources = place(), recordings._sources()
    changed = tmp_path / "changed.py"
    changed.write_text(sources[module].read_text("utf-8") + "\n# changed\n", "utf-8")
    monkeypatch.setattr(recordings, "_sources", lambda: {**sources, module: changed})

    assert (place() != before) is stale


def test_what_a_trial_loads_is_part_of_the_name_of_its_recording_or_only_judges() -> None:
    done = subprocess.run([sys.executable, "-c", LOADED], capture_output=True, text=True, check=True)
    checks = [name for name in recordings._sources() if name.startswith("conformance.checks.")]
    roots = ("conformance.run.check", "conformance.calibration.recordings", *checks)
    named = recordings.modules_of_calls(*roots)

    others = {name for name in done.stdout.split() if name not in named and recordings._sources()[name].read_bytes()}
    calling = {name for name in others if name.count(".") > 1 and name.split(".")[1] in CALLING}
    # The evidence, the reasons of a report, a docstring, and the fixtures of a user's own tests.
    harmless = ("http.secrets", "http.secrets.written", "http.wire", "reference.process")
    assert calling <= {f"conformance.{name}" for name in harmless}


@pytest.mark.parametrize("place", ["no-such-commit", "-no-option", "a" * 50_000])
def test_a_comparison_with_no_commit_is_refused(command: Command, place: str) -> None:
    is_one_message(command("selftest", "--quiet", "--only", FAULT, f"--compare={place}"), "--compare: ")
