"""The command reproduce: the scripts of a run's findings."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import subprocess
import threading
from pathlib import Path

import pytest
from cli_services import OTHER_TOKEN, PATIENCE, TOKEN, Command, Started, never_answering, report_of, served
from platforms import POSIX_COMMANDS

from conformance.calibration.faults import FAULTS
from conformance.reference.call import Call, Reply
from conformance.reference.service import Service

pytestmark = POSIX_COMMANDS

ID = "4.3-answers-ok"


@pytest.mark.parametrize("named", ["run", "run/report.json"])
def test_the_script_of_a_requirement_is_printed(command: Command, run: Path, named: str) -> None:
    result = command("reproduce", str(run.parent / named), ID)
    assert result.code == 0
    assert result.out.startswith("#!/usr/bin/env python3\n# -*- coding: utf-8 -*-\n# 4.3-answers-ok (must): ")
    compile(result.out, "script.py", "exec")


def test_the_scripts_are_written_as_executable_files(command: Command, run: Path, tmp_path: Path) -> None:
    result = command("reproduce", str(run), "--output", str(tmp_path / "scripts"))
    written = [Path(line) for line in result.out.splitlines()]
    assert result.code == 0
    assert written[0] == tmp_path / "scripts" / f"{ID}.py"
    for path in written:
        assert os.access(path, os.X_OK)
        compile(path.read_text("utf-8"), path, "exec")


def without_probes(run: Path) -> None:
    """Let no finding of the run say what its script has to look at."""
    report = report_of(run)
    for row in report["requirements"]:
        for finding in row["findings"]:
            finding["probe"] = None
    (run / "report.json").write_text(json.dumps(report))


def test_a_finding_without_script_names_the_command(command: Command, run: Path, tmp_path: Path) -> None:
    without_probes(run)
    line = f"drsi-conformance check http://localhost/api/v1 --select {ID}"
    assert line in command("reproduce", str(run)).out
    assert f"no script; run {line}" in command("reproduce", str(run), "--output", str(tmp_path / "none")).out
    printed = command("reproduce", str(run), ID)
    assert (printed.code, printed.out) == (2, "")
    assert line in printed.err


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


class _Slow(Service):
    """Stores a request, and answers only when the test lets it."""

    stored = threading.Event()
    answers = threading.Event()

    async def create(self, call: Call) -> Reply:
        reply = await super().create(call)
        self.stored.set()
        await asyncio.to_thread(self.answers.wait, PATIENCE)
        return reply


def test_a_script_that_is_interrupted_deletes_what_it_created(run: Path, tmp_path: Path) -> None:
    with (
        served(_Slow) as now,
        Started(
            tmp_path,
            "reproduce",
            str(run),
            "--all",
            "--base-url",
            now.base_url,
            DRSI_TOKEN=TOKEN,
            DRSI_OTHER_TOKEN=OTHER_TOKEN,
        ) as command,
    ):
        assert _Slow.stored.wait(PATIENCE)
        os.killpg(command.process.pid, signal.SIGINT)  # as a terminal does
        with pytest.raises(subprocess.TimeoutExpired):
            command.process.wait(1)  # it waits for its script
        _Slow.answers.set()

        assert (command.ended(), command.out, now.live) == (3, "", 0)
        assert command.err.strip().startswith("Interrupted ")


@pytest.mark.usefixtures("tokens")
def test_what_a_script_cannot_test_is_said(command: Command, run: Path) -> None:
    with never_answering(close=True) as origin:
        unreachable = command("reproduce", str(run), "--all", "--base-url", origin)
    without_probes(run)
    without_script = command("reproduce", str(run), "--all")

    assert (unreachable.code, without_script.code) == (3, 3)
    assert unreachable.out.startswith(f"NOT TESTED   {ID}  Not tested: the service did not answer (")
    assert (
        f"no script can decide it; run: drsi-conformance check http://localhost/api/v1 --select {ID}"
        in without_script.out
    )


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
