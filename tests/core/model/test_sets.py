"""Frozen sets: what they score, and that the catalogue has not left a released one without a reason."""

from __future__ import annotations

import re
import tomllib
from dataclasses import replace
from datetime import date
from importlib.resources import files

import pytest

from conformance.calibration import freeze
from conformance.model.requirements import catalogue
from conformance.model.sets import Entry, digest_of, set_named, sets
from conformance.model.verdict import Basis, Level

ROW = catalogue()["4.3-answers-ok"]


@pytest.mark.parametrize("one", sets().values(), ids=lambda one: one.name)
def test_each_row_that_left_a_released_set_has_an_entry_with_a_reason(one) -> None:  # type: ignore[no-untyped-def]
    later = list(sets().values())[list(sets()).index(one.name) + 1 :]
    assert not one.released or list(freeze.unexplained(one, catalogue().rows, later)) == []

    assert re.fullmatch(r"20\d\d-[1-9]\d?", one.name)
    assert not one.released or date.fromisoformat(one.released)
    for entry in (*one.changed, *one.removed):
        assert entry.id in one.rows, f"{entry.id}: a set can only change or remove what it lists."
        assert len(entry.reason.split()) > 3, f"{entry.id}: the reason is a sentence."
        assert date.fromisoformat(entry.date)


# what a set binds


@pytest.mark.parametrize(
    "changed",
    [
        replace(ROW, level=Level.SHOULD, basis=Basis.INFERRED),
        replace(ROW, statement="DELETE MUST answer 204.", places=("4.3, list, item 9",)),
    ],
    ids=["level", "statement"],
)
def test_a_changed_row_is_unscored_until_an_entry_gives_the_reason(changed) -> None:  # type: ignore[no-untyped-def]
    one, rows = set_named("2026-1"), {**catalogue().rows, ROW.id: changed}

    assert ROW.id not in one.scored(rows.values())
    (said,) = freeze.unexplained(one, rows)
    assert f'[[changed]] id = "{ROW.id}", digest = "{digest_of(changed)}"' in said

    entry = Entry(id=ROW.id, date="2027-01-31", reason="The table was read wrongly.", digest=digest_of(changed))
    explained = replace(one, changed=(*one.changed, entry))
    assert ROW.id in explained.scored(rows.values())
    assert list(freeze.unexplained(explained, rows)) == []


def test_a_row_that_the_first_set_lacks_says_when_it_was_added() -> None:
    """The recipe 'Add a check' in CONTRIBUTING asks for it: without the date, the row claims to be the oldest."""
    history = tomllib.loads((files("conformance.model") / "history.toml").read_text("utf-8"))
    lacking = sorted(catalogue().rows.keys() - set_named("2026-1").rows.keys() - history["added"].keys())
    assert not lacking, f"add to [added] of conformance/model/history.toml: {lacking}, each with its date"


def test_a_removed_row_needs_an_entry_in_this_set_or_a_later_one() -> None:
    one, rows = set_named("2026-1"), {name: row for name, row in catalogue().rows.items() if name != ROW.id}
    entry = Entry(id=ROW.id, date="2027-01-31", reason="The clause was withdrawn.")

    (said,) = freeze.unexplained(one, rows)
    assert f'[[removed]] id = "{ROW.id}", date, reason.' in said
    assert list(freeze.unexplained(replace(one, removed=(entry,)), rows)) == []
    assert list(freeze.unexplained(one, rows, [replace(one, name="2027-1", removed=(entry,))])) == []


# the next set
