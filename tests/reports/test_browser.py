from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import report_samples as samples

from conformance.reports import html

CHROMIUM = shutil.which("chromium")
IN_CI = os.environ.get("CI") == "true"

if not IN_CI:
    pytest.importorskip("playwright.sync_api", reason="playwright is not installed")

from playwright.sync_api import Browser, Page, sync_playwright  # noqa: E402  (only where it is installed)

ARGUMENTS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--no-first-run",
]
LINE_OF_CONTRAST = 4.5

CONTRASTS = """() => {
  const parts = colour => colour.match(/[\\d.]+/g).map(Number);
  const light = colour => parts(colour).slice(0, 3).map(value => value / 255)
    .map(value => value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4)
    .reduce((sum, value, index) => sum + value * [0.2126, 0.7152, 0.0722][index], 0);
  const ground = node => {
    const colour = getComputedStyle(node).backgroundColor;
    return parts(colour)[3] === 0 ? ground(node.parentElement) : colour;
  };
  const texts = [...document.querySelectorAll('body *')].filter(node => node.checkVisibility() &&
    [...node.childNodes].some(child => child.nodeType === Node.TEXT_NODE && child.data.trim()));
  return texts.map(node => {
    const [high, low] = [light(getComputedStyle(node).color), light(ground(node))].sort((a, b) => b - a);
    return [(high + 0.05) / (low + 0.05), node.tagName, node.className];
  });
}"""


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    if CHROMIUM is None and not IN_CI:
        pytest.skip("chromium is not installed")
    assert CHROMIUM is not None, "chromium is not installed, and CI must not do without"
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=ARGUMENTS)
        yield browser
        browser.close()


@pytest.fixture(scope="module")
def address(tmp_path_factory: pytest.TempPathFactory) -> str:
    path: Path = tmp_path_factory.mktemp("page") / "report.html"
    long = samples.HOSTILE + "W" * 3000
    found = samples.broken_findings(long) | samples.alert_findings(long)
    report = samples.report(findings=found, base_url=f"https://{'a' * 200}.example/{'b' * 300}")
    path.write_text(html.render(samples.data(report), samples.evidence(long)), "utf-8")
    return path.as_uri()


@pytest.fixture
def visit(browser: Browser, address: str) -> Iterator[Any]:
    contexts = []

    def visited(width: int = 1280, scheme: Any = "light", fragment: str = "") -> Page:
        context = browser.new_context(viewport={"width": width, "height": 800}, color_scheme=scheme)
        contexts.append(context)
        page = context.new_page()
        page.set_default_timeout(120_000)
        page.goto(address + fragment)
        return page

    yield visited
    for context in contexts:
        context.close()


@pytest.mark.parametrize("width", [360, 1280])
def test_the_page_never_scrolls_sideways(visit: Any, width: int) -> None:
    page = visit(width)
    page.evaluate("document.querySelectorAll('details').forEach(details => { details.open = true })")
    assert page.evaluate("document.documentElement.scrollWidth") <= width


def test_it_runs_nothing_complains_of_nothing_and_asks_for_nothing(browser: Browser, address: str) -> None:
    with browser.new_context() as context:
        page = context.new_page()
        noise: list[str] = []
        asked: list[str] = []
        page.on("console", lambda message: noise.append(message.text))
        page.on("pageerror", lambda error: noise.append(str(error)))
        page.on("dialog", lambda dialog: noise.append(dialog.message))
        page.on("request", lambda request: asked.append(request.url))
        page.goto(address, wait_until="networkidle")
        assert noise == []
        assert asked == [address]


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_all_text_has_enough_contrast(visit: Any, scheme: str) -> None:
    contrasts = visit(scheme=scheme).evaluate(CONTRASTS)
    assert len(contrasts) > 500
    assert [found for found in contrasts if found[0] < LINE_OF_CONTRAST] == []


def test_dark_mode_is_dark(visit: Any) -> None:
    ground = "getComputedStyle(document.body).backgroundColor"
    assert visit(scheme="light").evaluate(ground) != visit(scheme="dark").evaluate(ground)


def test_a_deep_link_leads_to_its_requirement(visit: Any) -> None:
    page = visit(fragment="#2.3-supportedLanaguages")
    assert page.evaluate("document.querySelector(':target').id") == "2.3-supportedLanaguages"
    assert page.evaluate("scrollY") > 0


def test_paper_carries_the_evidence_of_every_finding(visit: Any) -> None:
    page = visit()
    page.emulate_media(media="print")
    heights = page.evaluate("[...document.querySelectorAll('.card details')].map(it => [it.open, it.offsetHeight])")
    assert len(heights) > 5
    assert all(not is_open and height > 100 for is_open, height in heights)
    assert page.pdf(format="A4").startswith(b"%PDF-")
