"""The run of one target as any executor calls it: a process of its own, as on the machines of a cluster."""

from __future__ import annotations

import pickle
import sys
import threading
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import report_samples as samples
from audited import job
from cli_services import TOKEN, refusing
from stored_runs import recorded_run

from conformance.fleet.audit import one_run
from conformance.fleet.audit.one_run import Ended, run_target
from conformance.fleet.audit.result import FILE, State, facts_of, of_folder
from conformance.fleet.audit.sources import Source
from conformance.model.verdict import Blame, Outcome, Verdict


def test_what_a_scheduler_sends_has_no_token(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TOKEN_OF_A", TOKEN)
    sent = pickle.dumps(job(tmp_path, tokens={"token": Source("variable", "TOKEN_OF_A")}))
    assert TOKEN.encode() not in sent
    assert pickle.loads(sent).target.tokens["token"].value == "TOKEN_OF_A"


@pytest.mark.parametrize("text", [None, "", "{}", '{"name": 1}', "[]"])
def test_a_folder_without_a_whole_result_is_not_finished(tmp_path: Path, text: str | None) -> None:
    if text is not None:
        (tmp_path / FILE).write_text(text, "utf-8")
    assert of_folder(tmp_path) is None


def test_a_run_has_a_folder_that_no_earlier_attempt_had(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    made = replace(job(tmp_path, base_url=refusing(), profile="public", arguments=("--only=2.3",)), deadline=600)
    (made.work / "attempt-1").mkdir(parents=True)  # of an audit that was killed; its process may be about to end
    outputs = []

    start = one_run.started

    def started(words: list[str], *how: Any) -> Any:
        outputs.append(next(word for word in words if word.startswith("--output=")))
        return start(words, *how)

    monkeypatch.setattr(one_run, "started", started)
    found = run_target(made, threading.Event().is_set)

    assert (found.state, found.attempts, "got no answer that can be judged" in found.message) == (
        State.UNREACHABLE,
        1,
        True,
    )
    assert outputs == [f"--output={made.work / 'attempt-2'}"]
    assert not made.work.exists()


LATE = "The run was interrupted at its deadline of 1 s."


@pytest.mark.parametrize(
    ("done", "state", "message"),
    [
        (Ended(2, "No token. Give one."), State.NOT_RUN, "No token. Give one."),
        (Ended(3, "A. C."), State.UNREACHABLE, "A. C."),
        (Ended(3), State.BROKEN, "It ended with exit code 3."),
        (Ended(-9, is_late=True), State.ENDED, f"{LATE} It wrote no report."),
    ],
)
def test_how_a_run_without_a_report_ended(tmp_path: Path, done: Ended, state: State, message: str) -> None:
    found = one_run._classified(job(tmp_path), tmp_path / "run", done, stopped=False)
    assert (found.state, found.message) == (state, message)


def test_a_report_counts_also_at_the_deadline(tmp_path: Path) -> None:
    run = recorded_run(tmp_path / "run")
    found = one_run._classified(job(tmp_path), run, Ended(3, is_late=True), stopped=False)
    assert (found.state, found.message) == (State.FINISHED, LATE)


@pytest.mark.parametrize(
    ("blamed", "is_prevented"),
    [((Blame.NETWORK,), True), ((Blame.NETWORK, Blame.TARGET), False), ((Blame.TARGET,), False)],
)
def test_the_network_alone_prevents_a_decision(blamed: tuple[Blame, ...], is_prevented: bool) -> None:
    findings = tuple(samples.finding(Verdict.INCONCLUSIVE, blame=each) for each in blamed)
    report = samples.report(Outcome.INCONCLUSIVE, findings={"4.3-answers-ok": findings})
    assert facts_of(report)["network"] is is_prevented


def test_a_run_loads_nothing_from_its_working_directory_and_has_a_limit_of_memory(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "conformance").mkdir()
    (tmp_path / "conformance/__init__.py").write_text("raise SystemExit('another package of this name')")
    with (tmp_path / "token").open("wb") as file:
        file.truncate(2**26)

    words = ["check", f"--token-file={tmp_path / 'token'}", "https://one.example"]
    for memory, fails in ((one_run.MEMORY, False), (1, sys.platform == "linux")):  # Linux alone limits it
        monkeypatch.setattr(one_run, "MEMORY", memory)
        process, pipe = one_run.started(words, job(tmp_path))
        assert one_run._code(process, 60) == (4 if fails else 2)
        assert ("itself failed" if fails else "--token-file: ") in one_run.error_in(pipe)
