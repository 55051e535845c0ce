"""Replies in every view: beside the finding, with author and date, and never as a result."""

from __future__ import annotations

import io
import re
from typing import Any

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


def test_a_reply_changes_no_verdict_and_no_number() -> None:
    plain, given = samples.eventful(), sample()
    assert {**given, "replies": []} == plain
    for said in (outcome.headline, outcome.outcome_sentence, summary.numbers_sentence):
        assert said(typed(given)) == said(typed(plain))


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
