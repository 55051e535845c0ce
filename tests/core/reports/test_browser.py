from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
import report_samples as samples
from report_samples import typed

from conformance.model.findings import Finding
from conformance.model.requirements import catalogue
from conformance.model.verdict import Level, Outcome, Verdict
from conformance.reports import html
from conformance.trace.har import exchanges_of

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

WCAG = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"]
NO_COLOURS = {"color-contrast": {"enabled": False}}
"""Colours are the same at each width, and measuring them takes most of the time."""


def ten_failures() -> dict[str, tuple[Finding, ...]]:
    """Return findings of ten failures with ten causes."""
    musts = [row.id for row in catalogue().rows.values() if row.level is Level.MUST and not row.untestable][:10]
    return {
        id: (samples.finding(Verdict.FAIL, actual=f"deviation {'x' * number}", exchanges=(f"e{number}",)),)
        for number, id in enumerate(musts, 1)
    }


def short(data: dict[str, Any]) -> dict[str, Any]:
    """Return a report with few requirements of each verdict: axe takes seconds for a hundred."""
    rows: dict[str, list[Any]] = {}
    for row in data["requirements"]:
        rows.setdefault(row["verdict"], []).append(row)
    return data | {"requirements": [row for group in rows.values() for row in group[-2:]]}


LONG = samples.HOSTILE + "W" * 3000
REPORTS: dict[str, Callable[[], dict[str, Any]]] = {
    "clean": lambda: samples.data(samples.report(Outcome.CONFORMS)),
    "broken": lambda: samples.data(samples.report(findings=samples.broken_findings() | samples.alert_findings())),
    "short": lambda: short(REPORTS["broken"]()),
    "ten": lambda: samples.data(samples.report(findings=ten_failures())),
    "hostile": lambda: samples.data(
        samples.report(
            findings=samples.broken_findings(LONG) | samples.alert_findings(LONG),
            base_url=f"https://{'a' * 200}.example/{'b' * 300}",
        )
    ),
}


@cache
def page_of(name: str) -> str:
    """Return the page of one of the reports."""
    text = LONG if name == "hostile" else ""
    return html.render(typed(REPORTS[name]()), exchanges_of(samples.evidence(text)))


@pytest.fixture
def visit(browser: Browser, tmp_path: Path) -> Iterator[Any]:
    contexts = []

    def visited(name: str, width: int = 1280, height: int = 900, fragment: str = "", **options: Any) -> Page:
        path = tmp_path / f"{name}.html"
        path.write_text(page_of(name), "utf-8")
        context = browser.new_context(viewport={"width": width, "height": height}, **options)
        contexts.append(context)
        page = context.new_page()
        page.set_default_timeout(120_000)
        page.goto(path.as_uri() + fragment)
        return page

    yield visited
    for context in contexts:
        context.close()


@pytest.mark.parametrize(("width", "height"), [(1280, 900), (390, 844)])
def test_the_first_screen_names_every_alert_and_failure(visit: Any, width: int, height: int) -> None:
    page = visit("broken", width, height)
    lines = page.locator(".lines li:is(.alert, .fail, .warn)")
    first = page.locator(".first")
    texts = " ".join([*lines.all_inner_texts(), *first.all_inner_texts()])
    for id in ("5-isolation", "1.4-every-parameter", "2.3-supportedLanaguages", "4.3-answers-ok"):
        assert id in texts
    # On a phone, what to fix first and the alerts come before the rest.
    last = (lines if width > 1000 else first).last.bounding_box()
    assert last["y"] + last["height"] <= height


@pytest.mark.parametrize("width", [360, 1280])
def test_the_page_never_scrolls_sideways(visit: Any, width: int) -> None:
    page = visit("hostile", width)
    page.evaluate("document.querySelectorAll('details').forEach(details => { details.open = true })")
    assert page.evaluate("document.documentElement.scrollWidth") <= width


def test_it_complains_of_nothing_and_asks_for_nothing(visit: Any) -> None:
    page = visit("hostile")
    noise: list[str] = []
    asked: list[str] = []
    page.on("console", lambda message: noise.append(message.text))
    page.on("pageerror", lambda error: noise.append(str(error)))
    page.on("dialog", lambda dialog: noise.append(dialog.message))
    page.on("request", lambda request: asked.append(request.url))
    page.reload(wait_until="networkidle")
    assert noise == []
    assert asked == [page.url]


def test_nothing_in_it_bars_people(visit: Any) -> None:
    axe = (files("axe_playwright_python") / "axe.min.js").read_text("utf-8")
    found = []
    for width, scheme, rules in [(390, "light", {}), (768, "light", NO_COLOURS), (1440, "dark", {})]:
        page = visit("short", width, color_scheme=scheme, bypass_csp=True)
        page.locator("details").evaluate_all("all => all.forEach(it => { it.open = true })")
        page.evaluate(axe)
        options = {"runOnly": WCAG, "resultTypes": ["violations"], "rules": rules}
        result = page.evaluate("options => axe.run(document, options)", options)
        found += [(width, scheme, each["id"], each["nodes"][0]["html"]) for each in result["violations"]]
    assert found == []


def test_a_link_unfolds_its_requirement_also_when_the_filter_hides_it(visit: Any) -> None:
    page = visit("broken", fragment="#4.3-answers-ok")
    assert page.locator("[id='4.3-answers-ok']").evaluate(
        "it => it.open && it.getBoundingClientRect().top < innerHeight"
    )
    page.select_option("#filter-state", "warn")
    assert page.locator(".row[data-state]:visible").count() == 1
    page.fill("#filter-text", "no such text")
    assert page.inner_text("#filter-result") == f"0 of {samples.ROWS} requirements"
    page.locator("h4 a[href='#1.4-every-parameter']").click()
    page.locator("[id='1.4-every-parameter'][open]").wait_for()  # the page hears of the new address in its own time


def test_a_copied_line_is_the_line_shown(visit: Any) -> None:
    page = visit("broken", permissions=["clipboard-read", "clipboard-write"])
    page.evaluate("window.setTimeout = () => 0")  # the button goes back to "Copy" in two seconds, perhaps unseen
    copied = page.locator(".copied:visible").first
    copied.locator("button").click()
    copied.get_by_text("Copied").wait_for()
    assert page.evaluate("navigator.clipboard.readText()") == copied.locator("pre").text_content()


def test_it_is_complete_without_javascript(visit: Any) -> None:
    page = visit("broken", java_script_enabled=False)
    assert page.locator(".filter, .copy").filter(visible=True).count() == 0
    assert page.locator(".card:visible").count() > 3
    page.locator(".card .exchange > summary").first.click()
    assert page.locator(".card .wire:visible").count() == 1


@pytest.mark.parametrize(("name", "pages"), [("clean", 5), ("ten", 9)])
def test_paper_is_short_and_has_the_decisive_exchange_of_each_failure(visit: Any, name: str, pages: int) -> None:
    page = visit(name)
    assert len(re.findall(rb"/Type /Page\b", page.pdf(prefer_css_page_size=True, format="A4"))) <= pages
    page.emulate_media(media="print")
    assert page.locator(".card .decisive .wire").evaluate_all("all => all.every(it => it.offsetHeight > 50)")
    assert page.locator(".card .decisive").count() == (10 if name == "ten" else 0)
