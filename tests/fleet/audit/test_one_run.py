"""The run of one target as any executor calls it: here as a new Python, as on the machines of a cluster."""

from __future__ import annotations

import os
import pickle
import threading
from pathlib import Path
from typing import Any

import pytest
from cli_services import TOKEN, refusing

from conformance.fleet.audit import one_run
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


def test_a_run_has_a_folder_that_no_earlier_attempt_had(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    made = job(tmp_path, refusing())
    (made.work / "attempt-1").mkdir(parents=True)  # of an audit that was killed; its process may be about to end
    outputs = []

    start = one_run.started

    def started(words: list[str], *how: Any) -> Any:
        outputs.append(next(word for word in words if word.startswith("--output=")))
        return start(words, *how)

    monkeypatch.setattr(one_run, "started", started)
    found = run_target(made, threading.Event().is_set)

    assert found.state is State.UNREACHABLE
    assert outputs == [f"--output={made.work / 'attempt-2'}"]
    assert not made.work.exists()


def test_a_run_loads_nothing_from_its_working_directory(tmp_path: Path) -> None:
    (tmp_path / "conformance").mkdir()
    (tmp_path / "conformance/__init__.py").write_text("raise SystemExit('another package of this name')")

    process = one_run.started(["--version"], dict(os.environ), tmp_path, 0, tmp_path / "messages")
    assert process.wait(60) == 0
    process.communicate()
    assert (tmp_path / "messages").read_text() == ""
