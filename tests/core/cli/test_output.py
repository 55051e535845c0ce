"""What a run writes into its folder, where an earlier one has written, and what it shows on a console."""

from __future__ import annotations

import io
import re
import sys
from pathlib import Path
from typing import Any

import pytest
from cli_services import TOKEN, Command, names_in, refusing, served
from platforms import POSIX_MODES, SYMBOLIC_LINKS
from rich.console import Console

from conformance.cli.output import OutputFolder
from conformance.cli.progress import Progress
from conformance.model.exchange import Exchange
from conformance.model.findings import Finding
from conformance.model.verdict import Blame, Verdict
from conformance.reference.call import Call
from conformance.reference.service import Service
from conformance.reports.files import DATA, FILE_NAMES

OTHERS = {"journal.jsonl", "notes.txt", "report.json.bak", "log.html"}


@pytest.fixture
def out(folder: Path) -> Path:
    """A folder in which an earlier run, and somebody else, wrote."""
    out = folder / "out"
    out.mkdir()
    for name in (*FILE_NAMES, *OTHERS):
        (out / name).write_text("conforms")
    return out


def test_a_run_that_comes_to_nothing_leaves_no_verdict_of_an_earlier_one(command: Command, out: Path) -> None:
    result = command("check", refusing(), "--token", TOKEN, "--output", str(out))

    assert result.code == 3
    assert "no report was written" in result.err
    assert names_in(out) == OTHERS
    assert {(out / name).read_text() for name in OTHERS} == {"conforms"}


@POSIX_MODES
def test_a_new_folder_is_private_until_the_report_is_written(command: Command, folder: Path) -> None:
    usual = folder / "usual"
    usual.mkdir()
    with OutputFolder(folder / "new") as new:
        assert new.directory.stat().st_mode & 0o777 == 0o700
        assert new.journal.stat().st_mode & 0o777 == 0o600
    assert command("check", "--profile", "public", "--only", "4.4-object", "--quiet", "--output", "out").code == 0
    assert (folder / "out").stat().st_mode == usual.stat().st_mode


def test_a_folder_in_the_place_of_a_file_is_refused_before_anything_is_asked(command: Command, folder: Path) -> None:
    (folder / "out" / DATA).mkdir(parents=True)
    with served() as service:
        result = command("check", service.base_url, "--token", TOKEN, "--output", "out")

    assert (result.code, service.calls) == (2, [])
    assert f"out/{DATA} cannot be written: it is a folder, and the run writes a file of this name." in result.err
    assert "Name a place that can be written with --output.\nThe service was not contacted." in result.err
    assert names_in(folder / "out") == {DATA}


@SYMBOLIC_LINKS
def test_the_old_verdict_is_gone_before_the_target_is_asked_and_no_link_is_followed(folder: Path, out: Path) -> None:
    (folder / "kept").mkdir()
    (out / DATA).unlink()
    (out / DATA).symlink_to(folder / "kept")

    with OutputFolder(out):
        assert names_in(out) == {*OTHERS, "journal-2.jsonl"}  # what a second Ctrl-C would leave
    assert (folder / "kept").is_dir()


def test_a_recorded_run_is_rendered_again(command: Command, run: Path) -> None:
    result = command("render", "run", "--format", "html, junit", "--output", "views")
    assert (result.code, result.out.split()) == (0, ["views/report.html", "views/junit.xml"])
    assert command("render", "run/report.json", "--format", "junit").out.split() == ["run/junit.xml"]
    assert command("render", "run", "--format", "json,har", "--output", "copy").code == 0
    for name in ("report.json", "evidence.har"):
        assert Path("copy", name).read_bytes() == (run / name).read_bytes()


# ------------------------------------------------------------------ console


class Unusual(Service):
    """A service whose texts have characters of no Western code page, in places that findings and reports quote."""

    def settings(self, call: Call) -> Any:
        return super().settings(call) | {"maxNumberOfRequests": "✓ 五 😀", "legalEntity": None}


def test_what_a_console_cannot_show_is_escaped(command: Command, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The console is one of Windows in America, whose code page has few of the characters of the suite."""
    shown = io.BytesIO()
    for name in ("stdout", "stderr"):
        monkeypatch.setattr(sys, name, io.TextIOWrapper(shown, encoding="cp437", write_through=True))
    monkeypatch.setenv("COLUMNS", "200")
    with served(Unusual) as service:
        narrow = ("--profile", "public", "--only", "2.3", "--output", "out", "--format", "markdown")
        assert command("check", service.base_url, *narrow).code == 1
    assert command("verify", "out").code == 0

    text = shown.getvalue().decode("cp437")
    assert r"\u2713 \u4e94 \U0001f600" in text
    assert "Traceback" not in text
    # Files are UTF-8 on every system.
    assert "✓ 五 😀" in (folder / "out" / "summary.md").read_text("utf-8")


# ------------------------------------------------------------------ progress


def finding(verdict: Verdict, *, alert: bool = False) -> Finding[Exchange]:
    return Finding(verdict=verdict, blame=Blame.TARGET, message="", alert=alert)


def test_a_log_has_one_line_for_each_finding_of_a_requirement() -> None:
    console = Console(file=io.StringIO(), width=40)
    progress = Progress(console)
    progress.exchanges = lambda: 5
    progress.planned(["4.3", "4.3"])
    for _ in range(2):
        progress.at("4.3", "test_x.py::test_y")
        progress.found("4.3-answers-ok", finding(Verdict.FAIL), "It answered \x1b[2J\n204.")
        progress.found("2.1-requestId-version", finding(Verdict.WARN), "It is 1. " * 100)
        progress.found("5-isolation", finding(Verdict.OBSERVED, alert=True), "It is read.")
        progress.done("4.3")

    assert isinstance(console.file, io.StringIO)
    heading, *lines, end = console.file.getvalue().splitlines()
    assert re.fullmatch(r"  4\.3  DELETE /requests/\{requestId\} +0 of 2 checks, \d+\.\d s, 5 requests", heading)
    assert lines[0] == r"possible failure  4.3-answers-ok: It answered \x1b[2J\n204."
    assert lines[1].startswith("possible warning  2.1-requestId-version: It is 1.")
    assert lines[2:] == ["alert  5-isolation: It is read."]
    assert len(lines[1]) < 300
    assert re.fullmatch(r"  All checks ended +2 of 2 checks, \d+\.\d s, 5 requests", end)
