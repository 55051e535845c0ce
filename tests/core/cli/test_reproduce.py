"""The command reproduce: the scripts of a run's findings."""

from __future__ import annotations

import json
import os
import signal
import subprocess
from pathlib import Path

import pytest
from cli_services import (
    OTHER_TOKEN,
    PATIENCE,
    TOKEN,
    Command,
    Gate,
    Started,
    refusing,
    report_of,
    served,
    slow_creation,
)
from platforms import POSIX_COMMANDS

from conformance.calibration.faults import FAULTS
from conformance.reference.service import Service

pytestmark = POSIX_COMMANDS

ID = "4.3-answers-ok"
TOKENS = {"DRSI_TOKEN": TOKEN, "DRSI_OTHER_TOKEN": OTHER_TOKEN}


def test_the_script_of_a_requirement_is_printed_and_written_as_an_executable_file(
    command: Command, run: Path, tmp_path: Path
) -> None:
    printed = command("reproduce", str(run / "report.json"), ID)
    assert printed.code == 0
    assert printed.out.startswith("#!/usr/bin/env python3\n# -*- coding: utf-8 -*-\n# 4.3-answers-ok (must): ")

    (tmp_path / "scripts").mkdir()
    (tmp_path / "scripts" / f"{ID}.py").symlink_to(tmp_path / "other.py")
    result = command("reproduce", str(run), "--output", str(tmp_path / "scripts"))
    assert not (tmp_path / "other.py").exists()
    (written,) = [Path(line) for line in result.out.splitlines()]
    assert (result.code, written) == (0, tmp_path / "scripts" / f"{ID}.py")
    assert os.access(written, os.X_OK)
    assert written.read_text("utf-8") == printed.out


@pytest.mark.usefixtures("tokens")
@pytest.mark.parametrize(
    ("service", "state", "code"), [(Service, "NOT SHOWN", 0), (FAULTS["delete-answers-202"].service, "STILL FAILS", 1)]
)
def test_all_scripts_are_run_against_the_service_as_it_is_now(
    command: Command, run: Path, service: type[Service], state: str, code: int
) -> None:
    with served(service) as now:
        result = command("reproduce", str(run), "--all", "--base-url", now.base_url)
        assert now.live == 0

    decided_by = f"  this decides it: drsi-conformance check http://localhost/api/v1 --select {ID}" if code == 0 else ""
    assert (result.code, result.out.splitlines()) == (code, [f"{state:<11}  {ID}{decided_by}", f"1 finding {state}"])


def test_a_script_that_is_interrupted_deletes_what_it_created(run: Path, tmp_path: Path) -> None:
    gate = Gate()
    with (
        served(slow_creation(gate, 0)) as now,
        Started(tmp_path, "reproduce", str(run), "--all", "--base-url", now.base_url, **TOKENS) as command,
    ):
        assert gate.reached.wait(PATIENCE)
        os.killpg(command.process.pid, signal.SIGINT)  # as a terminal does
        with pytest.raises(subprocess.TimeoutExpired):
            command.process.wait(1)  # it waits for its script
        gate.open.set()

        assert (command.ended(), command.out, now.live) == (3, "", 0)
        assert command.err.strip().startswith("Interrupted ")


@pytest.mark.usefixtures("tokens")
def test_a_finding_without_a_script_is_not_tested(command: Command, run: Path) -> None:
    report = report_of(run)
    for finding in (each for row in report["requirements"] for each in row["findings"]):
        finding["probe"] = None
    (run / "report.json").write_text(json.dumps(report))

    assert command("reproduce", str(run), "--all").code == 3


@pytest.mark.usefixtures("tokens")
def test_a_service_that_does_not_answer_is_not_tested(command: Command, run: Path) -> None:
    result = command("reproduce", str(run), "--all", "--base-url", refusing())

    assert result.code == 3
    assert result.out.startswith(f"NOT TESTED   {ID}  Not tested: the service did not answer (")


@pytest.mark.usefixtures("tokens")
def test_tokens_go_only_where_the_user_says(command: Command, run: Path) -> None:
    report = report_of(run)
    report["target"]["base_url"] = "https://elsewhere.example/api"
    (run / "report.json").write_text(json.dumps(report))

    result = command("reproduce", str(run), "--all")

    assert (result.code, result.out) == (2, "")
    assert "--base-url https://elsewhere.example/api" in result.err
    assert command("reproduce", str(run), "--base-url", "http://localhost").code == 2
    assert command("reproduce", str(run), "--all", "--output", "scripts").code == 2
