"""The run of one target as any executor calls it: here as a new Python, as on the machines of a cluster."""

from __future__ import annotations

import pickle
import threading
from pathlib import Path

import pytest
from cli_services import TOKEN, refusing, served

from conformance.fleet.audit.launch import Command, RunProcess, Spawned
from conformance.fleet.audit.one_run import Job, run_target
from conformance.fleet.audit.result import FILE, State, of_folder
from conformance.fleet.audit.sources import Source
from conformance.fleet.audit.targets import AuditTarget


def job(folder: Path, base_url: str, **tokens: Source) -> Job:
    target = AuditTarget(name="one", base_url=base_url, profile="public", tokens=tokens, arguments=("--only=2.3",))
    return Job(
        target=target,
        work=folder / "unfinished/one",
        final=folder / "runs/one",
        place=folder,
        deadline=600,
        grace=60,
        memory=2048,
    )


def test_a_run_is_finished_at_once_and_whole(tmp_path: Path) -> None:
    with served() as service:
        made = run_target(job(tmp_path, service.base_url), threading.Event())
    assert (made.state, made.outcome, made.left_behind, made.message) == (State.FINISHED, "conforms-in-part", 0, "")
    assert of_folder(tmp_path / "runs/one") == made
    assert not (tmp_path / "unfinished/one").exists()


def test_a_service_that_is_away_is_unreachable_and_leaves_no_folder(tmp_path: Path) -> None:
    made = run_target(job(tmp_path, refusing()), threading.Event())
    assert made.state is State.UNREACHABLE
    assert made.message.startswith(f"GET {refusing()}/settings got no answer that can be judged: ")
    assert made.message.endswith("Check host and port, and that the service is running and reachable from here.")
    assert list(tmp_path.rglob("*")) == [tmp_path / "unfinished"]


def test_an_interrupted_run_leaves_no_folder(tmp_path: Path) -> None:
    stop = threading.Event()
    stop.set()
    made = run_target(job(tmp_path, refusing()), stop)
    assert made.state is State.INTERRUPTED
    assert list(tmp_path.rglob("*")) == [tmp_path / "unfinished"]


def test_what_a_scheduler_sends_has_no_token(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TOKEN_OF_A", TOKEN)
    sent = pickle.dumps(job(tmp_path, "https://a.example", token=Source("variable", "TOKEN_OF_A")))
    assert TOKEN.encode() not in sent
    assert pickle.loads(sent).target.tokens["token"].value == "TOKEN_OF_A"


@pytest.mark.parametrize("text", [None, "", "{}", '{"name": 1}', "[]"])
def test_a_folder_without_a_whole_result_is_not_finished(tmp_path: Path, text: str | None) -> None:
    if text is not None:
        (tmp_path / FILE).write_text(text, "utf-8")
    assert of_folder(tmp_path) is None


def test_a_run_has_a_folder_that_no_earlier_attempt_had(tmp_path: Path) -> None:
    made = job(tmp_path, refusing())
    (made.work / "attempt-1").mkdir(parents=True)  # of an audit that was killed; its process may be about to end
    outputs = []

    def launch(command: Command) -> RunProcess:
        outputs.append(next(word for word in command.words if word.startswith("--output=")))
        return Spawned(command)

    found = run_target(made, threading.Event(), launch)

    assert found.state is State.UNREACHABLE
    assert outputs == [f"--output={made.work / 'attempt-2'}"]
    assert not made.work.exists()
