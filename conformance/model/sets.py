"""Frozen sets: which requirements of the catalogue are scored, by the files of `sets/`, one for each set.

A requirement that the set does not list in its present form is unscored: a run shows what it finds about it, and
decides nothing by it. So a new requirement, or a stricter level, fails no pipeline before a set lists it.
"""

from __future__ import annotations

import hashlib
import json
import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

import msgspec

from conformance.model.requirements import ALL_SCORED, Requirement, Scored, catalogue

WHOLE_CATALOGUE = ""
"""The name that stands for no set: everything is scored, as in the runs of builds that had no sets."""


class UnknownSet(LookupError):
    """A name that no set has; the message lists the names."""

    def __init__(self, name: str) -> None:
        super().__init__(f"No set of requirements is called {name!r}. Sets: {', '.join(sets())}.")


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """A row that was changed or removed after the set was frozen, with the reason."""

    id: str
    date: str
    """RFC 3339 full-date."""
    reason: str
    digest: str = ""
    """Digest of the changed row, which is scored in place of the former one; empty for a removed row."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RequirementSet:
    """The requirements that are scored in a run."""

    name: str
    released: str = ""
    """RFC 3339 full-date; empty for a draft, which no run takes by itself."""
    edition: str
    """Digest of the edition of the specification."""
    rows: Mapping[str, str]
    """Digest by id."""
    changed: tuple[Entry, ...] = ()
    removed: tuple[Entry, ...] = ()

    def scored(self, rows: Iterable[Requirement]) -> frozenset[str]:
        """Return the ids of those of `rows` that the set lists as they are."""
        return frozenset(row.id for row in rows if self.listed.get(row.id) == digest_of(row))

    @property
    def listed(self) -> dict[str, str]:
        """The digests of the rows as they are scored: those of `changed` in place of the frozen ones."""
        return {**self.rows, **{each.id: each.digest for each in self.changed}}


def digest_of(row: Requirement) -> str:
    """Return the digest of what a user relies on: level, basis, statement, places, and when it cannot be tested."""
    binding = [
        *(row.id, row.level, row.basis, row.statement, row.places, row.not_applicable),
        *(row.alert, bool(row.untestable)),
    ]
    return hashlib.sha256(json.dumps(binding, ensure_ascii=False).encode()).hexdigest()[:16]


@cache
def sets() -> dict[str, RequirementSet]:
    """Return all sets by name, the oldest first."""
    found = [file for file in (files("conformance.model") / "sets").iterdir() if file.name.endswith(".toml")]
    read = [set_of(file.name.removesuffix(".toml"), file.read_text("utf-8")) for file in found]
    return {each.name: each for each in sorted(read, key=_order)}


def set_of(name: str, text: str) -> RequirementSet:
    """Return the set that a file has."""
    return msgspec.convert({"name": name, **tomllib.loads(text)}, RequirementSet)


def _order(one: RequirementSet) -> tuple[int, ...]:
    return tuple(map(int, one.name.split("-")))


def newest() -> str:
    """Return the name of the newest set that is released."""
    return [each.name for each in sets().values() if each.released][-1]


def set_named(name: str) -> RequirementSet:
    """Return the set of a name; raise UnknownSet if there is none."""
    try:
        return sets()[name]
    except KeyError:
        raise UnknownSet(name) from None


def chosen(name: str) -> Scored:
    """Return what a run scores by the set `name`; raise UnknownSet if there is none."""
    return ALL_SCORED if name == WHOLE_CATALOGUE else Scored(name, scored(name))


def scored(name: str) -> frozenset[str]:
    """Return the ids of the catalogue that the set `name` scores; all of them for WHOLE_CATALOGUE."""
    rows = catalogue().rows
    return frozenset(rows) if name == WHOLE_CATALOGUE else set_named(name).scored(rows.values())
