"""The set of requirements of a run decides what is scored, and a record cannot choose it."""

from __future__ import annotations

import copy
from dataclasses import replace

import pytest
from older_set import ID, Misspelt, add_older_set
from whole_runs import bent, only, run_over, written

from conformance.model import sets
from conformance.run.verify import verify

PLAN = replace(only(ID, "4.4"), set=sets.chosen("2026-1"))


@pytest.mark.parametrize("forged", ["the set", "the mark"])
def test_a_record_cannot_choose_what_is_scored(monkeypatch: pytest.MonkeyPatch, forged: str) -> None:
    add_older_set(monkeypatch, ID)
    report, evidence = written(run_over(bend=bent(Misspelt), plan=PLAN))
    report = copy.deepcopy(report)
    row = next(row for row in report["requirements"] if row["id"] == ID)
    row["scored"] = False
    if forged == "the set":
        report["scope"]["set"] = "2025-1"
    report["outcome"] = "conforms-in-part"

    found = verify(report, evidence, despite_damage=True)

    assert not found.is_equal
    assert found.differences
