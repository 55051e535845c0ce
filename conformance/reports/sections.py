"""What the text formats say of a run: its facts, and sections of entries, each with its fields in one order."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from conformance.model.findings import Finding
from conformance.model.report import Report
from conformance.model.results import RequirementResult
from conformance.model.text import count
from conformance.model.verdict import Verdict
from conformance.reports import again, basis, dependents, people, summary
from conformance.reports.problems import SHOWN, Problem, by_standing, first_fix, waiver_words

IDS = 12
"""Ids of requirements that a field names."""

FIX_FIRST, DECIDE_FIRST = "Fix this first", "Decide this first"

_MOST = 10
"""Entries that a section shows, unless its problems have another number."""

_ELSEWHERE = (Verdict.FAIL, Verdict.WARN, Verdict.INCONCLUSIVE)
"""The verdicts of requirements that stand in other sections than that of the selection."""

Fields = dict[str, str]
"""Texts by their labels; none of them is empty."""


@dataclass(frozen=True)
class Entry:
    """What a section says of a requirement, or of several for the same reason."""

    mark: str
    """In a word, such as "FAIL"."""
    name: str
    """The id of the requirement, or how many there are."""
    fields: Fields
    grounds: Fields
    """On what the requirement rests, and what people said of it."""
    steps: Sequence[str] = ()


@dataclass(frozen=True)
class Section:
    """A heading, the number of what stands below it, and the entries, of which a text shows the first ones."""

    title: str
    number: int
    entries: list[Entry]
    most: int = _MOST


def facts(report: Report) -> Fields:
    """Return what the run was and did."""
    left_out = summary.first_ids([*report.scope.left_out, *report.scope.undeclared], IDS)
    return _without_empty(
        {
            "Reached": summary.way(report),
            "Set": summary.set_sentence(report).removeprefix("Set "),
            "Confirmed": summary.confirmations_sentence(report),
            "Left out": f"{summary.scope_sentence(report)} {left_out}".strip(),
            "Traffic": summary.traffic_sentence(report),
            "Specification": basis.edition_words(report),
            "Run": f"{summary.run_id(report)}, {report.suite.name} {report.suite.version}, seed {report.seed}",
            "Suite": summary.calibration_sentence(report),
        }
    )


def first(report: Report, folder: str = "RUN") -> tuple[str, Entry] | None:
    """Return what to do first with its heading: fix a failure, or decide what is inconclusive for one reason."""
    if problem := first_fix(report):
        return FIX_FIRST, replace(_of_problem(report, problem, folder), grounds={}, steps=())
    entries = _undecided(report)
    return (DECIDE_FIRST, entries[0]) if entries else None


def sections(report: Report, folder: str = "RUN") -> Iterator[Section]:
    """Yield the sections, of which some have no entries; `folder` is that of the run.

    What stands under `first` is not repeated, and a failure that follows from another one is named there.
    """
    found, to_fix = by_standing(report), first_fix(report)
    for standing, (title, most) in SHOWN.items():
        shown = [each for each in found[standing] if each.row.waived or not dependents.origin(report, each.row)]
        entries = [_of_problem(report, each, folder) for each in shown]
        for place, each in enumerate(shown):
            if to_fix is not None and each.finding is to_fix.finding:
                entries[place] = replace(entries[place], fields={"finding": f'under "{FIX_FIRST}"'})
        yield Section(title, len(found[standing]), entries, most)
    undecided, untested = summary.undecided(report), dependents.untested(report)
    total = sum(len(each.rows) for each in undecided)
    yield Section("Inconclusive", total, _undecided(report)[to_fix is None :])
    yield attested(report)
    yield _selected(report)
    yield Section(
        "Not tested",
        sum(map(len, untested.values())),
        [
            Entry("NOT TESTED", count(len(rows), "requirement"), {"to test": words, "ids": _ids(rows)}, {})
            for words, rows in untested.items()
        ],
        len(untested),
    )
    yield Section(
        "Notes",
        len(report.notes),
        [
            Entry("NOTE", each.message, _without_empty({"fix": each.remedy, "raised": _last_line(each.traceback)}), {})
            for each in report.notes
        ],
    )


def attested(report: Report) -> Section:
    """Return what people stated about requirements that the suite did not test."""
    ids = [each.requirement for each in report.attestations]
    entries = [Entry("ATTESTED", each, {"stated": people.attestation_of(report, each)}, {}) for each in ids]
    return Section("Attested, not tested", len(ids), entries)


def of_finding(report: Report, row: RequirementResult, finding: Finding[str], folder: str = "RUN") -> Fields:
    """Return what a finding says, what follows from the failure of its requirement, and how to see it again."""
    later, blocked = [], []
    if any(each.verdict is Verdict.FAIL for each in row.findings):  # nothing follows from another one
        later, blocked = dependents.following(report, [row.id]), dependents.blocked_by(report, [row.id])
    follow = {
        "follow": f"{dependents.following_sentence(later)} {_ids(later)}".strip(),
        "blocks": f"{dependents.blocked_sentence(blocked)} {_ids(blocked)}".strip(),
    }
    return summary.labelled(finding) | _without_empty(follow) | again.lines(report, row, finding, folder)


def grounds(report: Report, row: RequirementResult) -> Fields:
    """Return on what a requirement rests, and what people said of its failure."""
    unscored = f"the set {report.scope.set} does not list it, so its {row.verdict} decides nothing"
    return basis.fields(report, row) | _without_empty(
        {
            "follows": dependents.origin_sentence(report, row),
            "unscored": "" if row.scored else unscored,
            "waived": waiver_words(report, row) if row.waived else "",
            "reply": people.reply_to(report, row.id),
        }
    )


def lines(fields: Fields) -> list[str]:
    """Return fields as lines, with the message of the finding first and without its label."""
    return [text if label == "finding" else f"{label}: {text}" for label, text in fields.items()]


def all_lines(report: Report, row: RequirementResult, finding: Finding[str]) -> list[str]:
    """Return everything that is said of a finding, as lines."""
    return lines(of_finding(report, row, finding) | grounds(report, row))


def _of_problem(report: Report, problem: Problem, folder: str) -> Entry:
    row, finding, others = problem.row, problem.finding, len(problem.findings) - 1
    more = {"more": f"{count(others, 'more finding')} about it, in the report"} if others else {}
    steps = [step.text for step in finding.steps]
    of_it = of_finding(report, row, finding, folder)
    return Entry(problem.state.upper(), row.id, of_it, grounds(report, row) | more, steps)


def _undecided(report: Report) -> list[Entry]:
    entries = []
    for group in summary.undecided(report):
        finding = group.finding
        cause = summary.CAUSES[blame] if (blame := summary.cause(finding)) else ""
        fix = finding.remedy or group.rows[0].decided_by
        texts = {"reason": finding.message, "fix": fix, "cause": cause, "ids": _ids(group.rows)}
        entries.append(Entry("INCONCLUSIVE", count(len(group.rows), "requirement"), _without_empty(texts), {}))
    return entries


def _selected(report: Report) -> Section:
    """Return the verdict of each requirement that a selection asked for, unless it stands in another section."""
    rows = [row for row in dependents.asked(report) if row.verdict not in _ELSEWHERE]
    entries = [
        Entry(row.verdict.upper(), row.id, _without_empty({"meaning": row.statement, "reason": row.reason}), {})
        for row in rows
    ]
    return Section("Selected", len(rows), entries, 2 * _MOST)


def _last_line(traceback: str) -> str:
    return traceback.strip().rpartition("\n")[2]


def _ids(rows: Sequence[RequirementResult]) -> str:
    return summary.first_ids([row.id for row in rows], IDS)


def _without_empty(fields: Fields) -> Fields:
    return {label: text for label, text in fields.items() if text}
