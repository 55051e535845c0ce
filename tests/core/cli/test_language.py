"""render --language: the summary of a recorded run in another language, and how verify and bundle take it."""

from __future__ import annotations

import hashlib
from pathlib import Path

import pytest
from cli_services import Command

from conformance.reports import language, pytest_page


def digests(folder: Path) -> dict[str, str]:
    """Return the digest of each file of a folder."""
    return {path.name: hashlib.sha256(path.read_bytes()).hexdigest() for path in folder.iterdir() if path.is_file()}


def with_another_babel(page: Path) -> None:
    """Let a page be one of an older version of Babel, whose dates look otherwise."""
    text = page.read_text("utf-8").replace(f"Babel {language.babel()}", "Babel 2.17.0")
    page.write_text(text.replace("januari", "jan.").replace(" 2026,", " '26,"), "utf-8")


@pytest.mark.parametrize(("code", "words"), [("nl", "Voldoet niet"), ("de", "Nicht konform"), ("fr", "Non conforme")])
def test_a_translation_is_written_beside_the_run_and_verified(
    run: Path, command: Command, code: str, words: str
) -> None:
    before = digests(run)

    done = command("render", str(run), "--language", code, "--format", "summary")

    assert (done.code, done.out) == (0, f"{run}/summary.{code}.html\n")
    page = (run / f"summary.{code}.html").read_text("utf-8")
    assert f'<html lang="{code}">' in page
    assert words in page
    assert before["report.json"] in page
    assert {name: digest for name, digest in digests(run).items() if name in before} == before
    assert command("verify", str(run)).code == 0


def test_a_translation_that_says_something_else_is_found(run: Path, command: Command) -> None:
    command("render", str(run), "--language", "nl", "--format", "summary")
    page = run / "summary.nl.html"
    page.write_text(page.read_text("utf-8").replace("Voldoet niet", "Voldoet"), "utf-8")

    done = command("verify", str(run))

    assert done.code == 1
    assert "pages: summary.nl.html: not what this version makes of report.json." in done.out


def test_dates_of_another_babel_accuse_nobody(run: Path, command: Command) -> None:
    command("render", str(run), "--language", "nl", "--format", "summary")
    with_another_babel(run / "summary.nl.html")

    done = command("verify", str(run))

    assert done.code == 3
    assert "summary.nl.html: not compared, because Babel 2.17.0 made its dates and numbers" in done.out
    assert "pip install 'babel==2.17.0'" in done.out
    assert "pages not compared" in done.out


def test_a_page_of_another_pytest_html_accuses_nobody(run: Path, command: Command) -> None:
    command("render", str(run), "--format", "pytest-html")
    page = run / "pytest.html"
    assert command("verify", str(run)).code == 0
    text = page.read_text("utf-8")
    page.write_text(text.replace(f"v{pytest_page.version()}</p>", "v4.0.9</p>").replace("<h2>", "<h2 >"), "utf-8")

    done = command("verify", str(run))

    assert done.code == 3
    assert "pytest.html: not compared, because pytest-html 4.0.9 made it" in done.out
    assert "pip install 'pytest-html==4.0.9'" in done.out
