"""`--reset-command`: a command of the tester removes the requests of the account before a run begins."""

from __future__ import annotations

import json
import shlex
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from cli_services import Command, report_of, served
from platforms import POSIX_COMMANDS

from conformance.reference.call import Call, Reply
from conformance.reference.service import Service
from conformance.reference.store import DataRequest

pytestmark = [pytest.mark.usefixtures("tokens"), POSIX_COMMANDS]

ROW = "8-accepts-up-to-limit"


@contextmanager
def full(mark: Path) -> Iterator[Any]:
    """Serve an account with a request of an earlier day, until a file appears."""

    class Emptied(Service):
        async def answer(self, call: Call) -> Reply:
            if mark.exists():
                self.store.remove("old")
            return await super().answer(call)

    with served(Emptied) as service:
        service.service.store.add(
            DataRequest("old", "alice.example", datetime(2026, 1, 1, tzinfo=UTC), ("newsletter",))
        )
        yield service


@pytest.fixture
def mark(folder: Path) -> Path:
    return folder / "reset"


def test_the_command_runs_before_the_first_call_and_no_verification_runs_it(
    command: Command, folder: Path, mark: Path
) -> None:
    reset = ("--reset-command", f"touch {shlex.quote(str(mark))}", "--empty-account", "--output", "out")
    with full(mark) as service:
        result = command("check", service.base_url, *reset, only=(ROW,))
    report, evidence = report_of(folder / "out"), (folder / "out" / "evidence.har").read_text("utf-8")
    (row,) = [each for each in report["requirements"] if each["id"] == ROW]
    assert (result.code, row["verdict"], report["run"]["options"]["reset-command"]) == (0, "pass", True), result.out
    assert json.loads(evidence)["log"]["_run"]["target"]["account_was_reset"] is True
    assert "touch" not in json.dumps(report) + evidence

    mark.unlink()

    assert command("verify", "out").code == 0
    assert not mark.exists()


def test_a_command_that_fails_begins_no_run(command: Command, folder: Path) -> None:
    with served() as service:
        result = command("check", service.base_url, "--reset-command", "false", "--output", "out")
    assert result.code == 2
    assert "--reset-command: the command failed with exit code 1" in " ".join(result.err.split())
    assert "It has to end with exit code 0" in result.err
    assert not (folder / "out" / "report.json").exists()
