"""The sequences: what the model predicts and what it leaves open, and the shortest sequence that contradicts it."""

from __future__ import annotations

import io
import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NoReturn
from unittest.mock import patch

import pytest
from report_samples import typed
from rich.console import Console
from whole_runs import USERS, only, run_over, session_over

from conformance.calibration.faults import FAULTS
from conformance.calibration.twins import TWINS
from conformance.calibration.variant import Variant
from conformance.client.user import UserClient
from conformance.generation.model import Model
from conformance.generation.sequences import EXAMPLES, SPARE, STEPS, THOROUGH, Search, Sequences, sequences, tour
from conformance.generation.tour import TOUR
from conformance.generation.walk import Step, Walk, selected
from conformance.model.errors import RequirementViolated
from conformance.model.findings import Finding
from conformance.model.target import Budget
from conformance.model.verdict import Verdict
from conformance.reference.config import ReferenceConfig
from conformance.reports import html, junit
from conformance.reports.terminal import print_summary
from conformance.rules.limit import limit_so_far
from conformance.runner.conclusion import Run
from conformance.runner.documents import Documents
from conformance.trace.har import exchanges_of

CONFIG = ReferenceConfig(users=USERS, seed=1)
OWN = [name for name, fault in FAULTS.items() if fault.service.__module__.endswith("faults.sequences")]


def played(bend: Variant | None = None, *, seed: int = 0, **target: object) -> Sequences:
    with session_over(CONFIG, bend, seed=seed, **target) as session:
        result = sequences.result(UserClient(session))
        assert session.journal.live == {}
        return result


def run_of(name: str) -> tuple[Run, list[Finding]]:
    """Check the requirement of a fault; return the run and the findings of the requirement."""
    requirement = FAULTS[name].requirement
    run = run_over(CONFIG, FAULTS[name], plan=only(requirement), account_is_empty=True)
    return run, next(list(row.findings) for row in run.report.requirements if row.id == requirement)


@pytest.mark.parametrize("seed", range(2))
def test_the_reference_does_as_predicted_and_every_prediction_is_made(seed: int) -> None:
    result = played(seed=seed, account_is_empty=True)

    assert (result.found, result.undecided) == (None, None)
    assert result.known.tested == {
        "3-removed",
        "3-deletes-no-other",
        "4.2-agrees-with-creation",
        "4.3-answers-ok",
    }


@pytest.mark.parametrize("name", OWN)
def test_a_fault_that_only_a_sequence_shows_is_found_with_another_seed_than_that_of_the_self_test(name: str) -> None:
    requirement = FAULTS[name].requirement
    with session_over(CONFIG, FAULTS[name], seed=5, account_is_empty=True) as session:
        found = sequences.result(UserClient(session)).found
        limit = limit_so_far(UserClient(session))
    by_counting: dict[str, object] = {
        "3-frees-the-limit": limit.is_freed(),
        "4.2-answers-200": limit.hides_what_counts(),
        "8-accepts-up-to-limit": limit.is_reached(),
        "8-limit-enforced": limit.is_enforced(),
    }

    if requirement in by_counting:
        assert isinstance(by_counting[requirement], RequirementViolated)
    else:
        assert found is not None
        assert found.violation.requirement == requirement


@pytest.mark.parametrize("name", [name for name, twin in TWINS.items() if twin.clause in ("3", "8", "4.2", "5")])
def test_no_lawful_service_contradicts_the_model_even_where_the_account_is_vouched_for(name: str) -> None:
    # Accounts may hold requests of others, which --empty-account would deny, or until a command removes them.
    twin = TWINS[name]

    assert played(twin, account_is_empty=not (twin.contradicts or twin.given)).found is None


def test_the_shortest_sequence_is_shown_step_by_step() -> None:
    _, findings = run_of("deleting-nothing-removes-the-oldest")
    finding = next(each for each in findings if each.steps)

    texts = [step.text for step in finding.steps]
    assert texts[:2] == [
        "the other user: create request 1 for one type: 200",
        "the other user: delete a request that does not exist: 404",
    ]
    assert texts[-2:] == ["the other user: read request 1: 404", "the other user: delete request 1: 404"]
    assert len(texts) <= 5
    assert len({step.exchange for step in finding.steps}) == len(finding.steps)


def test_shrinking_leaves_few_steps_and_keeps_to_its_allowance() -> None:
    with session_over(CONFIG, FAULTS["request-for-all-stays-readable"], account_is_empty=True) as session:
        found = sequences.result(UserClient(session)).found

        assert found is not None
        assert len(found.taken) <= 3
        assert len(session.record) < SPARE + 60


