"""The history of the catalogue: what a requirement said before, and until when."""

from __future__ import annotations

import tomllib
from importlib.resources import files

from conformance.model.requirements import catalogue
from conformance.model.sets import set_named

HISTORY = tomllib.loads((files("conformance.model") / "history.toml").read_text("utf-8"))
ROWS = catalogue().rows


def test_a_requirement_that_the_first_set_lacks_says_when_it_was_added() -> None:
    """The recipe 'Add a check' in CONTRIBUTING asks for it: without the date, the row claims to be the oldest."""
    lacking = sorted(ROWS.keys() - set_named("2026-1").rows.keys() - HISTORY["added"].keys())
    assert not lacking, f"add to [added] of conformance/model/history.toml: {lacking}, each with its date"
