"""What a requirement that is not met may mean for a person, and the rights it touches, read from `rights.toml`."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files


@dataclass(frozen=True, slots=True)
class Meaning:
    """What may happen to a person, the articles of the GDPR that are concerned, and how grave it is (4 is worst)."""

    person: str
    articles: tuple[str, ...]
    gravity: int


@dataclass(frozen=True, slots=True)
class Rights:
    """The table: the words for each article, and the meanings by the beginning of an id."""

    articles: Mapping[str, str]
    meanings: Mapping[str, Meaning]

    def of(self, requirement_id: str) -> Meaning | None:
        """Return the meaning under the longest key with which the id begins; None if there is none."""
        keys = [key for key in self.meanings if _begins(requirement_id, key)]
        return self.meanings[max(keys, key=len)] if keys else None


def _begins(requirement_id: str, key: str) -> bool:
    """Tell whether the key is a clause or a part of the slug: "2.1" is no key of "2.10-x"."""
    rest = requirement_id.removeprefix(key)
    return rest != requirement_id and ("-" in key or rest[:1] in ("-", "."))


@cache
def rights() -> Rights:
    """Return the table that ships with the suite."""
    document = tomllib.loads((files("conformance.model") / "rights.toml").read_text("utf-8"))
    meanings = {
        key: Meaning(row["person"], tuple(row["articles"]), row["gravity"]) for key, row in document["meaning"].items()
    }
    return Rights(document["articles"], meanings)
