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
    attestations,
    basis,
    dependents,
    failures,
    open_matters,
    outcome,
    replies,
    score,
    summary,
)
from conformance.reports.problems import waiver_words

FAILS_SHOWN = 25
OTHERS_SHOWN = 10
IDS_SHOWN = 8
_FIELD_LIMIT = 300
_VALUE_LIMIT = 120
"""Characters of an expected or actual value, which may be a body."""
_CURL_LIMIT = 1000
_QUOTATION_LIMIT = 600
_TRACEBACK_LINES = 10
"""The last lines of a traceback, which name the exception and where it was raised; the page has all."""
_LAST_CURL = 320
"""Characters of the curl line at the end: four rows of 80 columns."""
_FAILED_IDS = 12
"""Ids of what failed, at the end: about four rows of 80 columns."""
_BLOCKED_IDS = 4
_FIRST = "Fix this first"
_LAST_FILES = ("report.json", "report.html")
"""The files whose paths end the output, so that the last one is the page that people open."""
_INDENT = " " * 5
_LABEL_WIDTH = 9

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
    first, undecided = dependents.first_fix(report), summary.undecided(report)
    fails, warns = (failures.not_waived(summary.broken(report, verdict)) for verdict in (Verdict.FAIL, Verdict.WARN))
    for title, label, style, rows, most in (
        ("Alerts", "ALERT", "bold red", outcome.alerts(report), FAILS_SHOWN),
        ("Failed", "FAIL", "bold red", fails, FAILS_SHOWN),
        ("Recommendations not met", "WARN", "bold yellow", warns, OTHERS_SHOWN),
        ("Failed and waived", "WAIVED", "bold yellow", failures.waived(report), FAILS_SHOWN),
        ("Unscored", "UNSCORED", "bold yellow", summary.unscored(report), OTHERS_SHOWN),
    ):
        if not rows:
            continue
        _title(console, f"{title} ({len(rows):,})")
        shown = [pair for pair in rows if pair[0].waived or not dependents.origin(report, pair[0])]
        shown.sort(key=lambda pair: first is None or pair[0].id != first.row.id)
        for row, findings in shown[:most]:
            _line(
                console, (f"{label} ", style), (row.id, "bold"), ("" if row.scored else f" ({findings[0].verdict})", "")
            )
            if first is not None and findings[0] is first.finding:
                _fields(console, {"finding": f'at the end, under "{_FIRST}"'})
            else:
                _print_finding(console, report, row, findings[0], folder)
            _print_grounds(console, report, row, findings)
        _print_rest(console, len(shown) - most)
    _print_undecided(console, undecided, all_but_the_first=first is None)
    print_attestations(console, report)
    _print_asked(console, report)
    _print_untested(console, report)
    _print_notes(console, report.notes)
    _print_crashes(console, report, debug=debug)
    _print_facts(console, report)
    paths.sort(key=lambda path: _LAST_FILES.index(path.name) if path.name in _LAST_FILES else -1)
    for path in paths[:-1]:
        console.print(Text(printable(str(path))), soft_wrap=True)
    console.print()
    _print_headline(console, report)
    if first is not None:
        _print_first_fix(console, report, first, folder)
    elif undecided:
        _print_first_undecided(console, undecided[0])
    failed = [row.id for row, _ in failures.not_waived(failures.failures(report))]
    if failed:
        _fields(
            console, {f"Failed ({len(failed):,}):": summary.first_ids(failed, _FAILED_IDS)}, _QUOTATION_LIMIT, indent=""
        )
    for path in paths[-1:]:
        console.print(Text(printable(str(path))), soft_wrap=True)


def _print_first_fix(console: Console, report: Report, first: dependents.FirstFix, folder: Path) -> None:
    """Print the failure on which most depends, in at most 23 rows of 80 columns."""
    _line(console, (f"{_FIRST}: ", "bold red"), (first.row.id, "bold"))
    _print_finding(console, report, first.row, first.finding, folder, longest=_LAST_CURL)
    console.print()


def _print_first_undecided(console: Console, group: summary.Undecided) -> None:
    _line(console, ("Decide this first: ", "bold magenta"), (count(len(group.rows), "requirement"), "bold"))
    _print_group(console, group)
    console.print()


def _print_asked(console: Console, report: Report) -> None:
    """Print the verdict of each requirement that a selection asked for, unless it stands in another section."""
    shown = (Verdict.FAIL, Verdict.WARN, Verdict.INCONCLUSIVE)
    rows = [row for row in dependents.asked(report) if row.verdict not in shown]
    if not rows:
        return
    _title(console, f"Selected ({len(rows):,})")
    for row in rows[:FAILS_SHOWN]:
        _line(console, (f"{row.verdict.upper()} ", "bold"), (row.id, "bold"))
        _fields(console, {"meaning": row.statement, "reason": row.reason} if row.reason else {"meaning": row.statement})
    _print_rest(console, len(rows) - FAILS_SHOWN)
    console.print()


