"""The register in a browser: accessible, from phone to wide, light, dark and on paper, and without other requests."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from built_pages import violations, visiting

if TYPE_CHECKING:
    from playwright.sync_api import Browser

PAGES = ("index.html", "services/hostile*.html", "services/worse*.html")


@pytest.fixture
def visit(browser: Browser, register: Path) -> Iterator[Any]:
    with visiting(browser, register) as visited:
        yield visited


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("pattern", PAGES)
def test_pages_are_accessible(visit: Any, pattern: str, scheme: str) -> None:
    assert violations(visit(pattern, color_scheme=scheme)) == []


@pytest.mark.parametrize("width", [320, 1920])
@pytest.mark.parametrize("pattern", PAGES)
def test_pages_fit_each_width(visit: Any, pattern: str, width: int) -> None:
    page = visit(pattern, width)

    assert page.evaluate("document.documentElement.scrollWidth") <= width
    assert page.evaluate("getComputedStyle(document.querySelector('pre, table')).borderCollapse") == "collapse"


def test_a_page_fits_on_paper(visit: Any) -> None:
    page = visit("services/worse*.html", 700, color_scheme="dark")
    page.emulate_media(media="print")

    assert page.evaluate("document.documentElement.scrollWidth") <= 700
    assert page.evaluate("getComputedStyle(document.querySelector('header')).display") == "none"
    assert page.evaluate("document.querySelector('main a').getBoundingClientRect().height") > 0


def test_the_badge_is_shown_with_its_words(visit: Any) -> None:
    image = visit("services/worse*.html").locator("img")

    assert image.evaluate("each => [each.complete, each.naturalHeight, each.naturalWidth > 300]") == [True, 20, True]
    assert "does not conform, checked 2026-02-02" in image.get_attribute("alt")


def test_nothing_of_a_service_is_active(browser: Browser, register: Path) -> None:
    (path,) = register.glob("services/hostile*.html")
    page = browser.new_page()
    said: list[str] = []
    asked: list[str] = []
    page.on("dialog", lambda dialog: (said.append(dialog.message), dialog.dismiss()))
    page.on("console", lambda message: said.append(message.text))
    page.on("request", lambda request: asked.append(request.url))
    page.goto(path.as_uri())
    page.close()

    own = [register / name for name in ("cards.css", "site.css", "register.css", f"badges/{path.stem}.svg")]
    assert (said, sorted(asked)) == ([], sorted(each.as_uri() for each in [path, *own]))
