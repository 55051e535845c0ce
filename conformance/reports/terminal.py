"""The terminal output at the end of a run: findings with their fixes, then the outcome."""

from __future__ import annotations

import textwrap
from collections.abc import Iterable, Sequence
from pathlib import Path

from rich.console import Console
from rich.text import Text

from conformance.model.findings import Finding, Note
from conformance.model.printable import one_line, printable
from conformance.model.report import Report
from conformance.model.results import RequirementResult
from conformance.model.text import count
from conformance.model.verdict import Blame, Outcome, Verdict
from conformance.reports import (
    again,
    basis,
    dependents,
    fields,
    open_matters,
    outcome,
    people,
    score,
    summary,
)
from conformance.reports.problems import SHOWN, Problem, Standing, by_standing, first_fix

OTHERS_SHOWN = 10
IDS_SHOWN = 8
_FIELD_LIMIT = 300
_VALUE_LIMIT = 120
"""Characters of an expected or actual value, which may be a body."""
_CURL_LIMIT = 1000
_QUOTATION_LIMIT = 600
_STATEMENT_LIMIT = 2_000
_TRACEBACK_LINES = 10
"""The last lines of a traceback, which name the exception and where it was raised; the page has all."""
_LAST_CURL = 320
"""Characters of the curl line at the end: four rows of 80 columns."""
_FAILED_IDS = 12
"""Ids of what failed, at the end: about four rows of 80 columns."""
_FIRST = "Fix this first"
_LAST_FILES = ("report.json", "report.html")
"""The files whose paths end the output, so that the last one is the page that people open."""
_INDENT = " " * 5
_LABEL_WIDTH, _LONGEST_LABEL = 9, 16
_STYLE_OF = {Standing.ALERT: "bold red", Standing.FAILED: "bold red"}

Entry = tuple[tuple[tuple[str, str], ...], dict[str, str]]
"""The parts of a line with their styles, and fields by their names."""

_STYLES = {
    Outcome.CONFORMS: "bold green",
    Outcome.CONFORMS_IN_PART: "bold green",
    Outcome.CONFORMS_WITH_WAIVERS: "bold green",
    Outcome.DOES_NOT_CONFORM: "bold red",
    Outcome.INCONCLUSIVE: "bold magenta",
}


def print_summary(console: Console, report: Report, paths: Iterable[Path], *, debug: bool = False) -> None:
    """Print the findings of `report`, then what the run was, and at the end what fits a screen of 40 rows.

    The end is the outcome, what to fix first, the ids of what failed, and the path of the report. What stands there
    is not printed before. Crashes of the suite stand above it, in `debug` mode with their tracebacks.
    """
    paths = list(paths)
    folder = paths[0].parent if paths else Path("RUN")
    first, undecided, found = first_fix(report), summary.undecided(report), by_standing(report)
    for standing in SHOWN:
        _print_problems(console, report, found[standing], first, folder)
    shown, untested = undecided[first is None :], dependents.untested(report)  # the first may stand at the end
    _section(console, "Inconclusive", sum(len(each.rows) for each in undecided), _undecided(shown, "INCONCLUSIVE "))
    print_attestations(console, report)
    selected = _selected(report)
    _section(console, "Selected", len(selected), selected, SHOWN[Standing.FAILED][1])
    _section(console, "Not tested", sum(map(len, untested.values())), _untested(untested), len(untested))
    _print_notes(console, report.notes)
    _print_crashes(console, report, debug=debug)
    _print_facts(console, report)
    paths.sort(key=lambda path: _LAST_FILES.index(path.name) if path.name in _LAST_FILES else -1)
    for path in paths[:-1]:
        console.print(Text(printable(str(path))), soft_wrap=True)
    console.print()
    _print_headline(console, report)
    if first is not None:
        _line(console, (f"{_FIRST}: ", "bold red"), (first.row.id, "bold"))
        _print_finding(console, report, first.row, first.finding, folder, longest=_LAST_CURL)
        console.print()
    elif undecided:
        ((line, texts),) = _undecided(undecided[:1], "Decide this first: ")
        _line(console, *line)
        _fields(console, texts)
        console.print()
    if failed := [problem.id for problem in found[Standing.FAILED]]:
        _fields(
            console, {f"Failed ({len(failed):,}):": summary.first_ids(failed, _FAILED_IDS)}, _QUOTATION_LIMIT, indent=""
        )
    for path in paths[-1:]:
        console.print(Text(printable(str(path))), soft_wrap=True)


