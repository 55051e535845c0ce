"""The terminal output at the end of a run: findings with their fixes, then the outcome."""

from __future__ import annotations

import textwrap
from collections.abc import Iterable
from pathlib import Path
from typing import Final

from rich.console import Console
from rich.text import Text

from conformance.model.printable import one_line, printable
from conformance.model.report import Report
from conformance.model.verdict import Outcome
from conformance.reports import again, outcome, sections, summary
from conformance.reports.problems import Standing, by_standing
from conformance.reports.sections import Entry, Fields, Section

_LIMIT: Final = 400
_VALUE_LIMIT: Final = 120
"""Characters of an expected or actual value, which may be a body."""
_CURL_LIMIT: Final = 1000
_QUOTATION_LIMIT: Final = 600
_STATEMENT_LIMIT: Final = 2_000
_LAST_CURL: Final = 320
"""Characters of the curl line at the end: four rows of 80 columns."""
_FAILED_IDS: Final = 12
"""Ids of what failed, at the end: about four rows of 80 columns."""
_LAST_FILES: Final = ("report.json", "report.html")
"""The files whose paths end the output, so that the last one is the page that people open."""
_INDENT: Final = " " * 5
_LABEL_WIDTH, _LONGEST_LABEL = 9, 16
_OF_STATEMENTS: Final = ("meaning", "to test", "stated")
"""The labels of texts that are shown whole."""

_STYLES: Final = {
    Outcome.CONFORMS: "bold green",
    Outcome.CONFORMS_IN_PART: "bold green",
    Outcome.CONFORMS_WITH_WAIVERS: "bold green",
    Outcome.DOES_NOT_CONFORM: "bold red",
    Outcome.INCONCLUSIVE: "bold magenta",
}
_STYLES_OF_MARKS: Final = {
    **dict.fromkeys(["ALERT", "FAIL"], "bold red"),
    **dict.fromkeys(["WARN", "WAIVED", "UNSCORED"], "bold yellow"),
    "INCONCLUSIVE": "bold magenta",
}


def print_summary(console: Console, report: Report, paths: Iterable[Path], *, debug: bool = False) -> None:
    """Print the findings of `report`, then what the run was, and at the end what fits a screen of 40 rows.

    The end is the outcome, what to do first, the ids of what failed, and the path of the report. Crashes of the suite
    stand above it, in `debug` mode with their tracebacks.
    """
    paths = sorted(paths, key=lambda path: _LAST_FILES.index(path.name) if path.name in _LAST_FILES else -1)
    folder = str(paths[0].parent) if paths else "RUN"
    for section in sections.sections(report, folder):
        print_section(console, section)
    _print_crashes(console, report, debug=debug)
    _fields(console, sections.facts(report), _STATEMENT_LIMIT, indent="")
    for path in paths[:-1]:
        console.print(Text(printable(str(path))), soft_wrap=True)
    console.print()
    _print_headline(console, report)
    if found := sections.first(report, folder):
        title, entry = found
        _line(console, (f"{title}: ", _STYLES_OF_MARKS[entry.mark]), (entry.name, "bold"))
        _fields(console, entry.fields, longest=_LAST_CURL)
        console.print()
    if failed := [problem.id for problem in by_standing(report)[Standing.FAILED]]:
        named = {f"Failed ({len(failed):,}):": summary.first_ids(failed, _FAILED_IDS)}
        _fields(console, named, _QUOTATION_LIMIT, indent="")
    for path in paths[-1:]:
        console.print(Text(printable(str(path))), soft_wrap=True)


def print_section(console: Console, section: Section) -> None:
    """Print a section, unless it has no entries."""
    if not section.entries:
        return
    _line(console, (f"{section.title} ({section.number:,})", "bold underline"))
    console.print()
    for entry in section.entries[: section.most]:
        _print_entry(console, entry)
    if (left := len(section.entries) - section.most) > 0:
        _line(console, (f"{_INDENT}and {left:,} more, in the report", "dim"))
        console.print()


def _print_entry(console: Console, entry: Entry) -> None:
    _line(console, (f"{entry.mark} ", _STYLES_OF_MARKS.get(entry.mark, "bold")), (one_line(entry.name, _LIMIT), "bold"))
    _fields(console, entry.fields)
    _fields(console, entry.grounds, _QUOTATION_LIMIT)
    for number, step in enumerate(entry.steps, 1):
        _line(console, (f"{_INDENT}{number}. {step}", ""))
    console.print()


def _print_crashes(console: Console, report: Report, *, debug: bool) -> None:
    for crash, line in zip(report.crashes, outcome.crash_lines(report), strict=True):
        _line(console, ("CRASH ", "bold magenta"), (one_line(line, _LIMIT), ""))
        if debug:
            console.print(Text(printable(crash.traceback, keep="\n")), soft_wrap=True)
    if report.crashes:
        console.print()


def _print_headline(console: Console, report: Report) -> None:
    style = "bold yellow" if outcome.conforms_with_alerts(report) else _STYLES[Outcome(report.outcome)]
    _line(console, (outcome.headline(report), style), (f"  {report.target.base_url}", "bold"))
    _line(console, (outcome.outcome_sentence(report), ""))
    _line(console, (summary.numbers_sentence(report), ""))
    if matters := outcome.open_matters(report):
        _line(console, (f"{outcome.matters_paragraph(matters)} report.html shows each.", ""))
    console.print()


def _line(console: Console, *parts: tuple[str, str]) -> None:
    console.print(Text.assemble(*((printable(text), style) for text, style in parts)))


def _fields(
    console: Console, texts: Fields, limit: int = _LIMIT, *, indent: str = _INDENT, longest: int = _CURL_LIMIT
) -> None:
    """Print texts after their labels, in at most `limit` characters, and lines to copy of `longest` as they are."""
    label_width = max([_LABEL_WIDTH, *(len(name) + 1 for name in texts if len(name) < _LONGEST_LABEL)])
    width = max(24, console.width - len(indent) - label_width)
    for name, value in texts.items():
        if name in again.LABELS:
            line = f"{name}: {value}" if name == again.BEFORE else value
            if len(value) > longest:
                line = f"(the curl line has {len(value):,} characters; it is in report.json)"
            console.print(Text(f"{indent}{printable(line)}"), soft_wrap=True)
            continue
        if len(name) >= _LONGEST_LABEL:
            name, value = "", f"{name}: {value}"
        label = f"{name:<{label_width}}"
        if name in ("expected", "actual") and len(value) > _VALUE_LIMIT:
            value = f"{value[:_VALUE_LIMIT]}…"
        most = _STATEMENT_LIMIT if name in _OF_STATEMENTS else limit
        for line in textwrap.wrap(one_line(value, most), width, break_on_hyphens=False):
            console.print(Text.assemble(indent, (label, "dim"), line), soft_wrap=True)
            label = " " * label_width
