"""The pages of a run in a browser: on a desktop, a phone, in the dark and on paper, with hostile text and without."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
import report_samples as samples
from built_pages import violations, visiting
from report_samples import everything_wrong, typed

from conformance.reports import html, language, summary_page
from conformance.trace.har import exchanges_of

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

LONG = samples.HOSTILE + "W" * 3000


def short(data: dict[str, Any]) -> dict[str, Any]:
    """Return a report with few requirements of each verdict: axe takes seconds for a hundred."""
    rows: dict[str, list[Any]] = {}
    for row in data["requirements"]:
        rows.setdefault(row["verdict"], []).append(row)
    return data | {"requirements": [row for group in rows.values() for row in group[-2:]]}


def report_page(data: dict[str, Any], text: str = "") -> str:
    return html.render(typed(data), exchanges_of(samples.evidence(text)))


def summary(data: dict[str, Any], code: str, text: str = "") -> str:
    return summary_page.render(typed(data), exchanges_of(samples.evidence(text)), "ab12", code)


BROKEN = samples.data(samples.report(findings=samples.broken_findings() | samples.alert_findings()))
HOSTILE = samples.data(
    samples.report(
        findings=samples.broken_findings(LONG) | samples.alert_findings(LONG),
        base_url=f"https://{'a' * 200}.example/{'b' * 300}",
    )
)


@pytest.fixture
def visit(browser: Browser, tmp_path: Path) -> Iterator[Any]:
    with visiting(browser, tmp_path) as visited:

        def written(text: str, *place: Any, **options: Any) -> Page:
            (tmp_path / "page.html").write_text(text, "utf-8")
            return visited("page.html", *place, **options)

        yield written


@pytest.mark.parametrize(("width", "height", "scheme"), [(1440, 900, "dark"), (390, 844, "light")])
def test_a_desktop_in_the_dark_and_a_phone_show_what_matters_first_and_bar_no_one(
    visit: Any, width: int, height: int, scheme: str
) -> None:
    page = visit(report_page(BROKEN), width)
    lines = page.locator(".lines li:is(.alert, .fail, .warn)")
    first = page.locator(".first")
    texts = " ".join([*lines.all_inner_texts(), *first.all_inner_texts()])
    for id in ("5-isolation", "1.4-every-parameter", "2.3-supportedLanaguages", "4.3-answers-ok"):
        assert id in texts
    # On a phone, what to fix first and the alerts come before the rest.
    last = (lines if width > 1000 else first).last.bounding_box()
    assert last["y"] + last["height"] <= height
    page = visit(report_page(short(BROKEN)), width, color_scheme=scheme, bypass_csp=True)
    page.locator("details").evaluate_all("all => all.forEach(it => { it.open = true })")
    assert violations(page) == []


@pytest.mark.parametrize(
    "render",
    [lambda: report_page(HOSTILE, LONG), lambda: summary(everything_wrong(LONG), language.ENGLISH)],
    ids=["report", "summary"],
)
def test_hostile_text_neither_runs_nor_asks_for_anything_nor_widens_the_page(
    visit: Any, render: Callable[[], str]
) -> None:
    page = visit(render(), 320)
    noise: list[str] = []
    asked: list[str] = []
    page.on("console", lambda message: noise.append(message.text))
    page.on("pageerror", lambda error: noise.append(str(error)))
    page.on("dialog", lambda dialog: noise.append(dialog.message))
    page.on("request", lambda request: asked.append(request.url))
    page.reload(wait_until="networkidle")
    assert noise == []
    assert asked == [page.url]
    policy = page.locator("meta[http-equiv='Content-Security-Policy']").get_attribute("content")
    assert policy.startswith("default-src 'none'; style-src 'sha256-")
    page.evaluate("document.querySelectorAll('details').forEach(details => { details.open = true })")
    assert page.evaluate("document.documentElement.scrollWidth") <= 320


def test_links_unfold_their_requirement_also_when_the_filter_hides_it_and_copies_are_what_is_shown(visit: Any) -> None:
    page = visit(report_page(BROKEN), fragment="#4.3-answers-ok", permissions=["clipboard-read", "clipboard-write"])
    assert page.locator("[id='4.3-answers-ok']").evaluate(
        "it => it.open && it.getBoundingClientRect().top < innerHeight"
    )
    page.evaluate("window.setTimeout = () => 0")  # the button goes back to "Copy" in two seconds, perhaps unseen
    copied = page.locator(".copied:visible").first
    copied.locator("button").click()
    copied.get_by_text("Copied").wait_for()
    assert page.evaluate("navigator.clipboard.readText()") == copied.locator("pre").text_content()
    page.select_option("#filter-state", "warn")
    assert page.locator(".row[data-state]:visible").count() == 1
    page.fill("#filter-text", "no such text")
    assert page.inner_text("#filter-result") == f"0 of {samples.ROWS} requirements"
    page.locator("h4 a[href='#1.4-every-parameter']").click()
    page.locator("[id='1.4-every-parameter'][open]").wait_for()  # the page hears of the new address in its own time


def test_the_summary_fits_a_phone_and_paper_in_each_language_and_bars_no_one(visit: Any) -> None:
    for code in language.languages():
        page = visit(summary(samples.eventful(), code), 320, bypass_csp=True)
        assert page.evaluate("document.documentElement.scrollWidth") <= 320
        assert page.pdf(prefer_css_page_size=True, print_background=True)
    assert violations(page) == []
