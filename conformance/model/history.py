"""The history of the catalogue, read from `history.toml`: what a requirement said before, and until when."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from operator import attrgetter
from typing import Any

import msgspec

from conformance.model.verdict import Level


@dataclass(frozen=True, slots=True, kw_only=True)
class Former:
    """An earlier interpretation of a requirement, as `history.toml` keeps it."""

    until: str
    """RFC 3339 full-date on which it was replaced."""
    level: Level
    statement: str
    reading: str = ""
    why: str
    """Why it was replaced."""


@dataclass(frozen=True, slots=True, kw_only=True)
class History:
    """The history of one requirement."""

    since: str
    """RFC 3339 full-date since which it is in the catalogue as it is."""
    former: tuple[Former, ...] = ()
    """Its earlier interpretations, the newest first."""


def history_of(requirement_id: str) -> History:
    """Return the history of a requirement of the catalogue."""
    document = _document()
    entries = [each for each in document["former"] if each["id"] == requirement_id]
    former = sorted(msgspec.convert(entries, list[Former]), key=attrgetter("until"), reverse=True)
    since = former[0].until if former else document["added"].get(requirement_id, document["first"])
    return History(since=since, former=tuple(former))


@cache
def _document() -> dict[str, Any]:
    return tomllib.loads((files("conformance.model") / "history.toml").read_text("utf-8"))
