"""The sequences that hypothesis makes, the shortest one that shows a violation, and the series of linked calls."""

from __future__ import annotations

from typing import NoReturn

import pytest
from whole_runs import USERS, session_over

from conformance.calibration.faults import FAULTS
from conformance.calibration.variant import Variant
from conformance.generation.links import linked_calls
from conformance.generation.sequences import SPARE, Walk, sequences
from conformance.model.errors import NotDecided
from conformance.model.exchange import Exchange, Operation
from conformance.model.target import Budget
from conformance.reference.config import ReferenceConfig
from conformance.scenarios.api import Api

CONFIG = ReferenceConfig(users=USERS, seed=1)


def played(bend: Variant | None = None, **target: object) -> tuple[list[Exchange], list[Exchange]]:
    with session_over(CONFIG, bend, **target) as session:
        result = sequences.result(Api(session))
        assert session.journal.live == {}
        return result, session.record.in_order()


def test_hypothesis_shrinks_the_sequence_within_its_allowance() -> None:
    result, exchanges = played(FAULTS["request-for-all-stays-readable"], account_is_empty=True)

    assert 0 < len(result) < 30
    assert result[-1].operation is Operation.READ
    assert len(exchanges) < SPARE + 120


def test_without_a_second_user_the_first_one_plays_alone() -> None:
    with session_over(CONFIG, account_is_empty=True) as session:
        del session.credentials["other user"]

        assert sequences.result(Api(session)) == []
        assert {exchange.request.credential for exchange in session.record.in_order()} == {"user", "no token"}


def test_a_budget_that_ends_is_no_verdict() -> None:
    with pytest.raises(NotDecided) as ended:
        played(budget=Budget(max_created=3))

    assert "--max-created" in ended.value.remedy


def test_an_error_of_the_suite_ends_the_search_and_is_raised(monkeypatch: pytest.MonkeyPatch) -> None:
    looks: list[Walk] = []

    def crash(walk: Walk) -> NoReturn:
        looks.append(walk)
        raise ZeroDivisionError("a bug of the suite")

    monkeypatch.setattr(Walk, "look", crash)

    with pytest.raises(ZeroDivisionError):
        played()
    assert len(looks) == 1


def followed(seed: int) -> list[Exchange]:
    """Return the linked calls of a run, which leave nothing."""
    with session_over(seed=seed) as session:
        service = Api(session)
        service.settings_document()
        linked_calls.result(service)

        assert len(session.record) <= 40
        assert session.journal.live == {}
        return [each for each in session.record.in_order() if each.check == "linked calls"]


def test_two_users_create_read_delete_and_create_again_by_another_way_for_each_seed() -> None:
    ways = [followed(seed) for seed in range(3)]
    made = [each for way in ways for each in way]
    about = {(each.operation, each.intent.request) for each in made}

    assert {each.request.credential for each in made if each.operation is Operation.CREATE} == {"user", "other user"}
    assert about >= {
        (operation, state) for operation in (Operation.READ, Operation.DELETE) for state in ("existing", "deleted")
    }
    after = made[next(place for place, each in enumerate(made) if each.operation is Operation.DELETE) :]
    assert any(each.operation is Operation.CREATE for each in after)
    assert len({str([(each.operation, each.request.body) for each in way]) for way in ways}) == 3
