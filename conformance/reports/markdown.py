"""The run as Markdown, for a comment on a pull request.

Everything that a service may have written is in code spans: nothing in them is a link, a mention, an image or HTML.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from conformance import NAME
from conformance.model.printable import one_line
from conformance.model.report import Report
from conformance.model.text import count
from conformance.reports import again, attestations, basis, dependents, outcome, replies, summary
from conformance.reports.problems import Problem, Standing, by_standing, waiver_words

SHOWN = {
    Standing.ALERT: ("Alerts", 10),
    Standing.FAILED: ("Failed", 20),
    Standing.WARNING: ("Recommendations not met", 10),
    Standing.WAIVED: ("Failed and waived", 10),
    Standing.UNSCORED: ("Unscored: decides nothing", 10),
}
"""Heading of each section, and how many requirements it shows: a comment has at most 65,536 characters."""

_LIMIT = 300
_QUOTATION = 600
_GROUPS = 10
_IDS = 12


def render(report: Report) -> str:
    """Return the page."""
    blocks = [
        f"## DRSI conformance: {plain(outcome.headline(report))}",
        plain(outcome.outcome_sentence(report)),
        "\n".join(f"- {name}: {text}" for name, text in _facts(report)),
    ]
    found = by_standing(report)
    for standing, (heading, most) in SHOWN.items():
        blocks += _section(report, heading, found[standing], most)
        if standing is Standing.ALERT:
            blocks += [*_first_fix(report), *_untested(report)]
        if standing is Standing.FAILED:
            blocks += _undecided(report)
    blocks += _attested(report)
    return "\n\n".join(filter(None, blocks)) + "\n"


def _facts(report: Report) -> Iterable[tuple[str, str]]:
    yield "Service", code(report.target.base_url)
    if way := summary.way(report):
        yield "Reached", plain(way)
    yield "Result", plain(summary.numbers_sentence(report))
    if scored := summary.set_sentence(report):
        yield "Set", plain(scored.removeprefix("Set "))
    yield "Confirmed by the tester", summary.confirmations_sentence(report)
    if scope := summary.scope_sentence(report):
        yield "Left out", code(scope)
    for note in report.notes:
        if note.exchanges:
            yield "Server errors", code(f"{note.message} {note.remedy}")
    yield "Specification", plain(basis.edition_words(report))
    yield "Run", f"{code(summary.run_id(report))}, {NAME} {plain(report.suite.version)}, seed {report.seed}"
    for name, value in report.run.labels.items():
        yield code(name), code(value)


def _first_fix(report: Report) -> list[str]:
    first = dependents.first_fix(report)
    if first is None:
        return []
    lines = [f"- **{plain(first.row.id)}** {code(first.finding.message)}"]
    line = again.line_of(report, first.row, first.finding)
    started = again.to_start(report.run.options, report.target.base_url) if line else ""
    label = "Call" if line == first.finding.curl else "Again"
    values = {again.BEFORE: started, label: line, "Fix": first.finding.remedy}
    lines += [f"  - {label}: {code(text)}" for label, text in values.items() if text]
    sentences = dependents.following_sentence(first.following), dependents.blocked_sentence(first.blocked)
    lines += [f"  - {each}" for each in sentences if each]
    return ["### Fix this first", "\n".join(lines)]


def _untested(report: Report) -> list[str]:
    groups = dependents.untested(report)
    lines = [
        f"- {code(group.decided_by)} would decide {summary.first_ids([plain(row.id) for row in group.rows], _IDS)}"
        for group in groups
    ]
    total = sum(len(group.rows) for group in groups)
    return [f"### Not tested ({total:,})", "\n".join(lines)] if groups else []


def _section(report: Report, heading: str, shown: list[Problem], most: int) -> list[str]:
    if not shown:
        return []
    blocks = [f"### {heading} ({len(shown):,})", "\n".join(_item(report, problem) for problem in shown[:most])]
    if len(shown) > most:
        blocks.append(f"{count(len(shown) - most, 'more requirement')} in report.html.")
    return blocks


def _item(report: Report, problem: Problem) -> str:
    finding, *others = problem.findings
    row = problem.row
    if problem.standing is Standing.FAILED and (before := dependents.origin_sentence(report, row)):
        return f"  - **{plain(problem.id)}** {plain(before)} {code(finding.message)}"
    lines = [f"- **{plain(problem.id)}** ({plain(basis.rests_on(row))}; {basis.SUITE_WORDS}:) {plain(row.statement)}"]
    lines += [f"  - {label.capitalize()}: {code(text)}" for label, text in summary.labelled(finding).items()]
    address = basis.page(report, row.id)
    lines.append(f"  - Page: <{address}>" if address else f"  - Page: {code(basis.packaged_page(row.id))}")
    lines += [f"  - Reason of the interpretation: {code(why, _QUOTATION)}"] if (why := basis.reason(row)) else []
    quoted = basis.words(report, row).items()
    lines += [f"  - The {basis.WORDS}, {plain(place)}: {code(text, _QUOTATION)}" for place, text in quoted]
    if blocked := dependents.blocked_by(report, [problem.id]):
        ids = summary.first_ids([plain(each.id) for each in blocked], _IDS)
        lines.append(f"  - {dependents.blocked_sentence(blocked)} {ids}")
    if problem.standing is Standing.UNSCORED:
        lines.append(f"  - Unscored {finding.verdict}: the set {plain(report.scope.set)} does not list it.")
    if problem.standing is Standing.WAIVED:
        lines.append(f"  - Waived: {code(waiver_words(report, problem.row))}")
    lines += [f"  - Reply: {code(said, 3 * _LIMIT)}"] if (said := replies.reply_to(report, row.id)) else []
    if others:
        lines.append(f"  - {count(len(others), 'more finding')} in report.html.")
    return "\n".join(lines)


def _undecided(report: Report) -> list[str]:
    groups = summary.undecided(report)
    if not groups:
        return []
    lines = []
    for group in groups[:_GROUPS]:
        lines.append(f"- {code(group.finding.message)}")
        lines += [f"  - Fix: {code(fix)}"] if (fix := group.finding.remedy) else []
        lines.append(f"  - {summary.first_ids([plain(row.id) for row in group.rows], _IDS)}")
    if len(groups) > _GROUPS:
        lines.append(f"- {count(len(groups) - _GROUPS, 'more reason')} in report.html.")
    total = sum(len(group.rows) for group in groups)
    return [f"### Inconclusive ({total:,})", "\n".join(lines)]


def _attested(report: Report) -> list[str]:
    given = report.attestations
    lines = [
        f"- **{plain(each.requirement)}** {code(attestations.words(each, _LIMIT), 3 * _LIMIT)}"
        for each in given[:_GROUPS]
    ]
    if len(given) > _GROUPS:
        lines.append(f"- {count(len(given) - _GROUPS, 'more attestation')} in report.html.")
    return [f"### Attested, not tested ({len(given):,})", "\n".join(lines)] if given else []


def code(text: str, limit: int = _LIMIT) -> str:
    """Return `text`, clipped to `limit`, as a code span on one line, with a fence that no backticks in it can close."""
    line = one_line(text, limit)
    fence = "`" * (1 + max((len(run) for run in re.findall("`+", line)), default=0))
    space = " " if line.startswith("`") or line.endswith("`") else ""
    return f"{fence}{space}{line}{space}{fence}" if line.strip(" ") else "(empty)"


def plain(text: str) -> str:
    """Return the suite's own words with every character escaped that Markdown could interpret."""
    if re.search(r"[@#]|://|www\.", text):  # no escape keeps these from becoming mentions or links
        return code(text)
    return re.sub(r"([\\`*_\[\]<>&|~$])", r"\\\1", one_line(text, 10 * _LIMIT))