def _print_problems(
    console: Console, report: Report, problems: list[Problem], first: Problem | None, folder: Path
) -> None:
    """Print the problems of a standing, without those that are named under the failure from which they follow."""
    if not problems:
        return
    title, most = SHOWN[problems[0].standing]
    _title(console, f"{title} ({len(problems):,})")
    shown = [each for each in problems if each.row.waived or not dependents.origin(report, each.row)]
    shown.sort(key=lambda each: first is None or each.id != first.row.id)
    for problem in shown[:most]:
        finding = problem.finding
        _line(
            console, (f"{problem.state.upper()} ", _STYLE_OF.get(problem.standing, "bold yellow")), (problem.id, "bold")
        )
        if first is not None and finding is first.finding:
            _fields(console, {"finding": f'at the end, under "{_FIRST}"'})
        else:
            _print_finding(console, report, problem.row, finding, folder)
        _fields(console, fields.grounds(report, problem.row), _QUOTATION_LIMIT)
        for number, step in enumerate(finding.steps, 1):
            _line(console, (f"{_INDENT}{number}. {step.text}", ""))
        if further := fields.further(problem):
            _line(console, (f"{_INDENT}and {further}", "dim"))
        console.print()
    _print_rest(console, len(shown) - most)


def _section(console: Console, title: str, number: int, entries: list[Entry], most: int = OTHERS_SHOWN) -> None:
    """Print a section, unless it has no entries: at most `most` of them, each a line and the fields below it."""
    if not entries:
        return
    _title(console, f"{title} ({number:,})")
    for line, texts in entries[:most]:
        if line:
            _line(console, *line)
        _fields(console, texts, _STATEMENT_LIMIT)
    _print_rest(console, len(entries) - most)
    console.print()


def _selected(report: Report) -> list[Entry]:
    """Return the verdict of each requirement that a selection asked for, unless it stands in another section."""
    shown = (Verdict.FAIL, Verdict.WARN, Verdict.INCONCLUSIVE)
    rows = [row for row in dependents.asked(report) if row.verdict not in shown]
    return [
        (((f"{row.verdict.upper()} ", "bold"), (row.id, "bold")), {"meaning": row.statement, "reason": row.reason})
        for row in rows
    ]


def _untested(groups: dict[str, list[RequirementResult]]) -> list[Entry]:
    ids = {words: summary.first_ids([row.id for row in rows], IDS_SHOWN) for words, rows in groups.items()}
    return [((), {"to test": words, "ids": named}) for words, named in ids.items()]


def _undecided(groups: list[summary.Undecided], label: str) -> list[Entry]:
    """Return why requirements are inconclusive."""
    entries: list[Entry] = []
    for group in groups:
        line = (label, "bold magenta"), (count(len(group.rows), "requirement"), "bold")
        cause = summary.CAUSES[Blame(blame)] if (blame := group.finding.blame) else ""
        ids = summary.first_ids([row.id for row in group.rows], IDS_SHOWN)
        texts = {"reason": group.finding.message, "fix": group.finding.remedy, "cause": cause, "ids": ids}
        entries.append((line, {name: one_line(text, _FIELD_LIMIT) for name, text in texts.items()}))
    return entries


def _print_finding(
    console: Console,
    report: Report,
    row: RequirementResult,
    finding: Finding[str],
    folder: Path,
    *,
    longest: int = _CURL_LIMIT,
) -> None:
    """Print a finding, and how to see it again, if the line has at most `longest` characters."""
    _fields(console, fields.of_finding(report, row, finding))
    for label, line in again.lines(report, row, finding, str(folder)).items():
        text = f"{label}: {line}" if label == again.BEFORE else line
        if len(line) > longest:
            text = f"(the curl line has {len(line):,} characters; it is in report.json)"
        console.print(Text(f"{_INDENT}{printable(text)}"), soft_wrap=True)


