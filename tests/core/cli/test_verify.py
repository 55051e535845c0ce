"""`verify`: what it prints of a run, of a translation and of pages that quote the specification, and its exit codes."""

from __future__ import annotations

import dataclasses
import json
from pathlib import Path
from typing import Any

import pytest
import report_samples as samples
import stand_in
from cli_services import Command, report_of, served
from stored_runs import sealed

from conformance import __version__
from conformance.calibration.faults import FAULTS
from conformance.model.build import build
from conformance.model.requirements import catalogue
from conformance.model.specification import read
from conformance.model.specification_places import Places, digests_of
from conformance.reports import files, language, pytest_page
from conformance.trust import authenticity, chain

FAILED = "4.3-answers-ok"
ALL = len(catalogue().rows)

Json = dict[str, Any]


@pytest.mark.usefixtures("run")
def test_an_unaltered_run_is_equal(command: Command) -> None:
    result = command("verify", "run")
    stated, conclusion = result.out.splitlines()
    assert result.code == 0
    assert stated.startswith("The report states: Does not conform. ")
    assert f" of {ALL} requirements were left out, as requested (" in stated
    assert conclusion.startswith(f"{ALL} of {ALL} verdicts recomputed and equal; digests intact; recorded 20")
    assert conclusion.endswith(" against http://localhost/api/v1")

    listed = command("verify", "run", "--list")
    assert (listed.code, "4.4-object                               pass            equal" in listed.out) == (0, True)


def test_an_altered_verdict_is_found(command: Command, run: Path) -> None:
    report = report_of(run)
    report["outcome"] = "inconclusive"
    next(row for row in report["requirements"] if row["id"] == FAILED)["verdict"] = "inconclusive"
    for is_sealed in (False, True):
        (run / files.DATA).write_text(json.dumps(chain.resealed(report) if is_sealed else report), "utf-8")

        result = command("verify", "run", "--list")
        assert result.code == 1
        assert f"{FAILED}: verdict (the evidence does not support the report)\n    recorded    inco" in result.out
        assert ("report.json was altered" in result.out) is not is_sealed
        digests = "intact" if is_sealed else "not intact"
        assert f"{ALL - 1} of {ALL} verdicts recomputed and equal; 2 other differences; digests {digests}" in result.out


def test_what_is_no_run_is_unreadable(command: Command, run: Path) -> None:
    evidence = _evidence(run)
    del evidence["log"]["_run"]
    (run / files.EVIDENCE).write_text(json.dumps(evidence), "utf-8")
    result = command("verify", "run", "--list")
    assert result.code == 1
    assert "evidence.har is not the evidence that report.json names; KeyError: '_run'" in result.err
    (run / files.EVIDENCE).unlink()
    assert command("verify", "run").code == 2
    for option, words in (("--key", "--key and --tsa-ca check a bundle"), ("--ca", "--ca checks the certificate of")):
        result = command("verify", "run", option, "public.pem")
        assert (result.code, words in result.err) == (2, True)


def _evidence(run: Path) -> Json:
    evidence: Json = json.loads((run / files.EVIDENCE).read_text("utf-8"))
    return evidence


def test_another_build_accuses_nobody_and_its_version_is_no_command(command: Command, run: Path) -> None:
    """The report of somebody else names the version, and people copy what `verify` prints into a shell."""
    evidence = _evidence(run)
    calls = [each for each in evidence["log"]["entries"] if each["_credential"] != "user"]
    calls[-1]["_credential"] = "a credential of 0.0.1"
    report = report_of(run)
    report["suite"] |= {"version": "0.1; id #", "build": f"sha256:{'1' * 64}"}
    files.write(run, *sealed(report, evidence))
    result = command("verify", "run")
    assert (result.code, "another build made the run" in result.out) == (3, True)
    assert f"version 0.1; id #, {report['suite']['build']}; this is version {__version__}, {build()}." in result.out
    assert "pip download --no-deps --only-binary :all: 'drsi-conformance==0.1; id #'\n" in result.out
    assert "--suite 'drsi_conformance-0.1; id #-py3-none-any.whl'. It is executed" in result.out
    assert "the evidence does not support the report" not in result.out

    del evidence["log"]["_run"]
    files.write(run, *sealed(report, evidence))
    result = command("verify", "run")
    assert (result.code, "Expected the build that made the run" in result.err) == (3, True)


def test_damage_is_told_first_and_ends_the_verification(command: Command, run: Path) -> None:
    evidence = _evidence(run)
    evidence["log"]["entries"][3]["time"] += 1
    (run / files.EVIDENCE).write_text(json.dumps(evidence), "utf-8")
    result = command("verify", "run")
    assert result.code == 1
    assert result.out.splitlines()[0].startswith("  altered: the exchange ")
    assert len(result.out.splitlines()) <= 4
    assert "no verdict recomputed, because the run was altered" in result.out
    listed = command("verify", "run", "--list")
    assert (listed.code, "verdicts recomputed and equal" in listed.out) == (1, True)


# ------------------------------------------------------------------ pages that another program has made


def test_a_translation_is_written_beside_the_run_and_compared(run: Path, command: Command) -> None:
    before = {path.name: path.read_bytes() for path in run.iterdir()}

    done = command("render", str(run), "--language", "nl", "--format", "summary")

    assert (done.code, done.out) == (0, f"{run}/summary.nl.html\n")
    page = run / "summary.nl.html"
    text = page.read_text("utf-8")
    assert '<html lang="nl">' in text
    assert "Voldoet niet" in text
    assert {path.name: path.read_bytes() for path in run.iterdir() if path != page} == before
    assert command("verify", str(run)).code == 0

    page.write_text(text.replace("Voldoet niet", "Voldoet"), "utf-8")
    altered = command("verify", str(run))
    assert altered.code == 1
    assert "pages: summary.nl.html: not what this version makes of report.json." in altered.out

    older = text.replace(f"Babel {language.babel()}", "Babel 2.17.0").replace("januari", "jan.")
    page.write_text(older.replace(" 2026,", " '26,"), "utf-8")
    other = command("verify", str(run))
    assert other.code == 3
    assert "summary.nl.html: not compared, because Babel 2.17.0 made a part of it" in other.out
    assert "pip install 'babel==2.17.0'" in other.out
    assert "pages not compared" in other.out


