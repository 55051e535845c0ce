"""Replies in every view: beside the finding, with author and date, and never as a result."""

from __future__ import annotations

import html
import io
import re
from typing import Any

import pytest
import report_samples as samples
from report_samples import typed
from rich.console import Console

from conformance.model.printable import HAZARD
from conformance.reports import files, outcome, replies, summary, terminal

KINDS = {name: kind for kind, views in files.VIEWS.items() for name in views}
WORDS = (
    f"Example Ltd replied on 2026-02-01: We read it otherwise (document letter.pdf, SHA-256 {'ab' * 32}). "
    "Signed with the key SHA256:0123; 'verify' checks it."
)
SHOW_NO_FINDING = ("badge.svg", "badge.json", "summary.html")


def view(report: dict[str, Any], name: str) -> str:
    if name != "terminal":
        return "".join(files.rendered(report, samples.evidence(), [KINDS[name]])[name])
    console = Console(width=4000, file=io.StringIO())
    with console.capture() as captured:
        terminal.print_summary(console, typed(report), [])
    return captured.get()


def answered() -> tuple[str, ...]:
    """Return a requirement that failed, one with a warning and one with an alert."""
    sample = typed(samples.eventful())
    failed, warned = (next(r.id for r in sample.requirements if r.verdict == verdict) for verdict in ("fail", "warn"))
    return failed, warned, sample.alerts[0]


def sample(text: str = "") -> dict[str, Any]:
    return samples.replied(samples.eventful(), *answered(), text=text)


@pytest.mark.parametrize("name", [*(name for name in KINDS if name not in SHOW_NO_FINDING), "terminal"])
def test_a_view_shows_the_reply_to_each_finding_that_it_shows(name: str) -> None:
    report = samples.replied(samples.eventful(), *(row.id for row in typed(samples.eventful()).requirements))
    text = re.sub(r"\\([\[\]\\])", r"\1", html.unescape(html.unescape(view(report, name))).replace("%0A", " "))
    assert WORDS in text
    assert "replied on" not in view(samples.eventful(), name)


@pytest.mark.parametrize("place", ["fail-", "alert-", ""])
def test_the_page_shows_it_beside_the_finding_and_beside_the_requirement(place: str) -> None:
    failed, _, alert = answered()
    page = html.unescape(view(sample(), "report.html"))
    wanted = alert if place == "alert-" else failed
    end = "section" if place else "details"
    (section,) = re.findall(rf'id="{place}{wanted}"(.*?)</{end}>', page, re.DOTALL)
    assert f"<dt>Reply</dt><dd>{WORDS}</dd>" in section


def test_a_reply_changes_no_verdict_and_no_number() -> None:
    plain, given = samples.eventful(), sample()
    assert {**given, "replies": []} == plain
    for said in (outcome.headline, outcome.outcome_sentence, summary.numbers_sentence):
        assert said(typed(given)) == said(typed(plain))


def test_the_summary_says_that_the_organisation_replied() -> None:
    page = " ".join(re.sub("<[^>]*>", "", html.unescape(view(sample(), "summary.html"))).split())
    assert "The organisation replied to" in page
    assert "A reply changes no verdict." in page
    assert "The organisation replied to" not in view(samples.eventful(), "summary.html")


def test_text_of_a_reply_is_safe_in_every_view() -> None:
    for name in (*KINDS, "terminal"):
        text = view(sample(samples.HOSTILE), name)
        assert not HAZARD.search(re.sub(r"[\n\r\t]", "", text)), name
        if name.endswith(".html"):
            assert "<script>alert" not in text
            assert "<img src=x" not in text
        if name.endswith(".md"):
            assert "<script>" not in re.sub(r"(`+).*?\1", "", text)


def test_only_what_was_found_wrong_can_be_answered() -> None:
    report = typed(samples.eventful())
    wrong = {row.id for row in report.requirements if row.verdict in ("fail", "warn")} | set(report.alerts)
    assert set(replies.answerable(report)) == wrong


def test_the_schema_describes_it() -> None:
    report = sample()
    report["replies"][1]["document"] = None
    assert samples.errors_of(report) == []
    report["replies"][0]["name"] = ""
    assert samples.errors_of(report) != []
    del report["replies"]
    assert samples.errors_of(report) == []
    assert typed(report).replies == ()
