"""The places of the specification, and what becomes of each: requirements decide it, or a remark says why none does.

`specification_places.toml` holds the smallest places of the edition with digests of their words, not the words. So a
test without a copy of the specification shows that nothing in it was forgotten. With a copy,
`python -m conformance.model.specification_places FILE` prints the list of another edition.
"""

from __future__ import annotations

import sys
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from pathlib import Path

from conformance.model.specification import Specification, digest, read, sentences


@dataclass(frozen=True, slots=True)
class Places:
    """The contents of the file."""

    digests: Mapping[str, str]
    """Digest of the words by place: every sentence, list item and cell of a table, in the order of the text."""
    explanation: Mapping[str, str]
    """Why a place requires nothing of a service."""
    not_testable: Mapping[str, str]
    """Why no client can decide what a place says, or what it says beyond the requirements that rest on it."""


def is_within(place: str, wider: str) -> bool:
    """Tell whether `place` is `wider` or a part of it: a sentence of an item, or a cell of a row."""
    return place == wider or place.startswith(f"{wider}, ")


@cache
def places() -> Places:
    """Return the places of the edition of the catalogue."""
    document = tomllib.loads((files("conformance.model") / "specification_places.toml").read_text("utf-8"))
    return Places(document["digests"], document["explanation"], document["not-testable"])


def is_genuine(place: str, words: str) -> bool:
    """Tell by their digests whether these are all words of the edition at a place: no copy of it is needed."""
    listed = {unit: value for unit, value in places().digests.items() if is_within(unit, place)}
    parts = [(place, words)]
    if not listed.keys() & {place, f"{place}, sentence 1"}:  # a row: its cells, as `Specification.words` joins them
        cells = (cell.partition(": ") for cell in words.split(" | "))
        parts = [(f"{place}, {head}", text) for head, _, text in cells]
    found: dict[str, str] = {}
    for part, text in parts:
        if part in listed:
            found[part] = digest(text)
        else:
            found |= {f"{part}, sentence {number}": digest(each) for number, each in enumerate(sentences(text), 1)}
    return bool(listed) and found == listed


def digests_of(specification: Specification) -> dict[str, str]:
    """Return the digest of the words at each of the smallest places of a copy."""
    return {place: digest(specification.words[place]) for place in specification.units}


def _print_digests(file: Path) -> None:
    for place, value in digests_of(read(file.read_bytes())).items():
        print(f'"{place}" = "{value}"')


if __name__ == "__main__":
    _print_digests(Path(sys.argv[1]))