def test_a_page_of_another_pytest_html_accuses_no_one(run: Path, command: Command) -> None:
    command("render", str(run), "--format", "pytest-html")
    page = run / "pytest.html"
    assert command("verify", str(run)).code == 0
    text = page.read_text("utf-8")
    page.write_text(text.replace(f"v{pytest_page.version()}</p>", "v4.0.9</p>").replace("<h2>", "<h2 >"), "utf-8")

    done = command("verify", str(run))

    assert done.code == 3
    assert "pytest.html: not compared, because pytest-html 4.0.9 made a part of it" in done.out
    assert "pip install 'pytest-html==4.0.9'" in done.out


# ------------------------------------------------------------------ a reader's copy of the specification

PLACE = "4.3, item 3"
QUOTED = stand_in.specification().words[PLACE]


@pytest.fixture(name="copy")
def _copy(folder: Path) -> Path:
    path = folder / "specification.md"
    path.write_text(stand_in.text(), "utf-8")
    return path


@pytest.fixture(name="edition")
def _edition(copy: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """Let the made-up text be the edition of the catalogue."""
    edition = read(copy.read_bytes()).edition
    known = catalogue()
    made_up = dataclasses.replace(known, edition=dataclasses.replace(known.edition, digest=edition))
    for module in ("cli.explain", "cli.checked_run", "run.documents", "reports.basis"):
        monkeypatch.setattr(f"conformance.{module}.catalogue", lambda: made_up)
    places = Places(digests_of(read(copy.read_bytes())), {}, {})
    monkeypatch.setattr("conformance.model.specification_places.places", lambda: places)
    return edition


def test_another_edition_is_named_and_not_quoted(command: Command, copy: Path) -> None:
    result = command("explain", FAILED, "--specification", str(copy))

    assert result.code == 0
    assert QUOTED not in result.out
    assert f"expected {catalogue().edition.digest}" in result.err
    assert f"received {stand_in.specification().edition}" in result.err
    assert "Name an unedited copy" in result.err


@pytest.mark.usefixtures("tokens")
def test_pages_that_quote_are_compared_with_the_copy_and_quotes_kept_only_if_that_is_asked(
    command: Command, copy: Path, edition: str
) -> None:
    quoting = ("--specification", str(copy))
    explained = command("explain", FAILED, *quoting)
    assert f"specification: {PLACE}: {QUOTED}" in " ".join(explained.out.split())
    with served(FAULTS["delete-answers-okay"].service) as service:
        check = ("check", service.base_url, "--quiet", "--only", FAILED, "--format", "html,csv", *quoting, "--output")
        assert (command(*check, "run").code, command(*check, "kept", "--keep-quotes").code) == (1, 1)
    report, kept = report_of(Path("run")), report_of(Path("kept"))
    assert report["suite"]["edition"] == edition
    assert ("quoted" in report, QUOTED in json.dumps(report)) == (False, False)
    assert kept["quoted"][PLACE] == QUOTED
    assert QUOTED not in Path("kept/evidence.har").read_text("utf-8")

    without, having = command("verify", "run"), command("verify", "run", *quoting)
    assert without.code == 3, without.out
    assert "report.html, requirements.csv: not compared, because they quote the specification" in without.out
    assert "pages not compared" in without.out.splitlines()[-1]
    assert (having.code, "pages" in having.out) == (0, False), having.out
    page = Path("run/report.html")
    page.write_text(page.read_text("utf-8").replace("conform", "CONFORM", 1), "utf-8")
    altered = command("verify", "run", *quoting)
    assert altered.code == 1
    assert "report.html: not what this version makes of report.json" in altered.out


def test_a_copy_with_notes_is_made_compared_and_removed_by_a_statement(
    command: Command, folder: Path, copy: Path
) -> None:
    known = stand_in.specification()
    report = samples.report(findings=samples.broken_findings())
    data = samples.data(dataclasses.replace(report, suite=dataclasses.replace(report.suite, edition=known.edition)))
    noted, page = folder / "noted", folder / "noted" / "specification.html"
    files.write(noted, *sealed(data, samples.evidence()), ["html"])
    quoting = ("--specification", str(copy))
    render = ("render", "noted", "--format", "specification", *quoting)

    made = command(*render)
    assert (made.code, made.out) == (0, "noted/specification.html\n"), made.err
    assert "4.3-answers-ok" in page.read_text("utf-8")
    assert authenticity.pages(noted).needs_more
    assert authenticity.pages(noted, known).valid
    page.write_text(page.read_text("utf-8").replace("Failed", "Passed", 1), "utf-8")
    altered = authenticity.pages(noted, known)
    assert (altered.valid, "specification.html" in altered.message) == (False, True)

    statement = ("--requirement", "4.5-complete-overview", "--name", "The register", "--statement", "Complete.")
    assert command("attest", "noted", *statement).code == 0  # without the copy
    copy.write_text(stand_in.text() + "\nOne more sentence.\n", "utf-8")
    for refused in (command(*render), command("requirements", *quoting, "--output", "noted/x.html")):
        assert (refused.code, "another edition" in refused.err) == (2, True)
    assert sorted(noted.glob("*.html")) == [noted / "report.html"]
