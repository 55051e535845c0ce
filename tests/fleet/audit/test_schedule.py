"""When each run is made: one at a time for each origin, again after the others, and none after an interruption."""

from __future__ import annotations

import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

import audited
import pytest

from conformance.fleet.audit import schedule
from conformance.fleet.audit.one_run import Job, Stop, without_report
from conformance.fleet.audit.result import Result, State
from conformance.fleet.audit.schedule import Listener, results

PATIENCE = 60.0


@pytest.fixture(autouse=True)
def _pause(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(schedule, "PAUSE", 0)


def job(name: str, host: str | None = None) -> Job:
    return audited.job(Path(), name, base_url=f"https://{host or name}.example/{name}")


def made(
    run: Callable[[Job, Stop], Result], *jobs: Job, workers: int = 4, stop: Stop | None = None
) -> dict[str, Result]:
    with ThreadPoolExecutor(workers) as executor:
        found = results(jobs, run, executor, stop or threading.Event().is_set, Listener())
    return {each.name: each for each in found}


def ends(job: Job, state: State = State.FINISHED) -> Result:
    return without_report(job, state)


def test_an_origin_has_one_run_at_a_time_while_others_go_on() -> None:
    active: list[str] = []
    most = 0
    both = threading.Barrier(2)
    lock = threading.Lock()

    def run(job: Job, _: Stop) -> Result:
        nonlocal most
        if job.target.name == "other":
            both.wait(PATIENCE)  # while the first run of the shared origin is at work
            return ends(job)
        with lock:
            active.append(job.target.name)
            most = max(most, len(active))
        if job.target.name == "one":
            both.wait(PATIENCE)
        with lock:
            active.remove(job.target.name)
        return ends(job)

    found = made(run, job("one", "shared"), job("two", "shared"), job("three", "SHARED"), job("other"))
    assert set(found) == {"one", "two", "three", "other"}
    assert most == 1


def test_what_a_run_leaves_in_the_accounts_is_known_to_further_runs_at_the_address() -> None:
    unclear: dict[str, bool] = {}

    def run(job: Job, _: Stop) -> Result:
        unclear[job.target.name] = job.is_unclear
        return replace(ends(job), left_behind=int(job.target.name == "one"))

    one, other = job("one", "shared"), job("other", "shared")  # the other is another tenant at the same origin
    made(run, one, other, replace(job("same"), target=replace(one.target, name="same")), workers=1)
    assert unclear == {"one": False, "other": False, "same": True}


def test_a_failure_of_this_machine_ends_no_other_run() -> None:
    def run(job: Job, _: Stop) -> Result:
        if job.target.name == "one":
            raise OSError(28, "No space left on device")
        return ends(job)

    found = made(run, job("one"), job("two"))
    assert (found["one"].state, found["two"].state) == (State.BROKEN, State.FINISHED)
    assert "No space left" in found["one"].message
