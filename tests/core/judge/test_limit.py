"""The limit as inequalities: what decides each statement, and what leaves it undecided."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

import pytest
from hand_made import THREE, TWO, deletion, exchange
from lives import made, one_after_another, refused, seen, settings

from conformance.facts.ledger import Ledger
from conformance.judge.limit import Decision, Limit
from conformance.model.errors import NotDecided, RequirementViolated
from conformance.model.exchange import Exchange, Operation
from conformance.model.verdict import Verdict


def end_of(decision: Decision) -> str:
    """Return which end of a statement was reached: "violated", "unknown", or the id of what decided it."""
    if isinstance(decision, RequirementViolated):
        return "violated"
    return "unknown" if isinstance(decision, NotDecided) else decision.id


def limit(*run: Exchange, empty: bool = True) -> Limit:
    return Limit(Ledger.of(one_after_another(*run), empty=empty))


FULL = (settings(2), made(), made(TWO))


def test_creations_and_deletions_at_the_same_time_do_not_leave_the_limit_undecided() -> None:
    *before, removal, creation = one_after_another(
        *FULL, refused(), seen(), seen(TWO), deletion(request_id=TWO), made(THREE)
    )
    beside = replace(removal, started=creation.started)

    assert end_of(Limit(Ledger.of([*before, beside, creation], empty=True)).is_enforced()) == "e4"


def test_a_refusal_with_room_decides_nothing_if_a_request_may_exist_that_no_answer_names() -> None:
    assert end_of(limit(settings(2), made(), refused(), seen(), empty=False).is_reached()) == "unknown"
    failed = exchange(Operation.CREATE, 500, b"", body="known types")
    assert end_of(limit(settings(2), made(), failed, refused(), seen()).is_reached()) == "unknown"


def test_a_limit_that_changes_during_a_run_is_as_low_for_a_refusal_as_it_ever_was() -> None:
    run = settings(1), made(), refused(), seen()

    assert end_of(limit(*run, settings(3)).is_reached()) != "violated"
    assert end_of(limit(settings(3), *run[1:]).is_reached()) == "violated"


@pytest.mark.parametrize("empty", [True, False])
def test_a_full_account_passes_only_if_it_is_confirmed_as_empty(empty: bool) -> None:
    found = limit(*FULL, seen(), seen(TWO), deletion(), made(THREE), refused(), seen(TWO), seen(THREE), empty=empty)

    assert end_of(found.is_reached()) == ("e3" if empty else "unknown")
    assert end_of(found.is_freed()) == ("e7" if empty else "unknown")


def test_a_server_error_shows_neither_that_the_limit_is_enforced_nor_that_no_place_is_freed() -> None:
    failed = exchange(Operation.CREATE, 500, b"", body="known types")

    assert end_of(limit(*FULL, failed, seen(), seen(TWO)).is_enforced()) == "unknown"
    assert end_of(limit(*FULL, failed, refused(), seen(), seen(TWO)).is_enforced()) == "e5"
    for answer in (failed, exchange(Operation.CREATE, 429, b"", body="known types")):
        assert end_of(limit(*FULL, refused(), seen(), seen(TWO), deletion(), answer, seen(TWO)).is_freed()) == "unknown"


def test_a_violation_names_what_published_the_limit_and_each_reading_that_it_counts() -> None:
    found = limit(*FULL, made(THREE), seen(), seen(TWO), seen(THREE)).is_enforced()

    assert isinstance(found, RequirementViolated)
    shown = Counter(each.operation for each in found.exchanges)
    assert (shown[Operation.SETTINGS], shown[Operation.READ]) == (1, 3)


def test_a_place_that_a_completed_request_left_shows_no_freed_place() -> None:
    run = *FULL, refused(), seen(TWO), seen(isCompleted=True), deletion(), made(THREE), refused()

    assert end_of(limit(*run, seen(TWO), seen(THREE)).is_freed()) == "unknown"


def test_a_request_that_need_not_count_is_not_hidden() -> None:
    missing = exchange(Operation.READ, 404, b"", request_id=TWO, request="existing")

    assert limit(*FULL, missing, refused(), empty=False).hides_what_counts() is None
    assert limit(*FULL, missing, made(THREE)).hides_what_counts() is None


@pytest.mark.parametrize("run", [(), (settings(0),), (settings("3"), refused()), (settings(1e400), made(), refused())])
def test_every_statement_has_an_end_for_any_settings(run: tuple[Exchange, ...]) -> None:
    found = limit(*run)

    for statement in (
        found.is_enforced,
        found.holds_in_parallel,
        found.is_reached,
        found.is_freed,
        found.is_freed_in_parallel,
        found.ignores_completed,
    ):
        assert end_of(statement())


def test_a_completed_request_excuses_no_refusal_in_an_account_that_is_not_confirmed() -> None:
    done = made(THREE), seen(THREE, isCompleted=True), deletion(request_id=THREE)

    for run in ((*FULL, refused(), seen(), seen(TWO), *done), (settings(2), made(), refused(), seen(), *done)):
        for decision in (limit(*run, empty=False).is_reached(), limit(*run, empty=False).is_freed()):
            assert isinstance(decision, NotDecided)
            assert decision.verdict is Verdict.INCONCLUSIVE
    at_once = limit(settings(2), *done, empty=False).is_reached()
    assert isinstance(at_once, NotDecided)
    assert at_once.verdict is Verdict.NOT_APPLICABLE
