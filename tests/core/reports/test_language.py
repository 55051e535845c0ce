"""The summary in other languages: its words, numbers and dates, and what stays English."""

from __future__ import annotations

import html
import json
import re
from typing import Any

import pytest
import report_samples as samples
from pseudo_language import PSEUDO, words_of
from report_samples import everything_wrong, text_of, typed

from conformance.model.requirements import catalogue
from conformance.model.verdict import Outcome, Verdict
from conformance.reports import language, outcome, summary_page
from conformance.trace.har import exchanges_of

TRANSLATED = [code for code in language.languages() if code != language.ENGLISH]

INCOMPLETE = samples.data(
    samples.report(
        Outcome.INCONCLUSIVE,
        findings={"8-limit-enforced": (samples.finding(Verdict.INCONCLUSIVE),)},
        complete=False,
        left_behind=1,
        left_out_clause="4.6",
    )
)


def page_in(code: str, data: dict[str, Any]) -> str:
    return summary_page.render(typed(data), exchanges_of(samples.evidence()), "ab12", code)


@pytest.mark.parametrize(("code", "number"), [("en", "1,234"), ("nl", "1.234"), ("de", "1.234"), ("fr", "1\u202f234")])
def test_numbers_and_days_are_written_as_in_the_language(code: str, number: str) -> None:
    with language.speaking(code):
        assert language.gettext("%(name)s", name=1234) == number
        assert language.ngettext("%(num)s failed", "%(num)s failed", 1234).startswith(number)
        assert language.gettext("%(name)s", name="1234") == "1234"
        assert code != "fr" or language.day("2026-04-01") == "1er avril 2026"


@pytest.mark.parametrize(
    "data",
    [
        samples.data(samples.report(Outcome.CONFORMS, findings=samples.alert_findings())),
        samples.replied(samples.eventful(), "4.3-answers-ok"),
        INCOMPLETE,
    ],
    ids=["conforming", "failing", "incomplete"],
)
def test_each_text_of_the_page_is_a_message(data: dict[str, Any], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(language, "language", lambda _code: PSEUDO)
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
    left_open = [rows[each].statement.removeprefix(outcome.LEFT_OPEN) for each in catalogue().alerts]
    with language.speaking(code):
        assert [each for each in left_open if language.sentence(each) is None] == []


def test_text_of_a_target_is_neither_translated_nor_markup_nor_a_placeholder() -> None:
    assert '<span lang="en">The access token expired.</span>' in page_in("nl", samples.eventful())
    page = page_in("nl", everything_wrong(f"%(num)s %s %(x {samples.HOSTILE}"))
    assert not re.search(r"<(script|img|svg|iframe|a|form)\b|style=|\bon[a-z]+=\"", page)
    assert "<script>alert(1)</script>" in html.unescape(page)
    assert "%(num)s" in page
    assert len(re.findall("<code>", page)) == len(re.findall("</code>", page))
