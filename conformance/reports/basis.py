"""On what a finding rests: its places in the specification, the basis, the suite's statement and the reason.

Every view takes these words from here. A reader's copy of the specification adds the words of the places; they are
shown, and no report stores them.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict
from typing import TYPE_CHECKING, Any, Final

from conformance.model.requirements import Requirement, catalogue
from conformance.model.verdict import Basis, Level

if TYPE_CHECKING:
    from conformance.model.specification import Specification

SUITE_WORDS: Final = "in the suite's words"
WORDS: Final = "words of the specification"
"""The label of what a view quotes. A file with quotations contains it, whatever its format escapes."""

_QUOTED: Final = "quoted"
"""Member of a report that only views see: the words of the specification by place."""

_KINDS: Final = {Basis.STATED: "stated", Basis.INFERRED: "by interpretation", Basis.ADVICE: "advice"}


def of_catalogue(requirement: Requirement) -> dict[str, Any]:
    """Return a requirement of the catalogue as the row of a report that has no result."""
    return {**asdict(requirement), "clause": requirement.clause, "basis_reason": requirement.reason}


def kind(row: Mapping[str, Any]) -> str:
    """Return the basis in words for people; empty if an older report does not name it."""
    if row["level"] == Level.OPEN:
        return "not specified"
    return _KINDS[Basis(row["basis"])] if row.get("basis") else ""


def places(row: Mapping[str, Any]) -> str:
    """Return the places of the specification on which a requirement rests; in an older report its clause."""
    return "; ".join(row.get("places") or ()) or f"clause {row['clause']}"


def rests_on(row: Mapping[str, Any]) -> str:
    """Return on what a requirement rests, such as "By interpretation of 3, table 2, row 1"."""
    if row["level"] == Level.OPEN:
        return f"Left open by {places(row)}"
    match row.get("basis"):
        case Basis.STATED:
            return f"Stated in {places(row)}"
        case Basis.INFERRED:
            return f"By interpretation of {places(row)}"
        case Basis.ADVICE:
            about = f", about {places(row)}" if row.get("places") else ""
            return f"Advice{about}: no place of the specification says it"
    return places(row).capitalize()


def stated(row: Mapping[str, Any]) -> str:
    """Return in one line on what a requirement rests, and what it is in the suite's words."""
    return f"{rests_on(row)}; {SUITE_WORDS}: {row['statement']}"


def reason(row: Mapping[str, Any]) -> str:
    """Return why an inferred requirement follows from its places; empty for every other."""
    return str(row.get("basis_reason") or "") if row.get("basis") == Basis.INFERRED else ""


def words(report: Mapping[str, Any], row: Mapping[str, Any]) -> dict[str, str]:
    """Return the words of the specification by place, for the places of a requirement that a reader's copy has."""
    quoted = report.get(_QUOTED) or {}
    return {place: quoted[place] for place in row.get("places") or () if place in quoted}


def fields(report: Mapping[str, Any], row: Mapping[str, Any]) -> dict[str, str]:
    """Return all of it by label, for views that are lines of text."""
    named = {"basis": stated(row)}
    if why := reason(row):
        named["reason"] = why
    return named | {f"{WORDS}, {place}": text for place, text in words(report, row).items()}


def lines(report: Mapping[str, Any], row: Mapping[str, Any]) -> list[str]:
    """Return the same as lines."""
    return [f"{label}: {text}" for label, text in fields(report, row).items()]


def edition(report: Mapping[str, Any]) -> str:
    """Return the digest of the specification that the run's catalogue was derived from; empty in an older report."""
    return str(report["suite"].get("edition") or "")


def edition_words(report: Mapping[str, Any]) -> str:
    """Return which edition of the specification it was, for people."""
    digest, known = edition(report), catalogue().edition
    if not digest:
        return "not named"
    return f"{digest}, as of {known.date}" if digest == known.digest else digest


def edition_brief(report: Mapping[str, Any]) -> str:
    """Return the beginning of the digest, for heads with little room."""
    digits = edition(report).partition(":")[2]
    return f"{digits[:12]}…" if digits else "not named"


def quoting(report: Mapping[str, Any], specification: Specification | None) -> dict[str, Any]:
    """Return `report` for its views, with the words of the specification if it is the edition of the report."""
    if specification is None or not edition(report) or specification.edition != edition(report):
        return dict(report)
    named = dict.fromkeys(place for row in report["requirements"] for place in row.get("places") or ())
    return {**report, _QUOTED: {each: specification.words[each] for each in named if each in specification.words}}


def is_quoting(report: Mapping[str, Any]) -> bool:
    """Tell whether the views of `report` quote the specification."""
    return bool(report.get(_QUOTED))


def data(report: Mapping[str, Any]) -> dict[str, Any]:
    """Return `report` as report.json has it: without the words of the specification."""
    return {name: value for name, value in report.items() if name != _QUOTED}
