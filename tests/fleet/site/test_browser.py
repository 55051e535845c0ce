"""The pages in a browser: accessible, from phone to wide, light and dark, and without any request but for the style."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from built_pages import violations, visiting

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

PAGES = (
    "index.html",
    "matrix.html",
    "audits.html",
    "audits/*.html",
    "requirements/4.3-answers-ok.html",
    "services/hostile*.html",
)


@pytest.fixture
def visit(browser: Browser, site: Path) -> Iterator[Any]:
    with visiting(browser, site) as visited:
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
    assert page.evaluate("getComputedStyle(document.querySelector('table')).borderCollapse") == "collapse"


def test_findings_have_the_width_of_a_phone(visit: Any) -> None:
    page = visit("services/hostile*.html", 390)

    cell = page.locator("#verdicts + .wide tbody td:last-child").first
    assert cell.evaluate("each => each.clientWidth") > 300
    assert page.locator("#verdicts + .wide").get_by_role("columnheader", name="Findings").count() == 1


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

    own = (path, site / "cards.css", site / "site.css")
    assert (said, sorted(asked)) == ([], sorted(each.as_uri() for each in own))


ROWS = "() => [...document.querySelectorAll('tbody tr')].map(e => e.outerHTML)"


def shown(page: Page) -> list[str]:
    return [text.partition(" ")[0] for text in page.locator("tbody th").all_inner_texts()]


def test_the_script_filters_and_sorts_all_services(visit: Any) -> None:
    page = visit("index.html")
    said: list[str] = []
    page.on("dialog", lambda dialog: (said.append(dialog.message), dialog.dismiss()))
    page.on("console", lambda message: said.append(message.text))
    as_it_was = page.evaluate(ROWS)

    page.get_by_label("got worse").check()
    page.locator("#found", has_text="1 of 3 services").wait_for()
    assert shown(page) == ["worse"]
    page.get_by_label("got worse").uncheck()
    page.get_by_label("Name, address").fill("FINE.example")
    page.locator("#found", has_text="1 of 3 services").wait_for()
    assert shown(page) == ["fine"]
    page.get_by_label("Name, address").fill("")
    page.get_by_role("button", name="Service").click()
    page.locator("#found", has_text="3 of 3 services").wait_for()
    assert shown(page) == ["fine", "hostile", "worse"]
    assert page.locator("th[aria-sort]").get_attribute("aria-sort") == "ascending"
    page.get_by_role("button", name="Failed").click()
    assert shown(page) == ["hostile", "worse", "fine"]
    assert page.url.endswith("#sort=-failed")
    page.get_by_role("button", name="Show all").click()
    page.wait_for_url(re.compile("#$"))
    assert page.evaluate(ROWS) == as_it_was
    assert said == []


def test_a_link_leads_to_a_filtered_table(visit: Any, site: Path) -> None:
    page = visit("index.html")
    page.goto(f"{(site / 'index.html').as_uri()}#outcome=conforms&sort=target")
    page.reload()

    page.locator("#found", has_text="1 of 3 services").wait_for()
    assert shown(page) == ["fine"]
    assert page.get_by_label("Outcome").input_value() == "conforms"


def test_the_rows_of_the_script_look_like_those_of_the_page(visit: Any) -> None:
    page = visit("index.html")
    before = page.evaluate(ROWS)
    page.get_by_label("fails a requirement").check()
    page.locator("#found", has_text="2 of 3 services").wait_for()

    assert page.evaluate(ROWS) == before[:2]
