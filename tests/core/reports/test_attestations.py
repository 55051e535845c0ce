"""Attestations in every view: shown beside the requirement as what a person states, never as a result."""

from __future__ import annotations

import io
import re
from typing import Any

import report_samples as samples
from report_samples import typed
from rich.console import Console

from conformance.model.printable import HAZARD
from conformance.model.requirements import catalogue
from conformance.model.verdict import Outcome
from conformance.reports import attestations, files, terminal

ERASES, OVERVIEW = "3-erases-gathered", "4.5-complete-overview"
WORDS = (
    f"Attested by A. Person on 2026-02-01: Our job erases it (document policy.pdf, SHA-256 {'ab' * 32}). "
    "The suite did not test this."
)


KINDS = {name: kind for kind, views in files.VIEWS.items() for name in views}


def view(report: dict[str, Any], name: str) -> str:
    if name != "terminal":
        return "".join(files.rendered(report, samples.evidence(), [KINDS[name]])[name])
    console = Console(width=4000, file=io.StringIO())
    with console.capture() as captured:
        terminal.print_summary(console, typed(report), [])
    return captured.get()


def sample(text: str = "") -> dict[str, Any]:
    return samples.attested(samples.data(samples.report(Outcome.CONFORMS)), ERASES, OVERVIEW, text=text)


def test_text_of_an_attestation_is_safe_in_every_view() -> None:
    for name in (*KINDS, "terminal"):
        text = view(sample(samples.HOSTILE), name)
        assert not HAZARD.search(re.sub(r"[\n\r\t]", "", text)), name
        if name.endswith(".html"):
            assert "<script>alert" not in text
            assert "<img src=x" not in text
        if name.endswith(".md"):
            assert "<script>" not in re.sub(r"(`+).*?\1", "", text)


def test_a_long_statement_does_not_hide_that_it_was_not_tested() -> None:
    report = samples.data(samples.report(Outcome.CONFORMS))
    samples.attested(report, ERASES, text="x" * 5000)
    for name in ("report.html", "requirements.csv", "summary.md", "terminal"):
        assert f"SHA-256 {'ab' * 32}). The suite did not test this." in view(report, name), name


def test_the_schema_describes_it() -> None:
    report = sample()
    report["attestations"][1]["document"] = None
    assert samples.errors_of(report) == []
    report["attestations"][0]["document"]["name"] = "../report.json"
    assert samples.errors_of(report) != []
    del report["attestations"]
    assert samples.errors_of(report) == []
    assert typed(report).attestations == ()


def test_only_what_no_client_can_decide_can_be_attested() -> None:
    report = samples.data(samples.report(Outcome.CONFORMS_IN_PART, left_out_clause="4.3"))
    untestable = [row.id for row in catalogue().rows.values() if row.untestable]
    assert attestations.attestable(typed(report)) == untestable
    assert {ERASES, OVERVIEW, "2.2-isErasable-value", "6-events"} <= set(untestable)
