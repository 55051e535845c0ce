"""The meaning of a body: what it and the strings that it lists are to the specification."""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence
from functools import lru_cache
from typing import Final

from conformance.model.strict_json import BOM, as_strings, parsed
from conformance.scenarios.api import MOST_TYPES

HARMLESS: Final = 100
"""Characters of a type, identifier, query or header that neither a service nor a proxy refuses for its length."""


def types_in_body(body: bytes) -> list[str] | None:
    """Return the strings that the body of a creation lists; None if it is no JSON, or no array of strings."""
    return None if _is_malformed(body) else as_strings(parsed(body).value)


def open_matter_of(body: bytes) -> str:
    """Return the open requirement that a body belongs to; "" for an array of different strings, and for no content."""
    listed = types_in_body(body)
    if not body:
        return ""
    if listed is None:
        return "4.1-malformed-body" if _is_malformed(body) else "4.1-other-json"
    if not listed:
        return "4.1-empty-array"
    return "4.1-repeated-type" if len(set(listed)) < len(listed) else ""


def _is_malformed(body: bytes) -> bool:
    """Tell whether a service may refuse a body as no JSON, as one with a byte order mark (RFC 8259, 8.1)."""
    return body.startswith(BOM) or parsed(body).problem is not None


def meaning_of_types(types: Sequence[str], known: frozenset[str]) -> str:
    """Return what the strings of a body are, in the words of an intent (`Intent.body`)."""
    unknown = set(types) - known
    if not unknown:
        return "known types"
    plain = {name for name in unknown if is_plainly_unknown(name, known) or not name}
    doubtful = unknown - plain
    if any(not name.isprintable() or len(name) > HARMLESS for name in doubtful):
        similar = {alike(name) for name in unknown} <= {"", *likenesses(known)}
        return "odd" if similar else "unprintable type"
    if not plain:
        return "odd"
    # A service may refuse a long list for its length.
    return "unprintable type" if len(types) > MOST_TYPES else "unknown type"


def alike(name: str) -> str:
    """Return a name without differences of case, white space, accents and Unicode form."""
    plain = unicodedata.normalize("NFKD", unicodedata.normalize("NFKD", name).casefold())
    return "".join(each for each in plain if unicodedata.category(each)[0] not in "ZCM")


@lru_cache(maxsize=8)
def likenesses(known: frozenset[str]) -> frozenset[str]:
    """Return the listed types after `alike`."""
    return frozenset(map(alike, known))


def is_plainly_unknown(name: str, known: frozenset[str]) -> bool:
    """Tell whether a string is unknown under every comparison of strings, and otherwise ordinary."""
    likeness = alike(name) if len(name) <= HARMLESS and name.isprintable() else ""
    return bool(likeness) and likeness not in likenesses(known)
