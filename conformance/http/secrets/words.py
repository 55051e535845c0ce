"""Words of the interface and of this suite, and the secrets that no search can tell from them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache, lru_cache
from importlib.resources import files
from importlib.resources.abc import Traversable
from typing import Final

from conformance.http.secrets.forms import DISTINCTIVE
from conformance.model.further_headers import pair_of_basic
from conformance.model.text import encode

_MOMENTS: Final = "0000-00-00t00:00:00.000000+00:00 00:00:00z 00:00:00.000z 00:00:00+00:00"
"""Date-times, with 0 for each digit."""

_NO_PART_OF_A_RUN: Final = ("application", "calibration", "cli", "fleet", "login", "pytest_plugin", "reference")
"""Folders whose words are in no record of a run; the reference service and its variants speak as services do."""


@cache
def own_words() -> bytes:
    """The texts of the suite, from which its messages, its requests and its pages are made, in lower case and UTF-8."""
    return b"\n".join([*_texts(files("conformance")), *_texts(files("conformance.schemas"))]).lower()


@cache
def names_in_own_words() -> frozenset[str]:
    """The words of these texts that a member, a tag or an attribute may have as its name."""
    return frozenset(map(bytes.decode, re.findall(rb"[a-z][a-z_-]*", own_words())))


def _texts(folder: Traversable) -> Iterator[bytes]:
    for each in folder.iterdir():
        if each.is_dir() and each.name not in _NO_PART_OF_A_RUN:
            yield from _texts(each)
        elif each.name.endswith((".py", ".toml", ".json", ".html", ".js", ".css")):
            yield each.read_bytes()


@lru_cache(maxsize=256)
def why_short(token: str) -> str:
    """Return why a search for a token would change what a record says, as a clause; "" for a token that is unlike it.

    A rule reads the changed record, so that another verdict would come of it.
    """
    if len(token) < DISTINCTIVE:
        return f"it has fewer than {DISTINCTIVE} characters"
    if re.sub(r"\d", "0", token.lower()) in _MOMENTS:
        return "it may be part of a date or a time"
    is_word = encode(token.lower()) in own_words()
    return "it is a word, or part of a word, of the interface or of this suite" if is_word else ""


def distinctive_parts(value: str) -> Iterator[str]:
    """Yield the value of a header field for a gate, and its words, such as what follows a scheme: they are secrets.

    A short part, or a word of the suite, would be marked in answers that have nothing to do with it.
    """
    pair = pair_of_basic(value)
    parts = [value, *re.split(r'[\s;,="]+', value), pair, pair.partition(":")[2]]
    yield from (each for each in dict.fromkeys(parts) if not why_short(each))
