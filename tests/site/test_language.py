"""The overview in other languages: whole without the script, the same with it, accessible, and as wide as a phone."""

from __future__ import annotations

import html
import json
import re
from collections.abc import Callable
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from pseudo_language import Pseudo, words_of

from conformance.reports import language
from conformance.reports.language import ENGLISH, languages
from conformance.site import build
from conformance.store import Store

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

TRANSLATED = [code for code in languages() if code != ENGLISH]
WCAG = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"]
BUILT = "2026-04-01T05:00:00.000Z"
ROWS = "() => [...document.querySelectorAll('tbody tr')].map(e => e.outerHTML)"

Built = Callable[[str], Path]


@pytest.fixture(scope="module")
def site_in(filled: Path, tmp_path_factory: pytest.TempPathFactory) -> Built:
    """Return the site whose overview is in a language. It is built once."""
    folder = tmp_path_factory.mktemp("languages")

    def built(code: str) -> Path:
        if not (folder / code).exists():
            with Store.open(filled) as store:
                build(store, folder / code, BUILT, language=code)
        return folder / code

    return built


@pytest.mark.parametrize(
    ("code", "words"),
    [
        ("nl", ("Voldoet niet", "Diensten", "1 april 2026, 05:00 UTC", " januari 2026<")),
        ("de", ("Nicht konform", "Dienste", "1. April 2026, 05:00 UTC", ". Januar 2026<")),
        ("fr", ("Non conforme", "Résultat", "1 avril 2026, 05:00 UTC", " janvier 2026<")),
    ],
)
def test_the_overview_is_in_the_language_and_other_pages_are_english(
    site_in: Built, site: Path, code: str, words: tuple[str, ...]
) -> None:
    folder = site_in(code)
    page = (folder / "index.html").read_text("utf-8")

    assert f'<html lang="{code}">' in page
    assert [each for each in words if each not in page] == []
    for name in ("matrix.html", "requirements.html", "audits.html", "requirements/4.3-answers-ok.html"):
        assert (folder / name).read_bytes() == (site / name).read_bytes()
    assert (folder / "data/overview-1.json").read_bytes() == (site / "data/overview-1.json").read_bytes()


def test_an_empty_store_is_told_in_the_language(tmp_path: Path) -> None:
    with Store.open(tmp_path / "empty.sqlite", create=True) as store:
        build(store, tmp_path / "site", BUILT, language="nl")

    assert "Er is nog geen controle opgeslagen." in (tmp_path / "site/index.html").read_text("utf-8")


def test_each_text_of_the_overview_is_a_message(filled: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(language, "language", lambda _code: Pseudo())
    with Store.open(filled) as store:
        build(store, tmp_path / "site", BUILT, language="nl")

    page = (tmp_path / "site/index.html").read_text("utf-8")
    (found,) = re.findall(r'data-texts="([^"]*)"', page)
    texts = json.loads(html.unescape(found)).values()
    shown = re.sub(r'<th scope="row">.*?</th>|<style>.*?</style>|<[^>]+>', " ", page, flags=re.DOTALL)

    names = words_of("Data Request Service Interface drsi-conformance UTC JSON")
    assert words_of(shown) - names == set()
    assert [each for each in texts if words_of(re.sub(r"\{\w+\}", "", each))] == []
    assert len(texts) > 3
    assert re.findall(r'aria-label="[^"]*[A-Za-z]', page) == []


@pytest.fixture
def visit(browser: Browser, site_in: Built) -> Callable[..., Page]:
    def visited(code: str, width: int = 1280, scheme: str = "light") -> Page:
        page = browser.new_page(viewport={"width": width, "height": 800}, color_scheme=scheme)
        page.goto((site_in(code) / "index.html").as_uri())
        return page

    return visited


@pytest.mark.parametrize("code", TRANSLATED)
def test_it_is_accessible_and_fits_a_phone(visit: Callable[..., Page], code: str) -> None:
    page = visit(code, 320, "dark")
    assert page.evaluate("document.documentElement.scrollWidth") <= 320
    page.evaluate((files("axe_playwright_python") / "axe.min.js").read_text("utf-8"))
    found = page.evaluate("tags => axe.run(document, {runOnly: {type: 'tag', values: tags}})", WCAG)
    page.close()
    assert [(each["id"], each["nodes"][0]["html"]) for each in found["violations"]] == []


@pytest.mark.parametrize(
    ("code", "found"), [("nl", "2 van 3 diensten"), ("de", "2 von 3 Diensten"), ("fr", "2 sur 3 services")]
)
def test_the_script_speaks_the_language_of_the_page(visit: Callable[..., Page], code: str, found: str) -> None:
    page = visit(code)
    said: list[str] = []
    page.on("console", lambda message: said.append(message.text))
    before = page.evaluate(ROWS)

    page.locator("input[name=failed]").check()
    page.locator("#found", has_text=found).wait_for()

    assert page.evaluate(ROWS) == before[:2]
    page.close()
    assert said == []
