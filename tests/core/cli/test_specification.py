"""--specification: a reader's copy is quoted if it is the edition of the suite, and named if it is another one."""

from __future__ import annotations

import dataclasses
import json
from pathlib import Path

import pytest
from cli_services import OTHER_TOKEN, TOKEN, Command, listening

from conformance.calibration.faults import FAULTS
from conformance.model.requirements import catalogue
from conformance.model.specification import digest, read
from conformance.model.specification_places import Places, digests_of
from conformance.reference.config import ReferenceConfig, User

ID = "4.3-answers-ok"
TEXT = """\
# An interface

## 1. Purpose
1. First.
2. A user withdraws.

### 4.3 DELETE

Withdraws it.

- Path: an id.
- Body: none.
- 200: the <b>word</b> of this copy.
"""
QUOTED = "the <b>word</b> of this copy."


@pytest.fixture(name="copy")
def _copy(tmp_path: Path) -> Path:
    path = tmp_path / "specification.md"
    path.write_text(TEXT, "utf-8")
    return path


@pytest.fixture(name="edition")
def _edition(monkeypatch: pytest.MonkeyPatch) -> str:
    """Let the made-up text be the edition of the catalogue."""
    edition = digest(TEXT.rstrip("\n"))
    known = catalogue()
    made_up = dataclasses.replace(known, edition=dataclasses.replace(known.edition, digest=edition))
    for module in ("cli.explain", "cli.checked_run", "run.documents", "reports.basis"):
        monkeypatch.setattr(f"conformance.{module}.catalogue", lambda: made_up)
    return edition


@pytest.fixture(name="failed")
def _failed(command: Command, copy: Path, edition: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A run with a failure that keeps what it quotes."""
    assert edition
    made_up = Places(digests_of(read(copy.read_bytes())), {}, {})
    monkeypatch.setattr("conformance.model.specification_places.places", lambda: made_up)
    run, config = tmp_path / "failed", ReferenceConfig(users=(User("alice", TOKEN), User("bob", OTHER_TOKEN)))
    with listening(FAULTS["delete-answers-okay"].app(config)) as origin:
        made = command(
            *("check", f"{origin}{config.path_prefix}", "--token", TOKEN, "--quiet", "--only", ID),
            *("--output", str(run), "--specification", str(copy), "--keep-quotes", "--format", "html"),
        )
    assert made.code == 1, made.out + made.err
    return run


@pytest.fixture(name="run")
def _run(command: Command, copy: Path, edition: str, tmp_path: Path) -> Path:
    run = tmp_path / "run"
    made = command(
        *("check", "--quiet", "--only", ID, "--output", str(run), "--specification", str(copy)),
        *("--format", "html,junit,markdown,csv,sarif"),
    )
    assert made.code == 0, made.out + made.err
    assert json.loads((run / "report.json").read_text("utf-8"))["suite"]["edition"] == edition
    return run


@pytest.mark.usefixtures("edition")
def test_explain_prints_the_words_of_each_place(command: Command, copy: Path) -> None:
    plain, quoting = command("explain", ID), command("explain", ID, "--specification", str(copy))

    assert "in the suite's words" in " ".join(plain.out.split())
    assert "basis: Stated in 4.3" in plain.out
    assert QUOTED not in plain.out
    assert f"specification: 4.3, item 3: 200: {QUOTED}" in " ".join(quoting.out.split())
    assert quoting.err == ""


def test_another_edition_is_named_and_not_quoted(command: Command, copy: Path) -> None:
    result = command("explain", ID, "--specification", str(copy))

    assert result.code == 0
    assert QUOTED not in result.out
    assert f"expected {catalogue().edition.digest}" in result.err
    assert f"received {digest(TEXT.rstrip())}" in result.err
    assert "Name an unedited copy" in result.err


def test_verify_compares_pages_that_quote_only_with_the_copy(command: Command, run: Path, copy: Path) -> None:
    without, having = command("verify", str(run)), command("verify", str(run), "--specification", str(copy))

    assert without.code == 3, without.out
    assert "report.html, requirements.csv" in without.out.replace("results.sarif, ", "")
    assert "not compared, because they quote the specification" in without.out
    assert "pages not compared" in without.out.splitlines()[-1]
    assert (having.code, "pages" in having.out) == (0, False), having.out
    page = run / "report.html"
    page.write_text(page.read_text("utf-8").replace("Conforms", "CONFORMS", 1), "utf-8")
    altered = command("verify", str(run), "--specification", str(copy))
    assert altered.code == 1
    assert "report.html: not what this version makes of report.json" in altered.out


def test_a_run_keeps_its_quotes_only_if_it_is_asked_to(run: Path, failed: Path) -> None:
    without, kept = (json.loads((each / "report.json").read_text("utf-8")) for each in (run, failed))

    assert "quoted" not in without
    assert "of this copy" not in json.dumps(without)
    assert kept["quoted"]["4.3, item 3"] == f"200: {QUOTED}"
    assert QUOTED not in (failed / "evidence.har").read_text("utf-8")
