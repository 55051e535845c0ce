"""A run with a set of requirements is verified with that set."""

from __future__ import annotations

import copy
from dataclasses import replace

import pytest
from older_set import ID, Misspelt, add_older_set
from whole_runs import bent, only, row_of, run_over, verified, written

from conformance.model import sets
from conformance.model.verdict import Outcome, Verdict
from conformance.run.verify import verify

PLAN = replace(only(ID, "4.4"), set=sets.chosen("2026-1"))


def test_a_run_is_verified_with_its_own_set(monkeypatch: pytest.MonkeyPatch) -> None:
    add_older_set(monkeypatch, ID)
    older, present = (
        run_over(bend=bent(Misspelt), plan=replace(PLAN, set=sets.chosen(name))) for name in ("2025-1", "2026-1")
    )

    assert [run.report.outcome for run in (older, present)] == [Outcome.CONFORMS_IN_PART, Outcome.DOES_NOT_CONFORM]
    assert [row_of(run.report, ID).verdict for run in (older, present)] == [Verdict.FAIL, Verdict.FAIL]
    assert [verified(run).is_equal for run in (older, present)] == [True, True]


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
