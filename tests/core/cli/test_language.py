"""render --language: the summary of a recorded run in another language, and how verify and bundle take it."""

from __future__ import annotations

import hashlib
import json
import re
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


def test_english_is_what_it_is_without_the_option(run: Path, command: Command) -> None:
    before = (run / "summary.html").read_bytes()

    assert command("render", str(run), "--language", "en", "--format", "summary").code == 0

    assert (run / "summary.html").read_bytes() == before
    assert not list(run.glob("summary.*.html"))


@pytest.mark.parametrize("code", ["xx", "NL", "../nl", ""])
def test_an_unknown_language_is_refused_with_those_that_there_are(run: Path, command: Command, code: str) -> None:
    done = command("render", str(run), "--language", code)

    assert done.code == 2
    assert "is no language of the suite. Languages: en, de, fr, nl." in " ".join(done.err.split())


def test_a_format_without_translations_is_refused(run: Path, command: Command) -> None:
    done = command("render", str(run), "--language", "nl", "--format", "junit,csv")

    assert done.code == 2
    assert "--language nl translates the format summary" in " ".join(done.err.split())
    assert not (run / "junit.xml").exists()


def test_other_formats_are_english(run: Path, command: Command, folder: Path) -> None:
    options = ("--language", "nl,de", "--format", "html,summary", "--output", str(folder / "out"))
    done = command("render", str(run), *options)

    assert done.code == 0
    assert (folder / "out/report.html").read_bytes() == (run / "report.html").read_bytes()
    assert sorted(path.name for path in (folder / "out").iterdir()) == [
        "report.html",
        "summary.de.html",
        "summary.nl.html",
    ]


def test_a_run_of_an_older_version_is_rendered(run: Path, command: Command) -> None:
    data = json.loads((run / "report.json").read_text("utf-8"))
    data["suite"] |= {"version": "0.0.9", "build": f"sha256:{'0' * 64}"}
    for row in data["requirements"]:
        row.pop("decided_by", None)
    (run / "report.json").write_text(json.dumps(data), "utf-8")

    done = command("render", str(run), "--language", "de", "--format", "summary")

    assert (done.code, done.err) == (0, "")
    assert "drsi-conformance 0.0.9" in (run / "summary.de.html").read_text("utf-8")


def test_a_translation_that_says_something_else_is_found(run: Path, command: Command) -> None:
    command("render", str(run), "--language", "nl", "--format", "summary")
    page = run / "summary.nl.html"
    page.write_text(page.read_text("utf-8").replace("Voldoet niet", "Voldoet"), "utf-8")

    done = command("verify", str(run))

    assert done.code == 1
    assert "pages: summary.nl.html: not what this version makes of report.json." in done.out


def test_a_page_in_the_place_of_a_translation_is_found(run: Path, command: Command) -> None:
    (run / "summary.nl.html").write_text("<h1>Voldoet</h1>", "utf-8")

    done = command("verify", str(run))

    assert done.code == 1
    assert "summary.nl.html: not what this version makes of report.json." in done.out


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


def test_a_page_of_pytest_html_that_was_altered_is_found(run: Path, command: Command) -> None:
    command("render", str(run), "--format", "pytest-html")
    page = run / "pytest.html"
    page.write_text(page.read_text("utf-8").replace("does not conform", "conforms"), "utf-8")

    done = command("verify", str(run))

    assert done.code == 1
    assert "pytest.html: not what this version makes of report.json." in done.out


def test_a_bundle_holds_the_translation_and_is_verified(run: Path, command: Command) -> None:
    command("render", str(run), "--language", "fr", "--format", "summary")
    command("bundle", str(run))
    (run / "summary.fr.html").unlink()

    assert command("verify", f"{run}.drsi.zip").code == 0
    assert command("render", f"{run}.drsi.zip", "--language", "de", "--output", str(run)).code == 0
    assert (run / "summary.de.html").is_file()


def test_a_translation_follows_a_reply(run: Path, command: Command) -> None:
    command("render", str(run), "--language", "de", "--format", "summary")

    reply = ("--requirement", "4.3-answers-ok", "--statement", "A proxy answered.", "--by", "Example Ltd")
    assert command("reply", str(run), *reply).code == 0

    page = (run / "summary.de.html").read_text("utf-8")
    assert "hat zu <code>4.3-answers-ok</code> Stellung genommen" in page
    assert digests(run)["report.json"] in page
    assert command("verify", str(run)).code == 0


def test_the_next_run_leaves_no_translation_of_the_last(run: Path, command: Command) -> None:
    command("render", str(run), "--language", "nl", "--format", "summary")

    command("check", "--output", str(run), "--quiet", "--format", "summary", only=("4.4-answers-200",))

    assert not (run / "summary.nl.html").exists()


@pytest.mark.parametrize("name", ["render", "site"])
def test_the_help_names_each_language(command: Command, name: str) -> None:
    shown = " ".join(command(name, "--help").out.split()).partition("--language ")[2].partition(" --")[0]

    assert [code for code in language.languages() if not re.search(rf"\b{code}\b", shown)] == []
