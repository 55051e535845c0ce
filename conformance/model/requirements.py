"""The catalogue of requirements, read from `requirements.toml`, the only place that states them.

Checks name ids only; an unknown id raises UnknownRequirement when the check is imported.
"""

from __future__ import annotations

import hashlib
import tomllib
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any, Final

from conformance.model.text import did_you_mean
from conformance.model.verdict import Basis, Level

Graph = Mapping[str, tuple[str, ...]]
"""For each requirement the ids that it depends on directly."""


class UnknownRequirement(LookupError):
    """An id or clause that is not in the catalogue; the message names the closest ones."""

    def __init__(self, wanted: str, known: Iterable[str]) -> None:
        hint = did_you_mean(wanted, known, "'drsi-conformance requirements' lists them all.")
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
    """Return the catalogue that ships with the suite."""
    raw = (files("conformance.model") / "requirements.toml").read_bytes()
    document = tomllib.loads(raw.decode())
    rows = {row.id: row for row in map(row_of, document["requirement"])}
    depends_on, needs = (graph_of(document[name], rows) for name in ("depends_on", "needs"))
    return Catalogue(
        rows,
        {clause: tuple(ids) for clause, ids in document["restated"].items()},
        document["circumstances"],
        document["decided_by"],
        f"sha256:{hashlib.sha256(raw).hexdigest()}",
        Edition(**document["edition"]),
        depends_on,
        {id: tuple(dict.fromkeys((*depends_on[id], *needs[id]))) for id in rows},
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
    """Return a row of `requirements.toml`; raise TypeError or ValueError for one that is declared wrongly."""
    lists = {name: tuple(value) for name, value in row.items() if isinstance(value, list)}
    return Requirement(**{**row, **lists, "level": Level(row["level"]), "basis": Basis(row["basis"])})


def graph_of(declared: Mapping[str, Sequence[str]], ids: Collection[str]) -> Graph:
    """Return the graph that `declared` states for `ids`.

    A key is an id, or a clause for all ids of this clause. The longest key that fits an id decides.
    """
    graph = {}
    for id in ids:
        parts = id.partition("-")[0].split(".")
        keys = [id, *(".".join(parts[:number]) for number in range(len(parts), 0, -1))]
        key = next((each for each in keys if each in declared), "")
        graph[id] = tuple(each for each in declared.get(key, ()) if each != id)
    return graph


def distances(graph: Graph, id: str, barriers: Collection[str] = ()) -> dict[str, int]:
    """Return what `id` depends on, directly or not, with the number of steps to it, none through the `barriers`."""
    found: dict[str, int] = {}
    layer, steps = graph.get(id, ()), 1
    while layer:
        found |= dict.fromkeys((each for each in layer if each not in found), steps)
        ways = (graph.get(each, ()) for each in layer if each not in barriers)
        layer = tuple(dict.fromkeys(one for way in ways for one in way if one not in found))
        steps += 1
    return found