def test_the_steps_are_in_the_views() -> None:
    run, _ = run_of("deleting-nothing-removes-the-oldest")

    assert "read request 1: 404" in junit.render(typed(Documents(run).data))
    assert "read request 1: 404</p>" in html.render(typed(Documents(run).data), exchanges_of(Documents(run).evidence))
    console = Console(file=io.StringIO(), width=120)
    print_summary(console, typed(Documents(run).data), [Path("runs/a/report.json")])
    shown = console.file.getvalue()
    assert "read request 1: 404" in shown
    assert re.search(r"\n +drsi-conformance reproduce runs/a \d\S+\n", shown)


def test_the_first_finding_shows_a_short_sequence() -> None:
    _, findings = run_of("request-for-all-stays-readable")

    assert {each.verdict for each in findings} == {Verdict.FAIL}
    assert len(findings[0].steps) <= 5


def test_without_a_second_user_the_first_one_plays_alone() -> None:
    result = played(account_is_empty=True)
    with session_over(CONFIG, account_is_empty=True) as session:
        del session.credentials["other user"]
        alone = sequences.result(UserClient(session))

        assert alone.found is None
        assert alone.known.tested == result.known.tested
        assert {exchange.request.credential for exchange in session.record.in_order()} == {"user", "no token"}


def test_a_budget_that_ends_is_no_verdict() -> None:
    result = played(budget=Budget(max_created=3))

    assert result.found is None
    assert result.undecided is not None
    assert "--max-created" in result.undecided.remedy


def test_a_thorough_run_plays_more_sequences() -> None:
    with session_over(CONFIG, budget=Budget(max_created=2000, thorough=True)) as session, walked() as walks:
        assert sequences.result(UserClient(session)).found is None
        taken = sum(len(walk.steps) for walk in walks)
        assert abs(taken - THOROUGH * STEPS) < STEPS
        assert session.journal.left_behind == 0


def test_nothing_is_written_where_the_run_was_started(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)

    played()

    assert list(tmp_path.iterdir()) == []


def test_an_error_of_a_rule_ends_the_search_and_is_raised(monkeypatch: pytest.MonkeyPatch) -> None:
    creations: list[tuple[object, ...]] = []

    def crash(*given: object) -> NoReturn:
        creations.append(given)
        raise ZeroDivisionError("a bug of the suite")

    monkeypatch.setattr(Model, "create", crash)

    with pytest.raises(ZeroDivisionError):
        played()
    assert len(creations) == 1


def test_a_request_that_is_returned_twice_counts_once() -> None:
    assert played(FAULTS["same-types-give-the-request-there-is"]).found is None


@contextmanager
def walked() -> Iterator[list[Walk]]:
    """Collect the sequences that hypothesis begins."""
    walks: list[Walk] = []
    begin = Search.begin

    def collect(search: Search, walk: Walk) -> None:
        begin(search, walk)
        walks.append(walk)

    with patch.object(Search, "begin", collect):
        yield walks


def generated(seed: int, bend: Variant | None = None) -> tuple[list[list[Step]], int]:
    """Return the sequences that a run generates, and the number of calls that they take."""
    with session_over(CONFIG, bend, seed=seed, account_is_empty=True) as session, walked() as walks:
        tour.result(UserClient(session))
        before = len(session.record)
        sequences.result(UserClient(session))
        return [walk.steps for walk in walks], len(session.record) - before


def test_ten_seeds_have_ten_generated_parts_of_about_forty_calls() -> None:
    parts = [generated(seed) for seed in range(10)]

    assert len({str(steps) for steps, _ in parts}) == 10
    assert all(calls + STEPS // 2 >= EXAMPLES * STEPS for _, calls in parts)
    assert sum(calls for _, calls in parts) / 10 < 50
    assert generated(3) == parts[3]


def test_the_tour_and_the_record_name_steps_that_exist() -> None:
    does = {step.does for step in TOUR} | {step.does for steps, _ in map(generated, range(4)) for step in steps[0]}

    assert does == {
        *("creates", "reads", "reads another's", "reads deleted"),
        *("deletes", "deletes again", "deletes unknown"),
    }


def test_steps_about_a_request_that_is_left_out_are_left_out_too() -> None:
    steps = [Step("A", "creates", "one"), Step("A", "deletes unknown"), Step("A", "creates", "two")]
    steps += [Step("A", "reads", 2), Step("B", "reads another's", 1), Step("A", "deletes", 2)]

    assert selected(steps, [2, 3, 4, 5]) == [
        Step("A", "creates", "two"),
        Step("A", "reads", 1),
        Step("A", "deletes", 1),
    ]
    assert selected(steps, range(len(steps))) == steps


@pytest.mark.parametrize(
    "name", [name for name, fault in FAULTS.items() if fault.service.__module__.endswith("orders")]
)
def test_a_fault_of_an_order_of_calls_is_found_by_generated_sequences_only(name: str) -> None:
    with session_over(CONFIG, FAULTS[name], account_is_empty=True) as session:
        service = UserClient(session)
        assert tour.result(service).found is None
        found = sequences.result(service).found

    assert found is not None
    assert found.violation.requirement == FAULTS[name].requirement
