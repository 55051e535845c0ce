"""`render --format specification` and `requirements --specification`: only with the reader's copy, and never stale."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
import report_samples as samples
import stand_in
from cli_services import Command
from stored_runs import sealed

from conformance.reports import files
from conformance.trust import authenticity


@pytest.fixture(name="copy")
def _copy(tmp_path: Path) -> Path:
    path = tmp_path / "specification.md"
    path.write_text(stand_in.text(), "utf-8")
    return path


@pytest.fixture(name="run")
def _run(tmp_path: Path) -> Path:
    """A recorded run whose edition is that of the stand-in."""
    report = samples.report(findings=samples.broken_findings())
    suite = replace(report.suite, edition=stand_in.specification().edition)
    data = samples.data(replace(report, suite=suite))
    files.write(tmp_path / "run", *sealed(data, samples.evidence()), ["html"])
    return tmp_path / "run"


def test_the_copy_with_notes_is_made_of_a_recorded_run(command: Command, run: Path, copy: Path) -> None:
    made = command("render", str(run), "--format", "specification", "--specification", str(copy))

    assert made.code == 0, made.err
    assert made.out == f"{run / 'specification.html'}\n"
    assert "4.3-answers-ok" in (run / "specification.html").read_text("utf-8")


def test_another_edition_gets_no_notes(command: Command, run: Path, copy: Path) -> None:
    copy.write_text(stand_in.text() + "\nOne more sentence.\n", "utf-8")
    refused = command("render", str(run), "--format", "specification", "--specification", str(copy))
    without_run = command("requirements", "--specification", str(copy), "--output", str(run / "x.html"))

    assert (refused.code, without_run.code) == (2, 2)
    assert "another edition" in refused.err
    assert "another edition" in without_run.err
    assert sorted(run.glob("*.html")) == [run / "report.html"]


def test_verification_compares_the_page_with_the_copy(command: Command, run: Path, copy: Path) -> None:
    command("render", str(run), "--format", "specification", "--specification", str(copy))
    page, known = run / "specification.html", stand_in.specification()

    assert authenticity.pages(run).needs_more
    assert authenticity.pages(run, known).valid
    page.write_text(page.read_text("utf-8").replace("Failed", "Passed", 1), "utf-8")
    altered = authenticity.pages(run, known)
    assert altered.valid is False
    assert "specification.html" in altered.message


def test_a_statement_removes_the_page_unless_the_copy_is_given(command: Command, run: Path, copy: Path) -> None:
    command("render", str(run), "--format", "specification", "--specification", str(copy))
    statement = ("--requirement", "4.5-complete-overview", "--name", "The register", "--statement", "Complete.")
    attested = command("attest", str(run), *statement)

    assert attested.code == 0, attested.err
    assert not (run / "specification.html").exists()
