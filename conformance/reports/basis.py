"""On what a finding rests: its places in the specification, the basis, the suite's statement and the reason.

Every view takes these words from here. A reader's copy of the specification adds the words of the places; a report
stores them only where the run was asked to keep them.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Final

from conformance import NAME
from conformance.model.requirements import Requirement, catalogue
from conformance.model.verdict import Basis, Level, Verdict
from conformance.reports.language import ENGLISH, N_, gettext, listed, spoken

if TYPE_CHECKING:
    from conformance.model.report import Report
    from conformance.model.results import RequirementResult
    from conformance.model.run_record import RunReport
    from conformance.model.specification import Specification

SUITE_WORDS: Final = "in the suite's words"
WORDS: Final = "words of the specification"
"""The label of what a view quotes. A file with quotations contains it, although its format escapes other characters."""

_KINDS: Final = {Basis.STATED: "stated", Basis.INFERRED: "by interpretation", Basis.ADVICE: "advice"}


def of_catalogue(requirement: Requirement) -> RequirementResult:
    """Return a requirement of the catalogue as the row of a report that has no result."""
    from conformance.model.results import RequirementResult

    return RequirementResult(
        id=requirement.id,
        clause=requirement.clause,
        level=requirement.level,
        statement=requirement.statement,
        verdict=Verdict.NOT_TESTED,
        basis=requirement.basis,
        places=requirement.places,
        basis_reason=requirement.reason,
        rejected=requirement.rejected,
        reading=requirement.reading,
    )


def kind(row: RequirementResult) -> str:
    """Return the basis in words for people."""
    if row.level == Level.OPEN:
        return "not specified"
    return _KINDS[row.basis] if row.basis else ""


def places(row: RequirementResult) -> str:
    """Return the places of the specification on which a requirement rests."""
    return listed(map(place, row.places))


def place(words: str) -> str:
    """Return a place such as "2.3, table, row 4, Type" in the language: names of columns and members stay."""
    return words if spoken() == ENGLISH else ", ".join(map(_part, words.split(", ")))


_PARTS: Final = {
    "paragraph": N_("paragraph %(number)s"),
    "item": N_("item %(number)s"),
    "sentence": N_("sentence %(number)s"),
    "row": N_("row %(number)s"),
    "table": N_("table %(number)s"),
}


def _part(part: str) -> str:
    word, _, number = part.partition(" ")
    if part == "table":
        return gettext("table")
    return gettext(_PARTS[word], number=number) if number and word in _PARTS else part


def rests_on(row: RequirementResult) -> str:
    """Return on what a requirement rests, such as "By interpretation of 3, table 2, row 1"."""
    if row.level == Level.OPEN:
        return gettext("Left open by %(places)s", places=places(row))
    match row.basis:
        case Basis.STATED:
            return gettext("Stated in %(places)s", places=places(row))
        case Basis.INFERRED:
            return gettext("By interpretation of %(places)s", places=places(row))
        case Basis.ADVICE if row.places:
            return gettext("Advice, about %(places)s: no place of the specification says it", places=places(row))
        case Basis.ADVICE:
            return gettext("Advice: no place of the specification says it")
    return places(row).capitalize()


def stated(row: RequirementResult) -> str:
    """Return in one line on what a requirement rests, and what it is in the suite's words."""
    return f"{rests_on(row)}; {SUITE_WORDS}: {row.statement}"


def reason(row: RequirementResult) -> str:
    """Return why an inferred requirement follows from its places; empty for every other."""
    return row.basis_reason if row.basis == Basis.INFERRED else ""


def page(report: Report, requirement: str) -> str:
    """Return the address of the page of a requirement; empty if the run was given no documentation site."""
    return page_at(report.run.help_base, requirement) if report.run.help_base else ""


def packaged_page(requirement: str) -> str:
    """Return the command that prints the page of a requirement from the installed suite."""
    return f"{NAME} explain {requirement}"


def page_at(site: str, requirement: str) -> str:
    """Return the address of the page of a requirement in a documentation site."""
    return f"{site}/requirements/{requirement}.html"


def words(report: Report, row: RequirementResult) -> dict[str, str]:
    """Return the words of the specification by place, for the places of a requirement that a reader's copy has."""
    return {each: report.quoted[each] for each in row.places if each in report.quoted}


def fields(report: Report, row: RequirementResult) -> dict[str, str]:
    """Return all of it by label, for views that are lines of text."""
    named = {"basis": stated(row)}
    if why := reason(row):
        named["reason"] = why
    named["page"] = page(report, row.id) or packaged_page(row.id)
    return named | {f"the {WORDS}, {where}": text for where, text in words(report, row).items()}


def edition_words(report: Report) -> str:
    """Return which edition of the specification the run's catalogue was derived from, for people."""
    digest, known = report.suite.edition, catalogue().edition
    return f"{digest}, as of {known.date}" if digest == known.digest else digest


def edition_brief(report: Report) -> str:
    """Return the beginning of the digest of the edition, for heads with little room."""
    return f"{report.suite.edition.partition(':')[2][:12]}…"


def genuine(quoted: Mapping[str, str], edition: str) -> dict[str, str]:
    """Return those of the words by place that the edition has there; none of an edition that this suite lacks."""
    from conformance.model.specification_places import is_genuine

    known = edition == catalogue().edition.digest
    return {place: words for place, words in quoted.items() if known and is_genuine(place, words)}


def quoting(report: Report, specification: Specification | None) -> Report:
    """Return `report` for its views, with the words of the specification if it is the edition of the report.

    Without a copy these are the words that the run keeps, as far as they are those of the edition: a report may come
    from anybody.
    """
    edition = report.suite.edition
    if specification is None or not edition or specification.edition != edition:
        return replace(report, quoted=genuine(report.quoted, edition)) if report.quoted else report
    return replace(report, quoted=words_of(report, specification))


def words_of(report: RunReport, specification: Specification) -> dict[str, str]:
    """Return the words of the places on which the requirements of a report rest."""
    named = dict.fromkeys(place for row in report.requirements for place in row.places)
    return {each: specification.words[each] for each in named if each in specification.words}
