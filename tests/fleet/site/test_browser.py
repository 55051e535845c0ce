"""Sites and registers in a browser: accessible, from phone to wide, light and dark, and without foreign requests."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from built_pages import violations, visiting

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

LIGHT, DARK = ("light", 1920), ("dark", 320)
PAGES = {
    "site/index.html": DARK,
    "site/matrix.html": LIGHT,
    "site/audits.html": LIGHT,
    "site/audits/*.html": DARK,
    "site/requirements/4.3-answers-ok.html": DARK,
    "site/services/hostile*.html": DARK,
    "register/index.html": LIGHT,
    "register/services/hostile*.html": LIGHT,
}
OWN = {"site": {"cards.css", "site.css"}, "register": {"cards.css", "site.css", "register.css"}}


@pytest.fixture
def visit(browser: Browser, site: Path, register: Path) -> Iterator[Callable[..., Page]]:
    with visiting(browser, site) as in_site, visiting(browser, register) as in_register:
        places = {"site": in_site, "register": in_register}

        def visited(pattern: str, width: int = 1280, **options: object) -> Page:
            kind, _, rest = pattern.partition("/")
            return places[kind](rest, width, **options)

        yield visited


@pytest.mark.parametrize("pattern", PAGES)
def test_pages_are_accessible_and_fit_their_width(visit: Callable[..., Page], pattern: str) -> None:
    scheme, width = PAGES[pattern]
    page = visit(pattern, width, color_scheme=scheme)

    assert page.evaluate("document.documentElement.scrollWidth") <= width
    assert violations(page) == []


@pytest.mark.parametrize("kind", OWN)
def test_nothing_of_a_service_is_active(browser: Browser, site: Path, register: Path, kind: str) -> None:
    folder = {"site": site, "register": register}[kind]
    (path,) = (each for each in folder.glob("services/hostile*.html") if ".changes" not in each.name)
    page = browser.new_page()
    said: list[str] = []
    asked: set[str] = set()
    page.on("dialog", lambda dialog: (said.append(dialog.message), dialog.dismiss()))
    page.on("console", lambda message: said.append(message.text))
    page.on("request", lambda request: asked.add(Path(request.url).name))
    page.goto(path.as_uri())
    page.close()

    badge = {f"{path.stem}.svg"} if kind == "register" else set()
    assert (said, asked) == ([], OWN[kind] | badge | {path.name})
