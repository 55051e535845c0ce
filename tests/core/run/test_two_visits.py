"""Two runs with days between them, by a clock that only the calls and the test move (docs/two-visits.md)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any, NamedTuple

import pytest
from report_samples import errors_of
from stored_runs import sealed
from whole_runs import ORIGIN, Silent, config, notes_of, only, target_of, written

from conformance.calibration.faults import FAULTS
from conformance.calibration.variant import REFERENCE
from conformance.model.exchange import EARLIER
from conformance.model.requirements import catalogue
from conformance.model.results import RequirementResult
from conformance.model.verdict import Level, Outcome, Verdict
from conformance.reference.config import numbered
from conformance.reference.service import Service
from conformance.run.check import check
from conformance.run.conclusion import FinishedRun
from conformance.run.in_process import ByTheService, by_calls, session_over
from conformance.run.plan import Plan
from conformance.run.verify import verify
from conformance.run.visits import calls_about_left_request

DAY = 86_400.0
OF_COMPLETION = ("2.1-completedAt-value", "3-deletes-completed", "8-completed-do-not-count")
ABOUT_REQUESTS = only(*OF_COMPLETION, "2.1-createdAt-value", "2.1-dataRequested-known", "3", "4.1", "4.2", "4.3", "8")
"""The checks that a request of an earlier run could mislead, and those that it decides."""


class Visits(NamedTuple):
    """The two runs, and how many requests the service holds after each."""

    first: FinishedRun
    second: FinishedRun
    held: tuple[int, int]


def visits(
    days: float,
    *,
    fault: str = "",
    between: Callable[[Service], object] = lambda _: None,
    swapped: bool = False,
    leaves_again: bool = False,
    by_command: bool = False,
    second: Plan = ABOUT_REQUESTS,
    **service: Any,
) -> Visits:
    """Make a run that leaves a request, let `days` pass and something happen, and make one that goes on with it.

    The first run makes few calls: only the second is looked at closely.
    """
    variant = FAULTS[fault] if fault else REFERENCE
    settings = by_calls(config(**{"complete_after": 4 * DAY, **service}), 0)
    app = variant.app(settings)
    runs, held, calls = [], [], []
    for plan in (replace(only(*OF_COMPLETION, "4.4"), leaves=True), replace(second, leaves=leaves_again)):
        tokens = settings.tokens[::-1] if swapped and runs else settings.tokens
        completion = ByTheService(app.state.service) if by_command and runs else None
        target = target_of(f"{ORIGIN}{settings.path_prefix}", tokens, account_is_empty=True, completion=completion)
        session = session_over(app, target, seed=0, in_turn=True)
        if calls:
            session.begin_with(calls)
        runs.append(check(session, plan, Silent()))
        held.append(len(app.state.service.store.all()))
        session.close()
        calls = calls or calls_about_left_request(runs[-1].trace)
        app.state.service.clock.advance(days * DAY)
        between(app.state.service)
    return Visits(runs[0], runs[1], (held[0], held[1]))


def of_completion(run: FinishedRun) -> list[RequirementResult]:
    return [row for row in run.report.requirements if row.id in OF_COMPLETION]


@pytest.fixture(scope="module")
def made() -> Visits:
    """Two visits, between which the request is completed."""
    return visits(365, second=Plan(), complete_after=200 * DAY)


def test_two_visits_decide_every_mandatory_requirement(made: Visits) -> None:
    assert made.held == (1, 0)
    assert {row.verdict for row in of_completion(made.first)} == {Verdict.NOT_APPLICABLE}
    for run, outcome in zip(made, (Outcome.CONFORMS_IN_PART, Outcome.CONFORMS), strict=False):
        report, evidence = written(run)
        assert (run.report.outcome, run.report.summary.left_behind) == (outcome, 0)
        assert (errors_of(report), verify(report, evidence).is_equal) == ([], True)
    must = [row for row in made.second.report.requirements if row.level is Level.MUST]
    tested = {row.verdict for row in must if not catalogue()[row.id].untestable}
    assert tested == {Verdict.PASS}
    (left,) = [each.message for each in notes_of(made.first) if "--leave" in each.message]
    assert left.endswith("stays at the service on purpose (--leave).")
    (story,) = [each.message for each in notes_of(made.second) if "an earlier run" in each.message]
    assert "was completed 200 days after its creation, by its completedAt." in story
    assert "Art. 12(3) GDPR" in story


@pytest.mark.parametrize(
    ("days", "how", "words", "held"),
    [
        (2, {}, "is still in progress after 2 days, and stays at the service.", (1, 1)),
        (2, {"leaves_again": True}, "is still in progress after 2 days", (1, 1)),
        (5, {"leaves_again": True}, "was completed 4 days after", (1, 1)),
        (5, {"completed_readable": False}, "was completed at most 5 days after its creation.", (1, 0)),
        (
            5,
            {"between": lambda service: [service.store.remove(each.id) for each in service.store.all()]},
            "was not found 5 days later. This is no fault",
            (1, 0),
        ),
        (2, {"swapped": True, "max_requests": 1}, "or the token is of another user.", (1, 1)),
    ],
    ids=["in-progress", "in-progress-again", "another", "hidden", "gone", "another-user"],
)
def test_what_became_of_the_request_is_written_and_accuses_no_service(
    days: float, how: dict[str, Any], words: str, held: tuple[int, int]
) -> None:
    made = visits(days, **how)

    assert (made.held, made.second.report.outcome) == (held, Outcome.CONFORMS_IN_PART)
    assert any(words in each.message for each in notes_of(made.second))


@pytest.mark.parametrize(
    ("fault", "requirement"),
    [
        ("completed-by-the-organisation-counts", "8-completed-do-not-count"),
        ("completed-by-the-organisation-stays", "3-deletes-completed"),
        ("completed-at-is-the-beginning-of-time", "2.1-completedAt-value"),
    ],
)
def test_a_fault_that_shows_after_days_is_found_by_the_second_visit(fault: str, requirement: str) -> None:
    made = visits(5, fault=fault)

    assert [row.id for row in made.second.report.requirements if row.verdict is Verdict.FAIL] == [requirement]
    assert made.first.report.outcome is Outcome.CONFORMS_IN_PART


def _lists_other_types_and_keeps_whole_minutes(service: Service) -> None:
    service.types = numbered(4)
    service.type_names = frozenset(each.type for each in service.types)
    service.timestamp = lambda moment: f"{moment:%Y-%m-%dT%H:%M:00Z}"


@pytest.mark.parametrize("days", [2, 5])
def test_a_service_may_change_between_the_visits(days: float) -> None:
    made = visits(days, between=_lists_other_types_and_keeps_whole_minutes)

    assert made.second.report.outcome is Outcome.CONFORMS_IN_PART


def test_exchanges_of_an_earlier_run_are_about_one_request(made: Visits) -> None:
    report, evidence = written(made.second)
    for each in evidence["log"]["entries"][:60]:
        each["_check"] = EARLIER
    found = verify(*sealed(report, evidence))

    assert "the exchanges of an earlier run" in [each.what for each in found.differences]


def test_a_command_completes_another_request_while_the_left_one_is_in_progress() -> None:
    made = visits(2, by_command=True, second=only(*OF_COMPLETION))

    assert (made.held, made.second.report.outcome) == ((1, 1), Outcome.CONFORMS_IN_PART)
    assert {row.verdict for row in of_completion(made.second)} == {Verdict.PASS}
