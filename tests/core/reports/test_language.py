"""The summary in other languages: its words, numbers and dates, what stays English, and how it looks in a browser."""

from __future__ import annotations

import html
import json
import re
from importlib import resources
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
import report_samples as samples
from pseudo_language import Pseudo, words_of
from report_samples import typed
from summary_pages import everything_wrong, text_of

from conformance.model.requirements import catalogue
from conformance.model.verdict import Outcome, Verdict
from conformance.reports import language, open_matters, summary_page
from conformance.trace.har import exchanges_of

if TYPE_CHECKING:
    from playwright.sync_api import Browser

TRANSLATED = [code for code in language.languages() if code != language.ENGLISH]
WCAG = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"]

CONFORMING = samples.data(samples.report(Outcome.CONFORMS, findings=samples.alert_findings()))
FAILING = samples.eventful()
INCOMPLETE = samples.data(
    samples.report(
        Outcome.INCONCLUSIVE,
        findings={"8-limit-enforced": (samples.finding(Verdict.INCONCLUSIVE),)},
        complete=False,
        left_behind=1,
        left_out_clause="4.6",
    )
)
RUNS = {"conforming": CONFORMING, "failing": FAILING, "incomplete": INCOMPLETE}


def page_in(code: str, data: dict[str, Any]) -> str:
    return summary_page.render(typed(data), exchanges_of(samples.evidence()), "ab12", code)


def test_french_writes_the_first_day_of_a_month_as_an_ordinal_number() -> None:
    with language.speaking("fr"):
        assert [language.day(f"2026-04-{number}") for number in ("01", "11")] == ["1er avril 2026", "11 avril 2026"]


@pytest.mark.parametrize(("code", "number"), [("en", "1,234"), ("nl", "1.234"), ("de", "1.234"), ("fr", "1\u202f234")])
def test_numbers_have_the_separators_of_the_language(code: str, number: str) -> None:
    with language.speaking(code):
        assert language.gettext("%(name)s", name=1234) == number
        assert language.ngettext("%(num)s failed", "%(num)s failed", 1234).startswith(number)
        assert language.gettext("%(name)s", name="1234") == "1234"


@pytest.mark.parametrize("code", TRANSLATED)
def test_what_is_not_translated_is_marked_as_english(code: str) -> None:
    page = page_in(code, FAILING)
    assert '<span lang="en">The access token expired.</span>' in page
    assert 'lang="en"' not in page_in("en", FAILING).partition("<body>")[2]


@pytest.mark.parametrize("data", [*RUNS.values(), samples.replied(samples.eventful(), "4.3-answers-ok")])
def test_each_text_of_the_page_is_a_message(data: dict[str, Any], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(language, "language", lambda _code: Pseudo())
    page = page_in("nl", data)

    marked = r"<code>.*?</code>|<h1>.*?</h1>|<dd>.*?</dd>|<span lang=\"en\">.*?</span>"
    shown = words_of(text_of(re.sub(marked, "", page, flags=re.DOTALL)))

    people = words_of(json.dumps([data["waivers"], data["alerts"]]))
    columns = words_of("Type Field Meaning Status Operation Condition Required Also Limit")
    names = words_of("Data Request Service Interface report.json report.html evidence.har drsi-conformance")
    assert shown - people - columns - names == set()


@pytest.mark.parametrize("code", TRANSLATED)
def test_the_sentences_of_the_tables_are_translated(code: str) -> None:
    rows = catalogue().rows
    left_open = [rows[each].statement.removeprefix(open_matters.LEFT_OPEN) for each in catalogue().alerts]
    with language.speaking(code):
        assert [each for each in left_open if language.sentence(each) is None] == []


@pytest.mark.parametrize("code", TRANSLATED)
def test_nothing_of_a_target_is_markup_or_a_placeholder(code: str) -> None:
    hostile = f"%(num)s %s %(x {samples.HOSTILE}"
    page = page_in(code, everything_wrong(hostile))
    assert not re.search(r"<(script|img|svg|iframe|a|form)\b|style=|\bon[a-z]+=\"", page)
    assert "<script>alert(1)</script>" in html.unescape(page)
    assert "%(num)s" in page
    assert len(re.findall("<code>", page)) == len(re.findall("</code>", page))


PAGES = {(code, run): data for code in TRANSLATED for run, data in RUNS.items()}
PAGES |= {(language.ENGLISH, "failing"): FAILING}
PAGES |= {(language.ENGLISH, "hostile"): everything_wrong(samples.HOSTILE + "W" * 3000)}


@pytest.mark.parametrize(("code", "run"), PAGES)
def test_it_is_accessible_and_fits_a_phone_and_paper(browser: Browser, tmp_path: Path, code: str, run: str) -> None:
    file = tmp_path / "summary.html"
    file.write_text(page_in(code, PAGES[code, run]), "utf-8")
    with browser.new_context(viewport={"width": 320, "height": 640}, bypass_csp=True) as context:
        page = context.new_page()
        noise: list[str] = []
        page.on("console", lambda message: noise.append(message.text))
        page.on("dialog", lambda dialog: noise.append(dialog.message))
        page.goto(file.as_uri())
        assert page.evaluate("document.documentElement.scrollWidth") <= 320
        assert page.pdf(prefer_css_page_size=True, print_background=True)
        assert noise == []
        if run == "hostile":  # axe takes a quarter of a minute for it
            return
        page.evaluate((resources.files("axe_playwright_python") / "axe.min.js").read_text("utf-8"))
        found = page.evaluate("tags => axe.run(document, {runOnly: {type: 'tag', values: tags}})", WCAG)
        assert [(each["id"], each["nodes"][0]["html"]) for each in found["violations"]] == []
