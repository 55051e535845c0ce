"""What the public ancestor of the interface has beyond the specification, read from `upstream.toml`.

These rows are no requirements: `--profile upstream` observes them, beside the verdicts and never among them.
"""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Final

CHECK: Final = "upstream"
"""The name of the check to which its calls are attributed."""


@dataclass(frozen=True, slots=True, kw_only=True)
class UpstreamRow:
    """One thing that the ancestor has, in our own words."""

    id: str
    place: str
    """Where the ancestor says it, such as "spec/openapi.json, GET /requests"."""
    statement: str
    client: str
    """What the ancestor's client does with it."""
    untestable: str = ""
    """Why no run observes it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Source:
    """The texts of the ancestor and of its client."""

    name: str
    version: str
    repository: str
    client: str
    client_folder: str


@dataclass(frozen=True, slots=True)
class Upstream:
    """Every row, by its id, in the order of the file, and where they come from."""

    rows: dict[str, UpstreamRow]
    source: Source


@cache
def upstream() -> Upstream:
    """Return the rows that ship with the suite."""
    document = tomllib.loads((files("conformance.model") / "upstream.toml").read_text("utf-8"))
    rows = (UpstreamRow(**row) for row in document["row"])
    return Upstream({row.id: row for row in rows}, Source(**document["source"]))
