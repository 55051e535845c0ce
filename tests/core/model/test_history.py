"""The history of the catalogue: what a requirement said before, and until when."""

from __future__ import annotations

import tomllib
from datetime import date
from importlib.resources import files

from conformance.model.history import history_of
from conformance.model.requirements import catalogue
from conformance.model.sets import set_named
from conformance.model.verdict import Basis

HISTORY = tomllib.loads((files("conformance.model") / "history.toml").read_text("utf-8"))
ROWS = catalogue().rows


def test_a_requirement_that_the_first_set_lacks_says_when_it_was_added() -> None:
    """The recipe 'Add a check' in CONTRIBUTING asks for it: without the date, the row claims to be the oldest."""
    lacking = sorted(ROWS.keys() - set_named("2026-1").rows.keys() - HISTORY["added"].keys())
    assert not lacking, f"add to [added] of conformance/model/history.toml: {lacking}, each with its date"


def test_every_requirement_says_since_when_it_holds() -> None:
    for row in ROWS.values():
        history = history_of(row.id)
        dates = [history.since, *(each.until for each in history.former)]
        assert dates == sorted(dates, reverse=True), row.id
        # An interpretation may change after the edition: the text stays the same.
        assert HISTORY["first"] <= date.fromisoformat(history.since).isoformat()


def test_an_earlier_interpretation_differs_and_says_why_it_was_replaced() -> None:
    for row in ROWS.values():
        for each in history_of(row.id).former:
            now = (row.level, row.statement, row.reading, row.basis is Basis.ADVICE)
            assert (each.level, each.statement, each.reading, False) != now, row.id
            assert each.why.endswith("."), row.id