def _print_untested(console: Console, report: Report) -> None:
    """Print what a passing run did not test, and how to test it."""
    groups = dependents.untested(report)
    if not groups:
        return
    _title(console, f"Not tested ({sum(len(group.rows) for group in groups):,})")
    for group in groups:
        ids = summary.first_ids([row.id for row in group.rows], IDS_SHOWN)
        _fields(console, {"to test": group.decided_by, "ids": ids})
    console.print()


def _print_finding(
    console: Console,
    report: Report,
    row: RequirementResult,
    finding: Finding[str],
    folder: Path,
    *,
    longest: int = _CURL_LIMIT,
) -> None:
    """Print a finding, what it blocks, and how to see it again, if the curl line has at most `longest` characters."""
    _fields(console, summary.labelled(finding))
    if finding.verdict == Verdict.FAIL:
        later, blocked = dependents.following(report, [row.id]), dependents.blocked_by(report, [row.id])
        follow = f"{dependents.following_sentence(later)} {_some(later)}" if later else ""
        blocks = f"{dependents.blocked_sentence(blocked)} {_some(blocked)}" if blocked else ""
        _fields(console, {"follow": follow, "blocks": blocks})
    curl = again.line_of(report, row, finding, str(folder))
    if len(curl) > longest:
        curl = f"(the curl line has {len(curl):,} characters; it is in report.json)"
    if curl:
        _print_curl(console, report, curl)


def _some(rows: list[RequirementResult]) -> str:
    return summary.first_ids([each.id for each in rows], _BLOCKED_IDS)


def _print_grounds(console: Console, report: Report, row: RequirementResult, findings: list[Finding[str]]) -> None:
    """Print on what the first finding of a requirement rests, and how many more there are."""
    finding, *others = findings
    _print_basis(console, report, row)
    for number, step in enumerate(finding.steps, 1):
        _line(console, (f"{_INDENT}{number}. {step.text}", ""))
    if others:
        _line(console, (f"{_INDENT}and {count(len(others), 'more finding')} about it, in the report", "dim"))
    console.print()


def _print_curl(console: Console, report: Report, curl: str) -> None:
    """Print a shell line, and above it what has to run before."""
    start = again.to_start(report.run.options, report.target.base_url)
    for line in [*([f"{again.BEFORE}: {start}"] if start else []), curl]:
        console.print(Text(f"{_INDENT}{printable(line)}"), soft_wrap=True)


def _print_basis(console: Console, report: Report, row: RequirementResult) -> None:
    said = {"basis": basis.stated(row), "reason": basis.reason(row), "reply": replies.reply_to(report, row.id)}
    _fields(console, said | ({"waiver": waiver_words(report, row)} if row.waived else {}))
    for place, text in basis.words(report, row).items():
        _fields(console, {"text": f"{place}, in the words of the specification: {text}"}, _QUOTATION_LIMIT)


def _print_undecided(console: Console, groups: list[summary.Undecided], *, all_but_the_first: bool) -> None:
    """Print why requirements are inconclusive; the first reason may stand at the end of the output instead."""
    shown = groups[1:] if all_but_the_first else groups
    if not shown:
        return
    _title(console, f"Inconclusive ({sum(len(group.rows) for group in groups):,})")
    for group in shown[:OTHERS_SHOWN]:
        _line(console, ("INCONCLUSIVE ", "bold magenta"), (count(len(group.rows), "requirement"), "bold"))
        _print_group(console, group)
    _print_rest(console, len(shown) - OTHERS_SHOWN)
    console.print()


def _print_group(console: Console, group: summary.Undecided) -> None:
    cause = summary.CAUSES[Blame(blame)] if (blame := group.finding.blame) else ""
    ids = summary.first_ids([row.id for row in group.rows], IDS_SHOWN)
    _fields(console, {"reason": group.finding.message, "fix": group.finding.remedy, "cause": cause, "ids": ids})


def print_attestations(console: Console, report: Report) -> None:
    """Print what people stated about requirements that the suite did not test."""
    given = report.attestations
    if not given:
        return
    _title(console, f"Attested, not tested ({len(given):,})")
    for each in given[:OTHERS_SHOWN]:
        _line(console, ("ATTESTED ", "bold"), (each.requirement, "bold"))
        _line(console, (f"{_INDENT}{attestations.words(each)}", ""))
    _print_rest(console, len(given) - OTHERS_SHOWN)
    console.print()


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


def _fields(console: Console, fields: dict[str, str], limit: int = _FIELD_LIMIT, *, indent: str = _INDENT) -> None:
    """Print each of the `fields` that is not empty, after its name, in at most `limit` characters."""
    label_width = max([_LABEL_WIDTH, *(len(name) + 1 for name in fields)])
    width = max(24, console.width - len(indent) - label_width)
    for name, value in fields.items():
        label = f"{name:<{label_width}}"
        if name in ("expected", "actual") and len(value) > _VALUE_LIMIT:
            value = f"{value[:_VALUE_LIMIT]}…"
        for line in textwrap.wrap(one_line(value, limit), width, break_on_hyphens=False):
            console.print(Text.assemble(indent, (label, "dim"), line), soft_wrap=True)
            label = " " * label_width


def _print_rest(console: Console, left: int) -> None:
    if left > 0:
        _line(console, (f"{_INDENT}and {left:,} more, in the report", "dim"))
