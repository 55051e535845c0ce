"""The run for GitHub Actions: annotations of the workflow run; the step summary is the page of `markdown.py`."""

from __future__ import annotations

from collections.abc import Iterable

from conformance.model.printable import one_line
from conformance.model.report import Report
from conformance.model.text import count
from conformance.reports import basis, dependents, outcome, sections, summary
from conformance.reports.failures import must_be_decided
from conformance.reports.problems import Problem, Standing, by_standing

MOST = 10
"""GitHub shows at most ten annotations of each kind for a step."""

_LIMIT = 500


def commands(report: Report) -> str:
    """Return workflow commands, one a line. What a service wrote can neither end a command nor start one."""
    found = by_standing(report)
    errors = [_problem(report, each) for each in found[Standing.FAILED] if not dependents.origin(report, each.row)]
    errors += [(f"The suite itself failed: {crash.where[0]}", crash.exception) for crash in report.crashes]
    edition = f"Specification: {basis.edition_words(report)}"
    sentences = "\n".join([outcome.outcome_sentence(report), edition, summary.set_sentence(report)])
    notices = [(f"DRSI conformance: {outcome.headline(report)}", sentences)]
    for group in summary.undecided(report):
        ids = ", ".join(row.id for row in group.rows)
        text = "\n".join([*sections.lines(summary.labelled(group.finding)), ids])
        told = errors if any(must_be_decided(report, row) for row in group.rows) else notices
        told.append((f"Inconclusive: {count(len(group.rows), 'requirement')}", text))
    warnings = [_problem(report, problem) for problem in (*found[Standing.ALERT], *found[Standing.WARNING])]
    notices += [_problem(report, problem) for problem in (*found[Standing.WAIVED], *found[Standing.UNSCORED])]
    kinds = {"error": errors, "warning": warnings, "notice": notices}
    return "".join(line for kind, said in kinds.items() for line in _lines(kind, said))


def _problem(report: Report, problem: Problem) -> tuple[str, str]:
    text = "\n".join(sections.all_lines(report, problem.row, problem.finding))
    return f"{problem.state.capitalize()}: {problem.id}", text


def _lines(kind: str, said: list[tuple[str, str]]) -> Iterable[str]:
    shown = said if len(said) <= MOST else said[: MOST - 1]
    if left := len(said) - len(shown):
        shown = [*shown, (f"{left:,} more", "The summary of the job and the report name them all.")]
    for title, text in shown:
        lines = "\n".join(one_line(line, _LIMIT) for line in text.split("\n") if line)
        yield f"::{kind} title={_escaped(one_line(title, _LIMIT), ':,')}::{_escaped(lines)}\n"


def _escaped(text: str, others: str = "") -> str:
    for character in f"%\r\n{others}":  # the percent sign is the first
        text = text.replace(character, f"%{ord(character):02X}")
    return text
