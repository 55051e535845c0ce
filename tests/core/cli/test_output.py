"""The folder of a run: what an earlier one said there is never taken for what this one says."""

from __future__ import annotations

from pathlib import Path

import pytest
from cli_services import TOKEN, Command, names_in, refusing, served
from platforms import POSIX_MODES, SYMBOLIC_LINKS

from conformance.cli.errors import Failure
from conformance.cli.output import OutputFolder
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


def test_what_cannot_be_removed_is_said_beforehand(out: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    unlink = Path.unlink

    def refuse(path: Path, *, missing_ok: bool = False) -> None:
        if path.name == "report.json":
            raise PermissionError(1, "Operation not permitted", str(path))
        unlink(path, missing_ok=missing_ok)

    monkeypatch.setattr(Path, "unlink", refuse)
    with pytest.raises(Failure, match=r"report\.json cannot be written: Operation not permitted"), OutputFolder(out):
        pass
    assert "journal-2.jsonl" not in names_in(out)


def test_a_recorded_run_is_rendered_again(command: Command, run: Path) -> None:
    result = command("render", "run", "--format", "html, junit", "--output", "views")
    assert (result.code, result.out.split()) == (0, ["views/report.html", "views/junit.xml"])
    assert command("render", "run/report.json", "--format", "junit").out.split() == ["run/junit.xml"]
    assert command("render", "run", "--format", "json,har", "--output", "copy").code == 0
    for name in ("report.json", "evidence.har"):
        assert Path("copy", name).read_bytes() == (run / name).read_bytes()
