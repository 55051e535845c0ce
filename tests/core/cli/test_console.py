"""The progress of a run on a terminal and elsewhere, and a console that cannot show every character."""

from __future__ import annotations

import io
import re
import sys
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from cli_services import Command, refusing, served
from rich.console import Console
from rich.live import Live

from conformance.cli import progress as progress_module
from conformance.cli.progress import LiveProgress, PlainProgress, progress_of
from conformance.model.exchange import Exchange
from conformance.model.findings import Finding
from conformance.model.verdict import Blame, Verdict
from conformance.reference.call import Call
from conformance.reference.service import Service


class Unusual(Service):
    """A service whose texts have characters of no Western code page, in places that findings and reports quote."""

    def settings(self, call: Call) -> Any:
        return super().settings(call) | {"maxNumberOfRequests": "✓ 五 😀", "legalEntity": None}


def test_a_size_of_the_terminal_that_is_none_changes_no_output(
    command: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    expected = command("doctor", refusing())
    for size in ("0", "-5", "abc", "", " ", "80.5", "\u00b2", "9" * 5000):
        for name in ("COLUMNS", "LINES"):
            monkeypatch.setenv(name, size)
        result = command("doctor", refusing())
        assert (result.code, result.err) == (expected.code, expected.err)
        assert result.out.splitlines()[1:] == expected.out.splitlines()[1:] != []  # the first line has the port


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


def test_a_terminal_shows_the_clauses_in_order_with_state_and_findings(monkeypatch: pytest.MonkeyPatch) -> None:
    # A refresh by the thread of rich may fall into the drawing of a line: here each line and the end alone draw.
    monkeypatch.setattr(progress_module, "Live", partial(Live, auto_refresh=False))
    console = Console(file=io.StringIO(), force_terminal=True, width=40, color_system=None)
    progress = LiveProgress(console)
    with progress.shown():
        progress.planned(["7", "4.3", "4.3", "2.1"])
        for clause in ("2.1", "4.3"):
            progress.at(clause, "test_x.py::test_deleting_a_request[of-another]")
            progress.done(clause)
        progress.found("4.3-answers-ok", finding(Verdict.FAIL), "It answered 204.")
        progress.at("4.3", "test_x.py::test_deleting_a_request[of-another]")

    assert isinstance(console.file, io.StringIO)
    shown = re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "\n", console.file.getvalue())
    assert "✓2.1  ▶4.3(1)  ○7" in shown
    assert "2 of 4 checks" in shown
    assert "DELETE /requests/{requestId}  de" in shown
    assert "possible failure  4.3-answers-ok: It" in shown
    assert max(map(len, re.split(r"[\r\n]", shown))) <= 40


def test_a_log_has_one_line_for_each_finding_of_a_requirement() -> None:
    console = Console(file=io.StringIO(), width=40)
    progress = PlainProgress(console)
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


@pytest.mark.parametrize(
    ("variables", "kind"), [({}, LiveProgress), ({"TERM": "dumb"}, PlainProgress), ({"NO_COLOR": "1"}, LiveProgress)]
)
def test_a_dumb_terminal_gets_lines(
    monkeypatch: pytest.MonkeyPatch, variables: dict[str, str], kind: type[object]
) -> None:
    for name, value in {"FORCE_COLOR": "1", "TERM": "xterm", **variables}.items():
        monkeypatch.setenv(name, value)

    assert type(progress_of(quiet=False)) is kind
