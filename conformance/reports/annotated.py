"""A reader's copy of the specification, with what a run decided beside each sentence, item and cell.

The words are those of the copy, unchanged. A mark behind them is the number of a note, which stands beside the text on
a wide screen, and at the foot of its clause on a phone and on paper. Without a run, the notes say which requirements,
checks, faults and conforming services belong to the words.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import count
from typing import Final

from conformance.model.exchange import Exchange
from conformance.model.findings import Finding
from conformance.model.report import Report
from conformance.model.requirements import catalogue
from conformance.model.results import RequirementResult
from conformance.model.specification import Block, Specification
from conformance.model.specification_places import is_within, places
from conformance.reports import basis, summary
from conformance.reports.html import STATES, state_of
from conformance.reports.pages import styled
from conformance.reports.timeline import Call, Timelines, decisive_of, is_sequence

_LEVELS: Final = {
    "must": ("Must", "A service that violates it does not conform."),
    "should": ("Should", "A violation is a warning."),
    "open": ("Open", "The specification leaves it open."),
}
_REMARKS: Final = {
    "undecidable": ("No client can decide", "What stands here, or a part of it, shows in no answer of a service."),
    "explanation": ("Explanation", "It requires nothing of a service."),
}
_WORST_FIRST: Final = (
    *("fail", "alert", "warn", "waived", "unscored", "inconclusive"),
    *("observed", "pass", "not-applicable", "not-tested", "left-out"),
    *("must", "should", "open"),
    *_REMARKS,
)
_IN_FULL: Final = ("fail", "alert", "warn", "waived", "inconclusive")
"""The states whose notes are open when the page is opened, and printed in full."""
_DECIDED: Final = ("fail", "alert", "warn", "waived", "unscored", "observed", "pass")

_Subject = tuple[str, str]
"""What a note is about: "" and the id of a requirement, or the state of a remark and why no requirement rests there."""


@dataclass(frozen=True)
class Proof:
    """What belongs to a requirement without a run: its checks, and the faults by which they are proven."""

    checks: tuple[str, ...] = ()
    faults: Mapping[str, str] = field(default_factory=dict)
    """What each faulty service does, by its name."""


@dataclass(frozen=True)
class Service:
    """A conforming service of the self-test, and the clause that allows what it does."""

    name: str
    summary: str
    clause: str


@dataclass(frozen=True)
class Note:
    """A note on words of the specification: a requirement that rests on them, or a remark why none does."""

    number: int
    state: str
    remark: str = ""
    """Why the words require nothing, or why no client can decide them."""
    row: RequirementResult | None = None
    findings: Sequence[Finding[str]] = ()
    """What gave the requirement its state, unless that is a pass."""
    calls: Sequence[Call] = ()
    """The exhibits of the first finding."""
    proof: Proof | None = None


@dataclass
class Section:
    """A heading and the blocks below it, the notes that stand here, and all that are about its words."""

    clause: str
    blocks: list[Block] = field(default_factory=list)
    subjects: dict[_Subject, None] = field(default_factory=dict)
    """What its words are about, each once and in the order of the text."""
    notes: list[Note] = field(default_factory=list)
    about: list[Note] = field(default_factory=list)

    @property
    def of_requirements(self) -> list[Note]:
        """The notes about requirements that rest on its words."""
        return [note for note in self.about if note.row is not None]

    @property
    def decided(self) -> int:
        """How many of these requirements a run decided."""
        return sum(note.state in _DECIDED for note in self.of_requirements)


def render(report: Report, exchanges: Sequence[Exchange], copy: Specification) -> str:
    """Return the page of a run. It contains the whole of `copy`, which is the edition of the report."""
    states = {row.id: state_of(report, row) for row in report.requirements}
    states |= {
        row.id: "alert" for row in report.requirements if row.scored and any(each.alert for each in row.findings)
    }
    found = {row.id: _of_state(row, states[row.id]) for row in report.requirements}
    timelines = Timelines(exchanges, {decisive_of(each) for findings in found.values() for each in findings[:1]})

    def note(number: int, row: RequirementResult) -> Note:
        findings = found[row.id]
        calls = timelines.of(findings[:1], card=True)
        return Note(number, states[row.id], row=row, findings=findings, calls=calls)

    return _page(copy, {row.id: row for row in report.requirements}, note, report=report, services=())


def render_proof(copy: Specification, proofs: Mapping[str, Proof], services: Sequence[Service]) -> str:
    """Return the page without a run: what belongs to each sentence. `proofs` are by the ids of the requirements."""

    def note(number: int, row: RequirementResult) -> Note:
        return Note(number, row.level, row=row, proof=proofs.get(row.id, Proof()))

    rows = {row.id: basis.of_catalogue(row) for row in catalogue().rows.values()}
    return _page(copy, rows, note, report=None, services=services)


def _of_state(row: RequirementResult, state: str) -> list[Finding[str]]:
    """Return the findings that give a requirement its state."""
    match state:
        case "pass" | "left-out":
            return []
        case "alert":
            return [each for each in row.findings if each.alert]
        case "unscored":
            return summary.unscored_findings(row)
        case _:
            return summary.reasons(row, row.verdict)


def _worst(notes: Sequence[Note]) -> str:
    """Return the gravest of the states of notes; empty without any."""
    return min((each.state for each in notes), key=_WORST_FIRST.index, default="")


def _page(
    copy: Specification,
    rows: Mapping[str, RequirementResult],
    note: Callable[[int, RequirementResult], Note],
    *,
    report: Report | None,
    services: Sequence[Service],
) -> str:
    sections, marks, further = _annotated(copy, rows, note)
    name = f"{report.target.base_url}, run {summary.run_id(report)}" if report else "Requirements of the suite"
    states = {name: (word, meaning) for name, (word, meaning) in (STATES | _LEVELS | _REMARKS).items()}
    notes = [*(each for section in sections for each in section.notes), *further]
    shown = {each.state for each in notes}
    return styled(
        "annotated.html",
        "style.css",
        "annotated.css",
        name=name,
        report=report,
        sections=sections,
        further=further,
        marks=marks,
        words=copy.words,
        states=states,
        wanting=sorted(
            (each for each in notes if each.state in _IN_FULL), key=lambda each: _WORST_FIRST.index(each.state)
        ),
        allowed=_allowed(sections, services),
        legend=[each for each in _WORST_FIRST if each in shown],
        is_sequence=is_sequence,
        state_of=_worst,
        open=_IN_FULL,
        edition=copy.edition,
    )


def _annotated(
    copy: Specification, rows: Mapping[str, RequirementResult], note: Callable[[int, RequirementResult], Note]
) -> tuple[list[Section], dict[str, list[Note]], list[Note]]:
    """Return the clauses with their notes, the notes of each unit, and those on requirements that rest on none.

    A note stands in the clause of its requirement, or else where the text first comes to what it is about.
    """
    sections, about = _sections(copy, rows.values())
    own = {each for section in sections for each in section.subjects if _is_of(each, section, rows)}
    numbers = count(1)
    notes: dict[_Subject, Note] = {}
    for section in sections:
        for subject in section.subjects:
            if subject not in notes and (subject not in own or _is_of(subject, section, rows)):
                state, text = subject
                number = next(numbers)
                notes[subject] = Note(number, state, remark=text) if state else note(number, rows[text])
                section.notes.append(notes[subject])
    for section in sections:
        section.about = [notes[subject] for subject in section.subjects]
    marks = {
        unit: sorted((notes[each] for each in found), key=lambda note: note.number) for unit, found in about.items()
    }
    return sections, marks, [note(next(numbers), row) for row in rows.values() if ("", row.id) not in notes]


def _is_of(subject: _Subject, section: Section, rows: Mapping[str, RequirementResult]) -> bool:
    """Tell whether a requirement is one of the clause of a section."""
    state, text = subject
    return not state and rows[text].clause == section.clause


def _allowed(sections: Sequence[Section], services: Iterable[Service]) -> dict[str, list[Service]]:
    """Return the services that each clause allows; one that an item allows, such as 5.3, stands with the clause."""
    found: dict[str, list[Service]] = {each.clause: [] for each in sections}
    for service in services:
        clause = service.clause
        while clause not in found and "." in clause:
            clause = clause.rpartition(".")[0]
        found.setdefault(clause, []).append(service)
    return found


def _sections(
    copy: Specification, rows: Iterable[RequirementResult]
) -> tuple[list[Section], dict[str, list[_Subject]]]:
    """Return the text in parts, each of which begins with a heading, and what each unit of the text is about."""
    every, remarks, about = list(rows), places(), {}
    for unit in copy.units:
        about[unit] = [("", row.id) for row in every if any(is_within(unit, wider) for wider in row.places)]
        for state, why in (("undecidable", remarks.not_testable), ("explanation", remarks.explanation)):
            about[unit] += [(state, why[unit])] if unit in why else []
    sections = [Section("0")]
    for block in copy.blocks:
        if block.kind == "heading":
            sections.append(Section(block.clause))
        sections[-1].blocks.append(block)
        sections[-1].subjects |= dict.fromkeys(each for unit in block.units for each in about[unit])
    return [each for each in sections if each.blocks], about
