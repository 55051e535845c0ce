"""Texts from outside in every view: of the service, of people who attest and reply, and of a reader's copy.

None controls, runs, links, calculates or hides anything, and long ones leave each view bounded.
"""

from __future__ import annotations

import csv
import io
import re
from typing import Any
from urllib.parse import unquote

import pytest
import report_samples as samples
from markdown_it import MarkdownIt
from markdown_it.token import Token
from report_samples import typed
from rich.console import Console

from conformance.model.findings import Finding
from conformance.model.printable import HAZARD
from conformance.model.report import Report
from conformance.model.requirements import catalogue
from conformance.model.verdict import Outcome, Verdict
from conformance.reports import files, github, markdown, people, sarif, spreadsheet, terminal
from conformance.reports.scripts import reproduction
from conformance.reports.scripts.calls import Recorded
from conformance.trace.har import exchanges_of

ATTESTED = ("3-erases-gathered", "4.5-complete-overview")
ANSWERED = ("4.3-answers-ok", "5-isolation")
KINDS = {name: kind for kind, views in files.VIEWS.items() for name in views}
TESTABLE = [row.id for row in catalogue().rows.values() if not row.untestable]


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


@pytest.mark.parametrize("name", [*KINDS, "terminal", "script"])
def test_text_of_a_service_of_people_and_of_a_copy_is_safe_in_every_view(name: str) -> None:
    report = samples.replied(samples.eventful(samples.HOSTILE), *ANSWERED, text=samples.HOSTILE)
    samples.attested(report, *ATTESTED, text=samples.HOSTILE)
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


LONG = samples.broken_findings("é" * 100_000)
MANY = dict.fromkeys(TESTABLE, (samples.finding(Verdict.FAIL, "`é" * 500),))


@pytest.mark.parametrize(
    ("name", "findings", "most"),
    [("report.html", LONG, 500_000), ("junit.xml", LONG, 1_000_000), ("summary.md", MANY, 65_536)],
)  # GitHub takes comments of less than 65,536 characters.
def test_very_long_texts_leave_a_view_bounded(name: str, findings: dict[str, tuple[Finding, ...]], most: int) -> None:
    text = view(samples.data(samples.report(findings=findings)), name, "é" * 100_000)
    assert len(text) < most


# what lies in text that a view has to keep as text

_COMMAND = re.compile(r"::(error|warning|notice) title=([^:,\r\n]*)::([^\r\n]*)")
_OF_A_RUNNER = "\n::error::mine\r\n##[add-mask]x\n::stop-commands::x\n%0A::set-output name=a::b, title=c: 100%"


def commands(text: str) -> list[tuple[str, str]]:
    """Return kind and title of each line, as GitHub's runner reads them; every line has to be a command."""
    lines = text.split("\n")
    assert lines.pop() == ""
    found = [_COMMAND.fullmatch(line) for line in lines]
    assert all(found)
    return [(each[1], unquote(each[2])) for each in found if each]


@pytest.mark.parametrize("text", [_OF_A_RUNNER, samples.HOSTILE])
def test_it_neither_starts_nor_ends_a_command_of_github(text: str) -> None:
    plain, evil = (commands(github.commands(typed(samples.eventful(each)))) for each in ("", text))
    assert evil == plain


_OF_MARKDOWN = (
    "`` ` ``` @owner #12 GH-1 [x](https://evil.example) ![i](https://evil.example/i.png) <b>b</b> | a | \\| \\"
    "\n# heading\n- item\n```\nfence www.evil.example someone@evil.example **b** ~~s~~ `"
)


def parsed(text: str) -> list[Token]:
    tokens = MarkdownIt("commonmark").enable(["table", "strikethrough"]).parse(text)
    return [each for token in tokens for each in (token, *(token.children or ()))]


@pytest.mark.parametrize("text", [_OF_MARKDOWN, samples.HOSTILE, "`" * 50, "\\", " ` "])
def test_it_stays_in_code_spans_of_markdown(text: str) -> None:
    report = samples.eventful(text)
    report["target"]["base_url"] = f"https://service.example/{text}"
    report["run"]["labels"] = {f"case{text}": text}
    plain, evil = parsed(markdown.render(typed(samples.eventful()))), parsed(markdown.render(typed(report)))

    kinds = {token.type for token in evil}
    assert kinds <= {token.type for token in plain} | {"code_inline"}
    assert not kinds & {"link_open", "image", "html_inline", "html_block", "fence", "table_open"}
    outside = " ".join(token.content for token in evil if token.type == "text")
    assert not any(part in outside for part in ("@", "#", "evil", "://", "script"))


@pytest.mark.parametrize(
    "text", ["=1+1", "@SUM(A1)", "\t=1", "\n=1", " =1", "\xa0@x", "\u200b=1", "＝1", '"=1', "'=1", "x;=cmd|' /C'!A0",
             'x";"=1', "x\t=1", "x|=1", samples.HOSTILE],
)  # fmt: skip
@pytest.mark.parametrize("delimiter", [",", ";", "\t", "|"])
def test_no_spreadsheet_calculates_it(text: str, delimiter: str) -> None:
    report = samples.eventful()
    for row in report["requirements"]:
        for finding in row["findings"]:
            finding |= {"message": text, "actual": text, "expected": text}
    rows = csv.reader(io.StringIO(spreadsheet.render(typed(report)), newline=""), delimiter=delimiter)
    cells = [cell for row in rows for cell in row]
    assert [cell for cell in cells if cell.strip().lstrip('"').strip()[:1] in tuple("=+-@＝")] == []


def test_it_is_no_link_of_sarif_and_decides_no_fingerprint() -> None:
    found = {"4.3-answers-ok": (samples.finding(Verdict.FAIL, actual="[see](https://evil.example)"),)}
    report = samples.report(Outcome.DOES_NOT_CONFORM, findings=found)
    (result,) = sarif.document(typed(samples.data(report)))["runs"][0]["results"]
    assert r"\[see\](https://evil.example)" in result["message"]["text"]

    first, second = (sarif.document(typed(samples.eventful(each)))["runs"][0]["results"] for each in ("", " later"))
    prints, again = ([each["partialFingerprints"] for each in results] for results in (first, second))
    assert prints == again
    assert len({each["primaryLocationLineHash"] for each in prints}) == len(prints)


def test_only_what_no_client_can_decide_can_be_attested_and_only_what_was_found_wrong_answered() -> None:
    untestable = [row.id for row in catalogue().rows.values() if row.untestable]
    in_part = typed(samples.data(samples.report(Outcome.CONFORMS_IN_PART, left_out_clause="4.3")))
    assert people.attestable(in_part) == untestable

    report = typed(samples.eventful())
    wrong = {row.id for row in report.requirements if row.verdict in ("fail", "warn")} | set(report.alerts)
    assert set(people.answerable(report)) == wrong
