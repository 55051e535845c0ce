"""Pages of a folder, opened in a browser, and what axe finds on them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

_WCAG = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"]


@contextmanager
def visiting(browser: Browser, folder: Path) -> Iterator[Callable[..., Page]]:
    """Give a function that opens the one page of a folder with a pattern, at a width; it takes options of a context."""
    contexts = []

    def visited(pattern: str, width: int = 1280, fragment: str = "", **options: Any) -> Page:
        (path,) = folder.glob(pattern)
        context = browser.new_context(viewport={"width": width, "height": 900}, **options)
        contexts.append(context)
        page = context.new_page()
        page.set_default_timeout(120_000)
        page.goto(path.as_uri() + fragment)
        return page

    yield visited
    for context in contexts:
        context.close()


def violations(page: Page) -> list[tuple[str, str]]:
    """Return the rules of WCAG 2.2 AA that a page violates, each with an element."""
    page.evaluate((files("axe_playwright_python") / "axe.min.js").read_text("utf-8"))
    # Hundreds of rows are alike, and axe takes seconds for them.
    page.evaluate(
        "document.querySelectorAll('tbody tr:nth-child(n+8), .matrix tr > :nth-child(n+20)').forEach(e => e.remove())"
    )
    found = page.evaluate("tags => axe.run(document, {runOnly: {type: 'tag', values: tags}})", _WCAG)
    return [(each["id"], each["nodes"][0]["html"]) for each in found["violations"]]
