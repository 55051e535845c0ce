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
from conformance.model.verdict import Blame
from conformance.reports import again, basis, dependents, fields, outcome, people, summary
from conformance.reports.problems import SHOWN, Problem, Standing, by_standing, first_fix

_LIMIT = 300
_GROUND = 900
"""Characters of what is no text of the service, such as a reply or a quotation."""
_GROUPS = 10


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
            yield (
                "Two visits" if note.blame is Blame.CONFIGURATION else "Server errors",
                code(f"{note.message} {note.remedy}"),
            )
    yield "Specification", plain(basis.edition_words(report))
    yield "Run", f"{code(summary.run_id(report))}, {NAME} {plain(report.suite.version)}, seed {report.seed}"
    for name, value in report.run.labels.items():
        yield code(name), code(value)


def _first_fix(report: Report) -> list[str]:
    first = first_fix(report)
    if first is None:
        return []
    texts = fields.of_finding(report, first.row, first.finding) | again.lines(report, first.row, first.finding)
    return ["### Fix this first", "\n".join([f"- **{plain(first.row.id)}**", *_fields(texts)])]


def _untested(report: Report) -> list[str]:
    groups = dependents.untested(report)
    ids = [summary.first_ids([plain(row.id) for row in rows], fields.IDS) for rows in groups.values()]
    lines = [f"- {code(words)} would decide {named}" for words, named in zip(groups, ids, strict=True)]
    total = sum(map(len, groups.values()))
    return [f"### Not tested ({total:,})", "\n".join(lines)] if groups else []


def _section(report: Report, heading: str, shown: list[Problem], most: int) -> list[str]:
    if not shown:
        return []
    blocks = [f"### {heading} ({len(shown):,})", "\n".join(_item(report, problem) for problem in shown[:most])]
    if len(shown) > most:
        blocks.append(f"{count(len(shown) - most, 'more requirement')} in report.html.")
    return blocks


def _item(report: Report, problem: Problem) -> str:
    if problem.standing is Standing.FAILED and (before := dependents.origin_sentence(report, problem.row)):
        return f"  - **{plain(problem.id)}** {plain(before)} {code(problem.finding.message)}"
    lines = [f"- **{plain(problem.id)}**", *_fields(fields.of_finding(report, problem.row, problem.finding))]
    lines += [*_fields(fields.grounds(report, problem.row), _GROUND)]
    return "\n".join([*lines, *(f"  - {further}." for further in [fields.further(problem)] if further)])


def _fields(texts: dict[str, str], limit: int = _LIMIT) -> Iterable[str]:
    for label, text in texts.items():
        yield f"  - {plain(label.capitalize())}: {code(text, limit)}"


def _undecided(report: Report) -> list[str]:
    groups = summary.undecided(report)
    if not groups:
        return []
    lines = []
    for group in groups[:_GROUPS]:
        lines.append(f"- {code(group.finding.message)}")
        lines += [f"  - Fix: {code(fix)}"] if (fix := group.finding.remedy) else []
        lines.append(f"  - {summary.first_ids([plain(row.id) for row in group.rows], fields.IDS)}")
    if len(groups) > _GROUPS:
        lines.append(f"- {count(len(groups) - _GROUPS, 'more reason')} in report.html.")
    total = sum(len(group.rows) for group in groups)
    return [f"### Inconclusive ({total:,})", "\n".join(lines)]


def _attested(report: Report) -> list[str]:
    given = report.attestations
    lines = [
        f"- **{plain(each.requirement)}** {code(people.attestation_of(report, each.requirement, _LIMIT), 3 * _LIMIT)}"
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