def print_attestations(console: Console, report: Report) -> None:
    """Print what people stated about requirements that the suite did not test."""
    given = [each.requirement for each in report.attestations]
    entries: list[Entry] = [
        ((("ATTESTED ", "bold"), (each, "bold")), {"stated": people.attestation_of(report, each)}) for each in given
    ]
    _section(console, "Attested, not tested", len(given), entries)


def _print_notes(console: Console, notes: Sequence[Note]) -> None:
    for note in notes[:OTHERS_SHOWN]:
        _line(console, ("note ", "bold"), (one_line(f"{note.message} {note.remedy}".strip(), _FIELD_LIMIT), ""))
        for line in note.traceback.splitlines()[-_TRACEBACK_LINES:]:
            _line(console, (f"{_INDENT}{line}", "dim"))
    _print_rest(console, len(notes) - OTHERS_SHOWN)
    if notes:
        console.print()


def _print_crashes(console: Console, report: Report, *, debug: bool) -> None:
    for crash, line in zip(report.crashes, outcome.crash_lines(report), strict=True):
        _line(console, ("CRASH ", "bold magenta"), (one_line(line, _FIELD_LIMIT), ""))
        if debug:
            console.print(Text(printable(crash.traceback, keep="\n")), soft_wrap=True)
    if report.crashes:
        console.print()


def _print_facts(console: Console, report: Report) -> None:
    """Print what the run was and did."""
    if scored := summary.set_sentence(report):
        _line(console, (scored, ""))
    _line(console, (f"Confirmed by the tester: {summary.confirmations_sentence(report)}.", ""))
    if scope := summary.scope_sentence(report):
        _line(console, (one_line(scope, 3 * _FIELD_LIMIT), ""))
        left_out = [*report.scope.left_out, *report.scope.undeclared]
        _fields(console, {"left out": summary.first_ids(left_out, IDS_SHOWN)})
    _line(console, (summary.traffic_sentence(report), ""))
    if way := summary.way(report):
        _line(console, (f"Reached {way}.", ""))
    if nonce := report.run.nonce:
        _line(console, (f"The User-Agent of every request contained the nonce {nonce}.", ""))
    _line(console, (f"Specification: {basis.edition_words(report)}.", "dim"))
    _line(console, (score.calibration_sentence(report), "dim"))


def _print_headline(console: Console, report: Report) -> None:
    style = "bold yellow" if outcome.conforms_with_alerts(report) else _STYLES[Outcome(report.outcome)]
    _line(console, (outcome.headline(report), style), (f"  {report.target.base_url}", "bold"))
    _line(console, (outcome.outcome_sentence(report), ""))
    _line(console, (summary.numbers_sentence(report), ""))
    if matters := open_matters.observed(report):
        gravest = ", ".join(each.id for each in open_matters.gravest(matters))
        shown = f"report.html shows each{f', such as {gravest}' if gravest else ''}."
        _line(console, (f"{open_matters.paragraph(matters)} {shown}", ""))
    console.print()


def _title(console: Console, text: str) -> None:
    _line(console, (text, "bold underline"))
    console.print()


def _line(console: Console, *parts: tuple[str, str]) -> None:
    console.print(Text.assemble(*((printable(text), style) for text, style in parts)))


def _fields(console: Console, texts: dict[str, str], limit: int = _FIELD_LIMIT, *, indent: str = _INDENT) -> None:
    """Print each of the `texts` that is not empty, after its name, in at most `limit` characters."""
    label_width = max([_LABEL_WIDTH, *(len(name) + 1 for name in texts if len(name) < _LONGEST_LABEL)])
    width = max(24, console.width - len(indent) - label_width)
    for name, value in texts.items():
        if len(name) >= _LONGEST_LABEL:
            name, value = "", f"{name}: {value}"
        label = f"{name:<{label_width}}"
        if name in ("expected", "actual") and len(value) > _VALUE_LIMIT:
            value = f"{value[:_VALUE_LIMIT]}…"
        for line in textwrap.wrap(one_line(value, limit), width, break_on_hyphens=False):
            console.print(Text.assemble(indent, (label, "dim"), line), soft_wrap=True)
            label = " " * label_width


def _print_rest(console: Console, left: int) -> None:
    if left > 0:
        _line(console, (f"{_INDENT}and {left:,} more, in the report", "dim"))
