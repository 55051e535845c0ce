"""The meaning of generated content: what the strings of a body, and an identifier, are to the specification."""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

_HARMLESS: Final = 100
"""Characters of the longest type that no service may refuse for its length."""

MANY: Final = 60
"""Types in a list that a service may find too long: more than it looks up at a time, but no large body."""


@dataclass(frozen=True, slots=True)
class Vocabulary:
    """The available data types, and what they look like."""

    types: frozenset[str]
    likenesses: frozenset[str]
    """The types after `alike`."""

    @classmethod
    def of(cls, types: Sequence[str]) -> Vocabulary:
        """Return the vocabulary of a list of types."""
        return _vocabulary(tuple(types))


@lru_cache(maxsize=8)
def _vocabulary(types: tuple[str, ...]) -> Vocabulary:
    return Vocabulary(frozenset(types), frozenset(map(alike, types)))


def meaning_of_types(types: Sequence[str], known: Vocabulary) -> str:
    """Return what the strings of a body are, in the words of an intent (`Intent.body`)."""
    unknown = set(types) - known.types
    if not unknown:
        return "known types"
    plain = {name for name in unknown if is_plainly_unknown(name, known.likenesses) or not name}
    doubtful = unknown - plain
    if any(not name.isprintable() or len(name) > _HARMLESS for name in doubtful):
        similar = {alike(name) for name in unknown} <= {"", *known.likenesses}
        return "odd" if similar else "unprintable type"
    if not plain:
        return "odd"
    # A service may refuse a long list for its length.
    return "unprintable type" if len(types) >= MANY else "unknown type"


def alike(name: str) -> str:
    """Return a name without differences of case, white space, accents and Unicode form."""
    plain = unicodedata.normalize("NFKD", unicodedata.normalize("NFKD", name).casefold())
    return "".join(each for each in plain if unicodedata.category(each)[0] not in "ZCM")


def is_plainly_unknown(name: str, likenesses: frozenset[str]) -> bool:
    """Tell whether a string is unknown under every comparison of strings, and otherwise ordinary.

    `likenesses` are the listed types after `alike`.
    """
    likeness = alike(name) if len(name) <= _HARMLESS and name.isprintable() else ""
    return bool(likeness) and likeness not in likenesses
