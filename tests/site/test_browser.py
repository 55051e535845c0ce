"""The pages in a browser: accessible, from phone to wide, light and dark, and without any request but for the style."""

from __future__ import annotations

from collections.abc import Iterator
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

WCAG = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"]
PAGES = ("index.html", "matrix.html", "requirements/4.3-answers-ok.html", "services/hostile*.html")


@pytest.fixture
def visit(browser: Browser, site: Path) -> Iterator[Any]:
    contexts = []

    def visited(pattern: str, width: int = 1280, **options: Any) -> Page:
        (path,) = site.glob(pattern)
        context = browser.new_context(viewport={"width": width, "height": 800}, **options)
        contexts.append(context)
        page = context.new_page()
        page.set_default_timeout(120_000)
        page.goto(path.as_uri())
        return page

    yield visited
    for context in contexts:
        context.close()


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("pattern", PAGES)
def test_pages_are_accessible(visit: Any, pattern: str, scheme: str) -> None:
    page = visit(pattern, color_scheme=scheme)
    page.evaluate((files("axe_playwright_python") / "axe.min.js").read_text("utf-8"))

    # Hundreds of rows are alike, and axe takes seconds for them.
    page.evaluate(
        "document.querySelectorAll('tbody tr:nth-child(n+8), .matrix tr > :nth-child(n+20)').forEach(e => e.remove())"
    )
    found = page.evaluate("tags => axe.run(document, {runOnly: {type: 'tag', values: tags}})", WCAG)
    assert [(each["id"], each["nodes"][0]["html"]) for each in found["violations"]] == []


@pytest.mark.parametrize("width", [320, 1920])
@pytest.mark.parametrize("pattern", PAGES)
def test_pages_fit_each_width(visit: Any, pattern: str, width: int) -> None:
    page = visit(pattern, width)

    assert page.evaluate("document.documentElement.scrollWidth") <= width
    assert page.evaluate("getComputedStyle(document.querySelector('table')).borderCollapse") == "collapse"


def test_nothing_of_a_service_is_active(browser: Browser, site: Path) -> None:
    (path,) = site.glob("services/hostile*.html")
    page = browser.new_page()
    said: list[str] = []
    asked: list[str] = []
    page.on("dialog", lambda dialog: (said.append(dialog.message), dialog.dismiss()))
    page.on("console", lambda message: said.append(message.text))
    page.on("request", lambda request: asked.append(request.url))
    page.goto(path.as_uri())
    page.close()

    assert (said, asked) == ([], [path.as_uri(), (site / "site.css").as_uri()])
