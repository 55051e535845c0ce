"""A made-up text is split into places; each place of the real text, which is no part of the suite, has its reason."""

from __future__ import annotations

import os
import unicodedata
from pathlib import Path

import pytest

from conformance.model.requirements import catalogue
from conformance.model.specification import Specification, digest, read
from conformance.model.specification_places import digests_of, is_within, places
from conformance.model.verdict import Basis

_TEXT = """\
# Café interface

All orders are JSON. Paths start with `/`, e.g. `/orders`.

## 1. Purpose
1. A guest orders. The kitchen cooks,
   and serves.
2. A guest pays.

## 2. Documents

### 2.1 Order

| Field | Type | Meaning |
|---|:---:|---|
| id | string | Names the order. It must be random. |
| note | | One of `a\\|b`. |

Times are given
with an offset. Prices are not.
- Cheap
- Fast

## 3. States

| State | paid |
|---|---|
| open | false |

| From | To |
|---|---|
| open | closed |

After that: not shown.
"""


@pytest.fixture(scope="module")
def text() -> Specification:
    return read(_TEXT.encode())


@pytest.mark.parametrize(
    ("place", "words"),
    [
        ("0, paragraph 1, sentence 2", "Paths start with `/`, e.g. `/orders`."),
        ("1, item 1", "A guest orders. The kitchen cooks, and serves."),
        ("2.1, table, row 1, Meaning, sentence 2", "It must be random."),
        ("2.1, table, row 2", "Field: note | Meaning: One of `a|b`."),
        ("3, table 1, row 1", "State: open | paid: false"),
        ("3, paragraph 1, sentence 1", "After that: not shown."),
    ],
)
def test_a_place_has_its_words(text: Specification, place: str, words: str) -> None:
    assert text.words[place] == words


def test_what_a_reader_does_not_see_makes_no_other_edition(text: Specification) -> None:
    copy = unicodedata.normalize("NFD", _TEXT.replace("\n", " \t\r\n").rstrip())
    assert read(b"\xef\xbb\xbf" + copy.encode()).edition == text.edition == digest(_TEXT.rstrip("\n"))


COPY = os.environ.get("DRSI_SPECIFICATION", "")
"""A reader's copy, which is not part of the project."""


def covered() -> dict[str, tuple[str, ...]]:
    """Return the ids of the requirements that rest on each place; advice rests on none."""
    rows = [row for row in catalogue().rows.values() if row.basis is not Basis.ADVICE]
    return {
        place: tuple(row.id for row in rows if any(is_within(place, wider) for wider in row.places))
        for place in places().digests
    }


def test_every_place_is_covered_or_has_a_remark_and_every_place_of_a_requirement_exists() -> None:
    listed, rows = places(), covered()
    remarks = {**listed.explanation, **listed.not_testable}
    named = {(row.id, place) for row in catalogue().rows.values() for place in row.places}

    assert remarks.keys() - listed.digests.keys() == set()
    assert [place for place, why in remarks.items() if not why.endswith(".")] == []
    assert [place for place, ids in rows.items() if not ids and place not in remarks] == []
    assert {place: rows[place] for place in listed.explanation if rows[place]} == {}  # no requirement rests on these
    assert listed.explanation.keys() & listed.not_testable.keys() == set()
    assert {(id, place) for id, place in named if not any(is_within(each, place) for each in listed.digests)} == set()


@pytest.mark.skipif(not COPY, reason="DRSI_SPECIFICATION names no copy of the specification")
def test_the_list_is_that_of_the_specification() -> None:
    copy = read(Path(COPY).read_bytes())

    assert copy.edition == catalogue().edition.digest
    assert list(digests_of(copy).items()) == list(places().digests.items())
