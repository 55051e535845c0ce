"""Every view of a finding says on what it rests, and quotes a reader's copy of the specification safely."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable
from dataclasses import replace
from typing import Any
from xml.etree import ElementTree as ET

import pytest
import report_samples as samples
from report_samples import typed
from rich.console import Console

from conformance.model.report import Report
from conformance.model.requirements import catalogue
from conformance.model.results import RequirementResult
from conformance.model.specification import Specification
from conformance.model.verdict import Basis, Level, Verdict
from conformance.reports import (
    basis,
    github,
    html,
    junit,
    markdown,
    sarif,
    spreadsheet,
    summary_page,
    terminal,
)
from conformance.reports.scripts import reproduction
from conformance.reports.scripts.calls import Recorded
from conformance.trace.har import exchanges_of

FAILED = "4.3-answers-ok"
PLACES = ("4.3, item 3", "3, table 2, row 1")
REASON = "DELETE is the only transition to removed."
OTHER = "That it may answer 404: the table has no such row."
QUOTATION = "200: the plain text of this copy."


def inferred(text: str = "") -> dict[str, Any]:
    """Return an eventful run in which the failures rest on an interpretation."""
    values = samples.eventful(text)
    for row in values["requirements"]:
        row |= {"basis": "inferred", "places": PLACES, "basis_reason": REASON, "rejected": (OTHER,)}
    values["suite"]["edition"] = catalogue().edition.digest
    return values


def copy(words: str = QUOTATION, **changes: Any) -> Specification:
    return replace(Specification(catalogue().edition.digest, {PLACES[0]: words, "9": "Other words."}, ()), **changes)


def printed(report: Report) -> str:
    console = Console(file=(file := io.StringIO()), width=200, color_system=None)
    terminal.print_summary(console, report, [])
    return file.getvalue()


def script(report: Report) -> str:
    evidence = samples.evidence()
    row = next(row for row in report.requirements if row.id == FAILED)
    found = [reproduction.script(report, Recorded(exchanges_of(evidence)), row, finding) for finding in row.findings]
    return found[0] or reproduction._head(report, row, row.findings[0])


VIEWS: dict[str, Callable[[Report], str]] = {
    "terminal": printed,
    "html": lambda report: html.render(report, exchanges_of(samples.evidence())),
    "summary.html": lambda report: summary_page.render(report, exchanges_of(samples.evidence()), "ab12"),
    "markdown": markdown.render,
    "junit": junit.render,
    "sarif": lambda report: json.dumps(sarif.document(report)),
    "csv": spreadsheet.render,
    "github": github.commands,
    "script": script,
}
QUOTING = ("terminal", "html", "summary.html", "markdown", "junit", "sarif", "csv")


def without_escapes(text: str) -> str:
    return text.replace("\\", "").replace("&#39;", "'").replace("%2C", ",").replace("%3A", ":")


@pytest.mark.parametrize("view", QUOTING)
def test_a_view_quotes_a_copy_of_the_same_edition(view: str) -> None:
    text = without_escapes(VIEWS[view](basis.quoting(typed(inferred()), copy())))

    assert QUOTATION in text
    assert basis.WORDS in text
    assert "Other words." not in text


@pytest.mark.parametrize("edition", ["sha256:" + "0" * 64, ""])
def test_another_edition_is_not_quoted(edition: str) -> None:
    report = inferred()

    assert basis.quoting(typed(report), copy(edition=edition)) == typed(report)
    report["suite"].pop("edition")
    assert basis.quoting(typed(report), copy(edition=edition)) == typed(report)


def test_hostile_words_do_no_harm() -> None:
    report = basis.quoting(typed(inferred(samples.HOSTILE)), copy(samples.HOSTILE + "\n=1+1|2\n### x\n- [a](b)"))

    for view in VIEWS:
        text = VIEWS[view](report)
        assert "\x1b" not in text
        assert "\ud800" not in text
        if view.endswith("html"):
            assert "<script>alert" not in text
            assert "<img" not in text
    ET.fromstring(junit.render(report))
    rows = list(csv.DictReader(io.StringIO(spreadsheet.render(report), newline="")))
    assert all(not row[basis.WORDS].startswith(("=", "<")) for row in rows)
    assert "\n### x" not in markdown.render(report)


@pytest.mark.parametrize(
    ("level", "of", "places", "words"),
    [
        ("must", Basis.STATED, ["2.3, table, row 9"], "Stated in 2.3, table, row 9"),
        ("must", Basis.INFERRED, ["3, table 2, row 1", "8"], "By interpretation of 3, table 2, row 1; 8"),
        ("should", Basis.ADVICE, [], "Advice: no place of the specification says it"),
        ("should", Basis.ADVICE, ["9"], "Advice, about 9: no place of the specification says it"),
        ("open", Basis.STATED, ["6, paragraph 1"], "Left open by 6, paragraph 1"),
        ("open", Basis.STATED, [], "Left open by clause 6"),
    ],
)
def test_the_basis_in_words(level: str, of: Basis, places: list[str], words: str) -> None:
    row = RequirementResult(
        id="6-x",
        clause="6",
        level=Level(level),
        statement="",
        verdict=Verdict.PASS,
        basis=of,
        places=tuple(places),
    )
    assert basis.rests_on(row) == words
