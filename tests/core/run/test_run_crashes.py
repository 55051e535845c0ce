"""Faults of the suite itself: the run goes on, the report says so, and nothing that they touch is passed."""

from __future__ import annotations

import json
from typing import Any

import pytest
from report_samples import errors_of, typed
from whole_runs import Silent, only, session_over

from conformance.judge import decisions
from conformance.model.exchange import Operation
from conformance.model.results import RequirementResult
from conformance.model.verdict import Blame, Exit, Outcome, Verdict
from conformance.reports import html, junit
from conformance.reports.exit_code import exit_code
from conformance.run import all_checks, calls, notes
from conformance.run import check as run_check
from conformance.run.check import check
from conformance.run.conclusion import FinishedRun
from conformance.run.documents import Documents
from conformance.run.items import CheckModule
from conformance.run.plan import Plan
from conformance.scenarios import basic, races
from conformance.trace.har import exchanges_of

PART = only("2.3", "4.1", "4.3", "4.4", "7-not-found", "0-bodies-are-json", "8-limit-enforced-in-parallel")
"""The checks that run where what is said of them would be said of all."""


def crash(*_: object, **__: object) -> Any:
    raise ZeroDivisionError("a bug of the suite")


def crashed(plan: Plan) -> FinishedRun:
    """Return a run in which something crashes, and see that its report says so and cleaned up."""
    with session_over() as session:
        done = check(session, plan, Silent())
        assert session.journal.left_behind == 0
    assert done.report.crashes
    documents = Documents(done)
    data = json.loads(json.dumps(documents.data))
    assert exit_code(typed(data)) is Exit.BROKEN
    assert done.report.outcome in (Outcome.INCONCLUSIVE, Outcome.DOES_NOT_CONFORM)
    assert errors_of(data) == []
    assert "issue tracker" in html.render(typed(data), exchanges_of(documents.evidence))
    assert "a bug of the suite" in junit.render(typed(data))
    return done


def rows(done: FinishedRun) -> dict[str, RequirementResult]:
    return {row.id: row for row in done.report.requirements}


def touched(done: FinishedRun) -> set[str]:
    """Return the requirements of the crashes, all of which are inconclusive by the suite."""
    found = {one for each in done.report.crashes for one in each.requirements}
    for one in found:
        row = rows(done)[one]
        assert row.verdict is Verdict.INCONCLUSIVE
        assert Blame.SUITE in {each.blame for each in row.findings}
        assert any("ZeroDivisionError: a bug of the suite" in each.message for each in row.findings)
    return found


def passed(done: FinishedRun) -> set[str]:
    return {row.id for row in rows(done).values() if row.verdict is Verdict.PASS}


@pytest.fixture(scope="module")
def usual() -> set[str]:
    """The requirements that the reference service passes where nothing crashes."""
    with session_over() as session:
        return passed(check(session, PART, Silent()))


@pytest.mark.parametrize(
    ("place", "name", "touches"),
    [
        (races, "_Calls", "8-limit-enforced-in-parallel"),
        (basic, "_callers", "4.3-answers-ok"),
    ],
    ids=["parallel calls", "beside other scenarios"],
)
def test_a_crashing_scenario_costs_only_what_reads_it(
    monkeypatch: pytest.MonkeyPatch, usual: set[str], place: Any, name: str, touches: str
) -> None:
    monkeypatch.setattr(place, name, crash)

    done = crashed(PART)

    assert usual - passed(done) <= touched(done)
    assert touches in touched(done)
    assert len(done.report.crashes) <= 2  # one exception, in any thread
    assert all("in crash\n" in each.traceback for each in done.report.crashes)
    assert rows(done)["4.4-object"].verdict is Verdict.PASS


def test_with_a_check_file_that_cannot_be_loaded_nothing_passes(monkeypatch: pytest.MonkeyPatch) -> None:
    plan, collect_checks = only("4.1", "4.3"), CheckModule.collect
    monkeypatch.setattr(
        CheckModule,
        "collect",
        lambda module: (crash if module.path.name == "test_0_open_matters.py" else collect_checks)(module),
    )

    done = crashed(plan)

    assert passed(done) == set()
    assert touched(done) == plan.selected()
    assert done.report.crashes[0].where == ("test_0_open_matters.py",)


def test_a_crashing_rule_costs_what_it_decides_of_that_operation(monkeypatch: pytest.MonkeyPatch) -> None:
    judge = decisions.judge
    monkeypatch.setattr(
        decisions, "judge", lambda one, known: crash() if one.operation is Operation.DELETE else judge(one, known)
    )

    of_deletions = {"4.3-answers-ok", "7-not-found", "0-bodies-are-json"}
    others = {"2.3-oAuthUrl", "4.1-answers-200", "4.4-answers-200"}

    done = crashed(only(*of_deletions, *others))

    assert touched(done) == of_deletions
    assert passed(done) == others
    assert {where for each in done.report.crashes for where in each.where} > {"test_rows.py::test_row[4.3-answers-ok]"}


def test_crashes_beside_the_checks_cost_no_verdict_that_does_not_rest_on_them(
    monkeypatch: pytest.MonkeyPatch, usual: set[str]
) -> None:
    for place, name in (
        (run_check.preflight, "look"),
        (notes, "of_the_target"),
        (calls.cleanup, "verify_deletions"),
    ):
        monkeypatch.setattr(place, name, crash)

    done = crashed(PART)

    assert Documents(done).shown.outcome is Outcome.INCONCLUSIVE
    assert {one for each in done.report.crashes for one in each.where} == {
        "the look at the target before the checks",
        "the notes of the report",
        "the clean-up",
    }
    assert usual - passed(done) == touched(done) & usual
    assert len(passed(done)) > len(usual) / 2


def test_a_crash_in_pytest_itself_costs_what_is_not_decided(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(all_checks.pytest, "main", lambda *_, **__: pytest.ExitCode.INTERNAL_ERROR)

    with session_over() as session:
        done = check(session, only("4.4"), Silent())

    assert passed(done) == set()
    assert exit_code(done.report) is Exit.BROKEN
