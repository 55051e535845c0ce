"""The commands store and site: what they say, and what they refuse."""

from __future__ import annotations

import sqlite3
from pathlib import Path

import pytest
from cli_services import Command
from stored_runs import recorded_run

from conformance.fleet.store.tables import SCHEMA


@pytest.fixture
def runs(folder: Path, monkeypatch: pytest.MonkeyPatch) -> tuple[str, str]:
    """Two runs of one service; the second one failed. They have no evidence of it, and nothing asks for it here."""
    monkeypatch.setattr("conformance.fleet.commands.confirmed.confirm", lambda _: None)
    recorded_run(folder / "first", 1)
    recorded_run(folder / "second", 2, failing=["4.3-answers-ok"])
    return "first", "second"


def test_runs_are_added_exported_imported_and_removed(command: Command, folder: Path, runs: tuple[str, str]) -> None:
    done = command("store", "add", "audits.sqlite", *runs, "--target", "example")
    assert (done.code, done.out, done.err) == (0, "first: run 1\nsecond: run 2\n", "")
    assert command("store", "add", "audits.sqlite", "first").out == "first: run 1\n"

    assert command("store", "export", "audits.sqlite", "all.zip").out == "all.zip: 2 runs\n"
    done = command("store", "import", "copy.sqlite", "all.zip")
    assert done.out == "copy.sqlite: 2 runs of all.zip\n1 proposal: 'store accept copy.sqlite' lists them.\n"
    assert command("store", "keep", "copy.sqlite", "1").out == "1 run removed.\n"
    assert command("store", "keep", "copy.sqlite", "1").out == "0 runs removed.\n"
    assert command("store", "upgrade", "copy.sqlite").out == f"The store has schema {SCHEMA} already.\n"
    assert len(list((folder / "copy.sqlite.evidence").rglob("*.zip"))) == 1

    connection = sqlite3.connect(folder / "audits.sqlite")
    assert connection.execute("SELECT target, requirement FROM regressions").fetchall() == [
        ("example", "4.3-answers-ok")
    ]
    connection.close()


@pytest.mark.usefixtures("runs")
@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("add", "new.sqlite", "nothing"), "nothing cannot be read as the result of a run"),
        (("add", "first/report.json", "second"), "file is not a database"),
        (("add", "new.sqlite", "second", "--target", ""), "Expected the name of a target"),
        (("add", "new.sqlite", "second", "--evidence", "first/report.json/x"), "Evidence at"),
        (("export", "new.sqlite", "all.zip"), "There is no store at new.sqlite"),
        (("import", "new.sqlite", "first/report.json"), "is no exported store"),
        (("import", "new.sqlite", "nothing"), "nothing cannot be read: No such file"),
        (("keep", "new.sqlite", "0"), "0 is not in the range"),
        (("upgrade", "new.sqlite"), "There is no store at new.sqlite"),
    ],
)
def test_what_cannot_be_done_is_said_in_a_sentence(command: Command, arguments: tuple[str, ...], said: str) -> None:
    done = command("store", *arguments)

    assert done.code == 2
    assert said in done.err
    assert "Traceback" not in done.err


def test_an_export_overwrites_nothing(command: Command, folder: Path, runs: tuple[str, str]) -> None:
    command("store", "add", "audits.sqlite", *runs)
    (folder / "all.zip").write_text("mine")

    done = command("store", "export", "audits.sqlite", "all.zip")
    assert (done.code, (folder / "all.zip").read_text()) == (2, "mine")
    assert "is not overwritten" in done.err
    done = command("store", "export", "audits.sqlite", "nowhere/all.zip")
    assert (done.code, "cannot be written" in done.err) == (2, True)
