"""Texts from outside in every view: of the service, of people who attest and reply, and of a reader's copy."""

from __future__ import annotations

import csv
import io
import re
from typing import Any

import pytest
import report_samples as samples
from report_samples import typed
from rich.console import Console

from conformance.model.printable import HAZARD
from conformance.model.report import Report
from conformance.model.requirements import catalogue
from conformance.model.verdict import Outcome
from conformance.reports import files, people, terminal
from conformance.reports.scripts import reproduction
from conformance.reports.scripts.calls import Recorded
from conformance.trace.har import exchanges_of

ATTESTED = ("3-erases-gathered", "4.5-complete-overview")
ANSWERED = ("4.3-answers-ok", "5-isolation")
KINDS = {name: kind for kind, views in files.VIEWS.items() for name in views}


def view(report: dict[str, Any], name: str, text: str = "") -> str:
    if name == "script":
        return _script(typed(report), text)
    if name != "terminal":
        return "".join(files.rendered(report, samples.evidence(text), [KINDS[name]])[name])
    console = Console(width=4000, file=io.StringIO())
    with console.capture() as captured:
        terminal.print_summary(console, typed(report), [])
    return captured.get()


def _script(report: Report, text: str) -> str:
    row = next(row for row in report.requirements if row.id == "4.3-answers-ok")
    recorded = Recorded(exchanges_of(samples.evidence(text)))
    return reproduction.script(report, recorded, row, row.findings[0]) or reproduction._head(
        report, row, row.findings[0]
    )


def sample(text: str = "") -> dict[str, Any]:
    return samples.attested(samples.replied(samples.eventful(text), *ANSWERED, text=text), *ATTESTED, text=text)


@pytest.mark.parametrize("name", [*KINDS, "terminal", "script"])
def test_text_of_a_service_of_people_and_of_a_copy_is_safe_in_every_view(name: str) -> None:
    report = sample(samples.HOSTILE)
    hostile = "=1+1|2\n### x\n- [a](b)" + samples.HOSTILE
    for row in report["requirements"]:
        row |= {"basis": "inferred", "places": ["4.3, item 3"], "basis_reason": hostile, "rejected": [hostile]}
    report["quoted"] = {"4.3, item 3": hostile}
    text = view(report, name, samples.HOSTILE)
    assert not HAZARD.search(re.sub(r"[\n\r\t]", "", text))
    text.encode("utf-8")
    if name.endswith(".html"):
        assert "<script>alert" not in text
        assert "<img src=x" not in text
    if name.endswith(".md"):
        assert "<script>" not in re.sub(r"(`+).*?\1", "", text)
        assert "\n### x" not in text
    if name.endswith(".csv"):
        cells = [cell for cells in csv.reader(io.StringIO(text, newline="")) for cell in cells]
        assert [cell for cell in cells if cell.startswith("=")] == []


def test_only_what_no_client_can_decide_can_be_attested_and_only_what_was_found_wrong_answered() -> None:
    untestable = [row.id for row in catalogue().rows.values() if row.untestable]
    in_part = typed(samples.data(samples.report(Outcome.CONFORMS_IN_PART, left_out_clause="4.3")))
    assert people.attestable(in_part) == untestable

    report = typed(samples.eventful())
    wrong = {row.id for row in report.requirements if row.verdict in ("fail", "warn")} | set(report.alerts)
    assert set(people.answerable(report)) == wrong
