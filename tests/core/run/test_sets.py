"""A requirement that a later version adds breaks no pipeline: a run with a set, and its verification."""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

import pytest
from whole_runs import bent, only, row_of, run_over, session_over, verified, written

from conformance.model import sets
from conformance.model.errors import RequirementViolated
from conformance.model.findings import CheckResult, finding_of
from conformance.model.report import Report
from conformance.model.requirements import Requirement, all_testable, catalogue
from conformance.model.verdict import Exit, Level, Outcome, Verdict
from conformance.reference.call import Call
from conformance.reference.service import Service
from conformance.reports.exit_code import exit_code
from conformance.run.check import check
from conformance.run.judging import Calls, Judging
from conformance.run.options import Plan
from conformance.run.progress import ProgressListener
from conformance.run.verify import verify

ID = "2.3-supportedLanaguages"
PLAN = replace(only(ID, "4.4"), set=sets.chosen("2026-1"))


@pytest.fixture
def added(monkeypatch: pytest.MonkeyPatch) -> Iterator[Requirement]:
    """A requirement of level must that the catalogue has since today."""
    row = replace(catalogue()["4.4-object"], id="4.4-no-tabs", statement="GET /settings MUST contain no tabs.")
    monkeypatch.setitem(catalogue().rows, row.id, row)
    all_testable.cache_clear()
    yield row
    all_testable.cache_clear()


def result_of_a_new_check(row: Requirement, verdict: Verdict) -> CheckResult:
    """Return a result of the requirement that was added, as its check would give it."""
    violated = RequirementViolated("GET /settings contains a tab.", expected="no tab", actual="a tab")
    return CheckResult(row, "test_no_tabs", verdict, [finding_of(violated, row)] if verdict is Verdict.FAIL else [])


@pytest.fixture
def checked(monkeypatch: pytest.MonkeyPatch) -> Callable[[CheckResult, Plan], Report]:
    """Makes a run whose last check has the result."""

    def run_with(result: CheckResult, plan: Plan) -> Report:
        judged = Judging.run

        def judge(self: Judging, calls: Calls) -> None:
            judged(self, calls)
            self.results.append(result)

        monkeypatch.setattr(Judging, "run", judge)
        with session_over() as session:
            return check(session, plan, ProgressListener()).report

    return run_with


@pytest.mark.parametrize("verdict", [Verdict.FAIL, Verdict.INCONCLUSIVE, Verdict.PASS, Verdict.NOT_APPLICABLE])
def test_a_requirement_that_was_added_is_shown_and_decides_nothing(
    added: Requirement, verdict: Verdict, checked: Callable[[CheckResult, Plan], Report]
) -> None:
    assert added.level is Level.MUST
    plan = replace(PLAN, deselect=tuple(set(PLAN.deselect) - {added.id}), strict=True, fail_on=("alerts",))

    report = checked(result_of_a_new_check(added, verdict), plan)

    row = row_of(report, added.id)
    assert (row.verdict, row.scored) == (verdict, False)
    assert (report.outcome, exit_code(report)) == (Outcome.CONFORMS_IN_PART, Exit.CONFORMS)
    assert (report.summary.unscored, report.scope.set) == (1, "2026-1")
    assert (
        report.summary.must.testable
        == sum(each.level is Level.MUST for each in report.requirements if each.id in all_testable()) - 1
    )


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
