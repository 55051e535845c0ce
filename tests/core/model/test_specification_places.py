"""The denominator is closed: every sentence and cell of the specification is decided, or a remark says why not."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from conformance.model.requirements import catalogue
from conformance.model.specification import read
from conformance.model.specification_places import digests_of, is_within, places
from conformance.model.verdict import Basis

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
