"""The commands store and site: what they do, and a refused use of each."""

from __future__ import annotations

import shlex
import sqlite3
from pathlib import Path

import bundles
import pytest
from cli_services import Command, is_one_message
from stored_runs import recorded_run
from whole_runs import only, run_over

from conformance.fleet.store.store import Store
from conformance.reports import files
from conformance.run.documents import Documents


@pytest.fixture
def runs(folder: Path, monkeypatch: pytest.MonkeyPatch) -> tuple[str, str]:
    """Two runs of one service; the second one failed. They have no evidence of it, and nothing asks for it here."""
    monkeypatch.setattr("conformance.fleet.store.recorded.confirm", lambda *_: None)
    recorded_run(folder / "first", 1, observed={"4.2-odd-identifiers": "400."})
    recorded_run(folder / "second", 2, failing=["4.3-answers-ok"], observed={"4.2-odd-identifiers": "404."})
    return "first", "second"


def test_runs_are_added_exported_imported_and_removed(command: Command, folder: Path, runs: tuple[str, str]) -> None:
    done = command("store", "add", "audits.sqlite", *runs, "--target", "example")
    assert (done.code, done.out, done.err) == (0, "first: run 1\nsecond: run 2\n", "")
    assert command("store", "add", "audits.sqlite", "first").out == "first: run 1\n"

    counted = command("store", "choices", "audits.sqlite").out
    assert ("4.2-odd-identifiers: 404: 1 of 1\n" in counted, "4.2-odd-identifiers: 400" in counted) == (True, False)
    assert command("store", "export", "audits.sqlite", "all").out == "all: 2 runs\n"
    again = command("store", "export", "audits.sqlite", "all")
    assert (again.code, "is not overwritten" in again.err) == (2, True)
    done = command("store", "import", "copy.sqlite", "all")
    assert done.out == "copy.sqlite: 2 runs of all\n1 proposal: 'store accept copy.sqlite' lists them.\n"
    listed = command("store", "accept", "copy.sqlite").out
    assert command("store", "accept", "copy.sqlite", listed.split()[0]).code == 0
    assert command("store", "keep", "copy.sqlite", "1").out == "1 run removed.\n"
    assert command("store", "keep", "copy.sqlite", "1").out == "0 runs removed.\n"
    assert len(list((folder / "copy.sqlite.evidence").rglob("*.zip"))) == 1

    connection = sqlite3.connect(folder / "audits.sqlite")
    assert connection.execute("SELECT target, requirement FROM regressions").fetchall() == [
        ("example", "4.3-answers-ok")
    ]
    connection.close()


def test_a_run_whose_page_says_something_else_is_not_added(command: Command, folder: Path) -> None:
    run = Documents(run_over(plan=only("4.4-object")))
    (page,) = (each for each in files.write(folder / "run", run.data, run.evidence, ["html"]) if each.suffix == ".html")
    assert command("store", "add", "audits.sqlite", "run").code == 0
    page.write_text(page.read_text("utf-8").replace("<h1>", "<h1>Certified: "), "utf-8")
    refused = command("store", "add", "audits.sqlite", "run")
    assert (refused.code, "report.html: not what this version makes of report.json" in refused.err) == (2, True)


@pytest.fixture(scope="module")
def filled(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a store with a service, of its run, and of a key. No test changes it."""
    folder = tmp_path_factory.mktemp("filled")
    run = recorded_run(folder / "run", base_url="https://fine.example")
    bundles.written(folder / "run.zip", bundles.packed(run, bundles.key(folder)))
    with Store.open(folder / "audits.sqlite", create=True) as store:
        store.add_run(run, target="fine")
    return folder


REFUSED = {
    "store add new.sqlite nothing": "nothing cannot be read as the result of a run",
    "store add run/report.json run": "file is not a database",
    "store export absent.sqlite new": "There is no store at absent.sqlite",
    "store export audits.sqlite nowhere/new": "cannot be written",
    "store import c.sqlite run.zip": "run.zip is no exported store: expected the file store.jsonl",
    "store accept audits.sqlite 1": "has no proposal",
    "store keep audits.sqlite 0": "0 is not in the range",
    "store choices absent.sqlite": "There is no store at absent.sqlite",
    "store publish audits.sqlite fine": "Expected the text of --consent or --authority",
    "store publish audits.sqlite fine --consent a --authority b": "exclude each other",
    "store unpublish audits.sqlite fine": "Nothing permits to publish 'fine'",
    "store party audits.sqlite --name Auditor --key run/report.json": "expected an Ed25519",
    "store witness audits.sqlite run/report.json": "Expected the statement of a witness",
    "site audits.sqlite out --register --valid-for soon": "such as 90d, 12w or 36h",
    "site audits.sqlite out --operator Me": "--operator is for --register",
    "verify run.zip --register http://127.0.0.1:1/": "cannot be read",
    "verify run.zip --register http://register.example": "expected an https address",
    "verify run.zip --register https://user:secret@register.example": "expected an address without a user",
    "verify run --register out": "--register looks up a bundle by its digest",
    "verify run.zip --register-key auditor.pub": "--register-key is for --register",
    "verify run.zip --register out --use-bundled-suite": "--register excludes another build",
}


@pytest.mark.parametrize("line", REFUSED)
def test_a_refused_use_is_one_message(
    command: Command, filled: Path, monkeypatch: pytest.MonkeyPatch, line: str
) -> None:
    monkeypatch.chdir(filled)
    monkeypatch.setattr("conformance.fleet.store.recorded.confirm", lambda *_: None)
    is_one_message(command(*shlex.split(line)), REFUSED[line])
    assert not Path("out").exists()
