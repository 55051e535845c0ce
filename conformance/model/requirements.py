"""The catalogue of requirements, read from `requirements.toml`, the only place that states them.

Checks name ids only; an unknown id raises UnknownRequirement when the check is imported.
"""

from __future__ import annotations

import difflib
import hashlib
import tomllib
from collections.abc import Iterable
from dataclasses import dataclass, fields
from enum import StrEnum
from functools import cache
from importlib.resources import files
from typing import Any, Final, TypeVar

from conformance.model.declarations import WrongDeclaration
from conformance.model.dependencies import Graph, graph_of, without_cycle
from conformance.model.verdict import Basis, Level


class UnknownRequirement(LookupError):
    """An id or clause that is not in the catalogue; the message names the closest ones."""

    def __init__(self, wanted: str, known: Iterable[str]) -> None:
        near = difflib.get_close_matches(wanted, list(known), n=3)
        hint = f"Did you mean {' or '.join(near)}?" if near else "'drsi-conformance requirements' lists them all."
        super().__init__(f"No requirement and no clause is called {wanted!r}. {hint}")


@dataclass(frozen=True, slots=True, kw_only=True)
class Requirement:
    """One requirement of the specification, in our own words."""

    id: str
    level: Level
    statement: str
    places: tuple[str, ...] = ()
    """Where the specification says it, such as "2.3, table, row 9"."""
    basis: Basis = Basis.STATED
    reason: str = ""
    """For an inferred requirement: why it follows from its places."""
    rejected: tuple[str, ...] = ()
    """For an inferred requirement: the other readings, each with the reason against it."""
    reading: str = ""
    remedy: str = ""
    untestable: str = ""
    not_applicable: tuple[str, ...] = ()
    """Ids of the circumstances in which a conforming service cannot be tested for this `must`."""
    alert: bool = False
    """Whether a check of this `open` requirement may raise an alert."""

    @property
    def clause(self) -> str:
        """Clause of the specification that states the requirement, such as "4.3"."""
        return self.id.partition("-")[0]


@dataclass(frozen=True, slots=True, kw_only=True)
class Edition:
    """The text of the specification that the catalogue was derived from."""

    date: str
    """RFC 3339 full-date on which it was read."""
    digest: str
    """SHA-256 of its normalised text: NFC, no byte order mark, line feeds, no trailing white space."""


@dataclass(frozen=True, slots=True)
class Catalogue:
    """Every requirement, in the order of the specification."""

    rows: dict[str, Requirement]
    restated: dict[str, tuple[str, ...]]
    circumstances: dict[str, str]
    """Sentence by id of the circumstance."""
    decided_by: dict[str, str]
    """What decides a requirement that a circumstance made not applicable, by id of the circumstance."""
    digest: str
    edition: Edition
    depends_on: Graph
    """For each requirement the others from which its failure may follow."""
    needs: Graph
    """For each requirement the others that must hold before it can be tested, those it depends on among them."""

    @property
    def alerts(self) -> tuple[str, ...]:
        """Ids of the requirements whose checks may raise an alert, in the order of the catalogue."""
        return tuple(row.id for row in self.rows.values() if row.alert)

    def __getitem__(self, requirement_id: str) -> Requirement:
        try:
            return self.rows[requirement_id]
        except KeyError:
            raise UnknownRequirement(requirement_id, self.rows) from None

    def select(self, wanted: str) -> frozenset[str]:
        """Return the ids of a clause ("4", "4.3") or an id; raise UnknownRequirement for anything else."""
        if wanted in self.rows:
            return frozenset([wanted])
        chosen = frozenset(
            row.id for row in self.rows.values() if row.clause == wanted or row.clause.startswith(f"{wanted}.")
        )
        if not chosen:
            raise UnknownRequirement(wanted, [*self.rows, *{row.clause for row in self.rows.values()}])
        return chosen


@cache
def catalogue() -> Catalogue:
    """Return the catalogue that ships with the suite; raise WrongDeclaration for a row that is declared wrongly."""
    raw = (files("conformance.model") / "requirements.toml").read_bytes()
    document = tomllib.loads(raw.decode())
    rows = [row_of(row) for row in document["requirement"]]
    by_id: dict[str, Requirement] = {}
    for row in rows:
        if by_id.setdefault(row.id, row) is not row:
            raise _wrong(row.id, "another row has the same id; ids are unique.")
    restated = {clause: tuple(ids) for clause, ids in document["restated"].items()}
    digest = f"sha256:{hashlib.sha256(raw).hexdigest()}"
    depends_on = without_cycle(graph_of(document["depends_on"], by_id))
    needs = graph_of(document["needs"], by_id)
    return Catalogue(
        by_id,
        restated,
        document["circumstances"],
        document["decided_by"],
        digest,
        Edition(**document["edition"]),
        depends_on,
        {id: tuple(dict.fromkeys((*depends_on[id], *needs[id]))) for id in by_id},
    )


@dataclass(frozen=True, slots=True)
class Scored:
    """The requirements that a run scores: it shows what it finds of all others, and decides nothing by it."""

    name: str = ""
    """Of the set that lists them; empty for the whole catalogue."""
    ids: frozenset[str] | None = None
    """None for all."""


ALL_SCORED: Final = Scored()


@cache
def all_testable() -> frozenset[str]:
    """Return the ids of all requirements that a client can test."""
    return frozenset(row.id for row in catalogue().rows.values() if not row.untestable)


def row_of(row: dict[str, Any]) -> Requirement:
    """Return a row of `requirements.toml`; raise WrongDeclaration, which names the row, the member and the mistake."""
    name = str(row.get("id") or row.get("statement") or "without an id")
    for member in ("id", "statement"):
        if not row.get(member):
            raise _wrong(name, f"it has no {member}.")
    settable = [each.name for each in fields(Requirement)]
    if unknown := sorted(row.keys() - set(settable)):
        raise _wrong(name, f"it has the member {' and '.join(unknown)}, but a row may only have {', '.join(settable)}.")
    listed = {name: tuple(row.get(name, ())) for name in ("places", "rejected", "not_applicable")}
    words = {"level": _word(row, "level", Level), "basis": _word(row, "basis", Basis)}
    return Requirement(**{**row, **listed, **words})


Words = TypeVar("Words", bound=StrEnum)


def _word(row: dict[str, Any], member: str, words: type[Words]) -> Words:
    """Return a member of a row that is one of some words; raise WrongDeclaration for anything else."""
    given = row.get(member)
    try:
        return words(given if isinstance(given, str) else "")
    except ValueError:
        received = f"its {member} is {given!r}" if member in row else f"it has no {member}"
        raise _wrong(
            row["id"], f"{received}; write {member} = one of {', '.join(map(repr, map(str, words)))}."
        ) from None


def _wrong(row: str, mistake: str) -> WrongDeclaration:
    return WrongDeclaration(f"The row {row} of conformance/model/requirements.toml is wrong: {mistake}")
