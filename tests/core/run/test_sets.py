"""A run with a set of requirements is verified with that set."""

from __future__ import annotations

import copy
from dataclasses import replace
from typing import Any

import pytest
from whole_runs import bent, only, row_of, run_over, verified, written

from conformance.model import sets
from conformance.model.verdict import Outcome, Verdict
from conformance.reference.call import Call
from conformance.reference.service import Service
from conformance.run.verify import verify

ID = "2.3-supportedLanaguages"
PLAN = replace(only(ID, "4.4"), set=sets.chosen("2026-1"))


# verification


class _Misspelt(Service):
    """Spells the languages as they are spelt everywhere else."""

    def settings(self, call: Call) -> Any:
        settings = super().settings(call)
        settings["supportedLanguages"] = settings.pop("supportedLanaguages")
        return settings


@pytest.fixture
def two_sets(monkeypatch: pytest.MonkeyPatch) -> None:
    """An older set, which does not list one requirement."""
    present = sets.set_named("2026-1")
    older = replace(present, name="2025-1", rows={id: digest for id, digest in present.rows.items() if id != ID})
    monkeypatch.setattr(sets, "sets", lambda: {"2025-1": older, "2026-1": present})


@pytest.mark.usefixtures("two_sets")
def test_a_run_is_verified_with_its_own_set() -> None:
    older, present = (
        run_over(bend=bent(_Misspelt), plan=replace(PLAN, set=sets.chosen(name))) for name in ("2025-1", "2026-1")
    )

    assert [run.report.outcome for run in (older, present)] == [Outcome.CONFORMS_IN_PART, Outcome.DOES_NOT_CONFORM]
    assert [row_of(run.report, ID).verdict for run in (older, present)] == [Verdict.FAIL, Verdict.FAIL]
    assert [verified(run).is_equal for run in (older, present)] == [True, True]


@pytest.mark.usefixtures("two_sets")
@pytest.mark.parametrize("forged", ["the set", "the mark"])
def test_a_record_cannot_choose_what_is_scored(forged: str) -> None:
    report, evidence = written(run_over(bend=bent(_Misspelt), plan=PLAN))
    report = copy.deepcopy(report)
    row = next(row for row in report["requirements"] if row["id"] == ID)
    row["scored"] = False
    if forged == "the set":
        report["scope"]["set"] = "2025-1"
    report["outcome"] = "conforms-in-part"

    found = verify(report, evidence, despite_damage=True)

    assert not found.is_equal
    assert found.differences
