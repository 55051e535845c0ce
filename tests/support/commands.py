"""The fixtures of tests that run a command."""

from __future__ import annotations

import os
import shutil
import signal
from collections.abc import Iterator
from pathlib import Path

import pytest
import whole_runs
from cli_services import OTHER_TOKEN, TOKEN, Command, Result

from conformance.calibration.faults import FAULTS
from conformance.cli import main
from conformance.cli.signals import SIGNALS
from conformance.reports import files
from conformance.run.documents import Documents


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty working directory, and an environment without tokens and without logins."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path.with_name(f"{tmp_path.name}-state")))
    monkeypatch.setattr("conformance.http.creations.owners._ROUNDS", 1)
    for name in list(os.environ):
        if name.startswith("DRSI_"):
            monkeypatch.delenv(name)
    return tmp_path


@pytest.fixture
def tokens(monkeypatch: pytest.MonkeyPatch, folder: Path) -> None:  # noqa: ARG001
    """The tokens of the two users in the environment."""
    monkeypatch.setenv("DRSI_TOKEN", TOKEN)
    monkeypatch.setenv("DRSI_OTHER_TOKEN", OTHER_TOKEN)


@pytest.fixture(scope="session")
def recorded(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A recorded run against a service that answers deletions with 202, with three views."""
    done = whole_runs.run_over(bend=FAULTS["delete-answers-202"], plan=whole_runs.only("4.3-answers-ok", "4.4"))
    folder = tmp_path_factory.mktemp("recorded")
    files.write(folder, Documents(done).data, Documents(done).evidence, ("html", "summary", "csv"))
    return folder


@pytest.fixture
def run(recorded: Path, folder: Path) -> Path:
    """A copy of it in the working directory."""
    return shutil.copytree(recorded, folder / "run")


@pytest.fixture
def own_handlers() -> Iterator[None]:
    """Give the signals back their handlers after the test."""
    before = {number: signal.getsignal(number) for number in SIGNALS}
    yield
    for number, handler in before.items():
        signal.signal(number, handler)


@pytest.fixture
def command(
    folder: Path,  # noqa: ARG001
    own_handlers: None,  # noqa: ARG001
    capfd: pytest.CaptureFixture[str],
) -> Command:
    """Run the command in this process, in `folder`.

    `only` names ids or clauses: no other checks run. With --select a run makes all calls, which takes far longer.
    """

    def run(*arguments: str, only: tuple[str, ...] = ()) -> Result:
        capfd.readouterr()
        narrow = ("--deselect", ",".join(whole_runs.only(*only).deselect)) if only else ()
        with pytest.raises(SystemExit) as ended:
            main((*arguments, *narrow))
        assert isinstance(ended.value.code, int)
        return Result(ended.value.code, *capfd.readouterr())

    return run
