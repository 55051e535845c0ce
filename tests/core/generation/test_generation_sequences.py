"""The explorer: the sequences that hypothesis makes, and the shortest one that shows a violation."""

from __future__ import annotations

import io
import re
from pathlib import Path
from typing import NoReturn

import pytest
from report_samples import typed
from rich.console import Console
from whole_runs import USERS, only, run_over, session_over

from conformance.calibration.faults import FAULTS
from conformance.calibration.variant import Variant
from conformance.facts.ledger import Ledger
from conformance.generation.sequences import SPARE, Walk, sequences
from conformance.judge.requests import keeps_others
from conformance.model.errors import NotDecided, RequirementViolated
from conformance.model.exchange import Exchange, Operation
from conformance.model.findings import Finding
from conformance.model.target import Budget
from conformance.model.verdict import Verdict
from conformance.reference.config import ReferenceConfig
from conformance.reports import html, junit
from conformance.reports.terminal import print_summary
from conformance.run.conclusion import Run
from conformance.run.documents import Documents
from conformance.scenarios.api import Api
from conformance.trace.har import exchanges_of

CONFIG = ReferenceConfig(users=USERS, seed=1)


def played(bend: Variant | None = None, *, seed: int = 0, **target: object) -> tuple[list[Exchange], list[Exchange]]:
    with session_over(CONFIG, bend, seed=seed, **target) as session:
        result = sequences.result(Api(session))
        assert session.journal.live == {}
        return result, session.record.in_order()


def run_of(name: str) -> tuple[Run, list[Finding]]:
    """Check the requirement of a fault; return the run and the findings of the requirement."""
    requirement = FAULTS[name].requirement
    run = run_over(CONFIG, FAULTS[name], plan=only(requirement), account_is_empty=True)
    return run, next(list(row.findings) for row in run.report.requirements if row.id == requirement)


@pytest.mark.parametrize("seed", range(3))
def test_the_reference_shows_nothing_in_less_than_a_hundred_calls(seed: int) -> None:
    result, exchanges = played(seed=seed, account_is_empty=True)
    about = {(each.operation, each.intent.request) for each in exchanges}

    assert result == []
    assert 40 < len(exchanges) < 100
    assert about >= {(Operation.READ, "existing"), (Operation.READ, "deleted"), (Operation.DELETE, "existing")}


@pytest.mark.parametrize("seed", range(3))
def test_hypothesis_shrinks_the_sequence_within_its_allowance(seed: int) -> None:
    result, exchanges = played(FAULTS["request-for-all-stays-readable"], seed=seed, account_is_empty=True)

    assert 0 < len(result) < 30
    assert result[-1].operation is Operation.READ
    assert len(exchanges) < SPARE + 120


def test_the_steps_are_in_the_views() -> None:
    run, findings = run_of("request-for-all-stays-readable")
    steps = next(each.steps for each in findings if each.steps)

    assert {each.verdict for each in findings} == {Verdict.FAIL}
    assert re.fullmatch(r"GET /requests/\w+…( as the other user)?: 200", steps[-1].text)
    assert len({step.exchange for step in steps}) == len(steps)
    assert steps[-1].text in junit.render(typed(Documents(run).data))
    assert f"{steps[-1].text}</p>" in html.render(typed(Documents(run).data), exchanges_of(Documents(run).evidence))
    console = Console(file=io.StringIO(), width=120)
    print_summary(console, typed(Documents(run).data), [Path("runs/a/report.json")])
    assert steps[-1].text in console.file.getvalue()


def test_without_a_second_user_the_first_one_plays_alone() -> None:
    with session_over(CONFIG, account_is_empty=True) as session:
        del session.credentials["other user"]

        assert sequences.result(Api(session)) == []
        assert {exchange.request.credential for exchange in session.record.in_order()} == {"user", "no token"}


def test_a_budget_that_ends_is_no_verdict() -> None:
    with pytest.raises(NotDecided) as ended:
        played(budget=Budget(max_created=3))

    assert "--max-created" in ended.value.remedy


def test_a_thorough_run_plays_more_sequences() -> None:
    with session_over(CONFIG, budget=Budget(max_created=2000, thorough=True)) as session:
        assert sequences.result(Api(session)) == []
        assert len(session.record) > 1000
        assert session.journal.left_behind == 0


def test_nothing_is_written_where_the_run_was_started(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)

    played()

    assert list(tmp_path.iterdir()) == []


def test_an_error_of_the_suite_ends_the_search_and_is_raised(monkeypatch: pytest.MonkeyPatch) -> None:
    looks: list[Walk] = []

    def crash(walk: Walk) -> NoReturn:
        looks.append(walk)
        raise ZeroDivisionError("a bug of the suite")

    monkeypatch.setattr(Walk, "look", crash)

    with pytest.raises(ZeroDivisionError):
        played()
    assert len(looks) == 1


def test_each_seed_has_sequences_of_its_own() -> None:
    def asked(seed: int) -> list[str]:
        return [words for each in played(seed=seed)[1] for words in (each.request.method, each.request.body.decode())]

    assert len({str(asked(seed)) for seed in range(5)}) == 5
    assert asked(3) == asked(3)


@pytest.mark.parametrize("name", ["deleting-nothing-removes-the-oldest", "deleting-nothing-removes-the-newest-of-all"])
def test_a_request_that_the_deletion_of_another_removes_is_found(name: str) -> None:
    result, exchanges = played(FAULTS[name], account_is_empty=True)

    assert result[-1].operation is Operation.DELETE
    assert isinstance(keeps_others(Ledger.of(exchanges)), RequirementViolated)
