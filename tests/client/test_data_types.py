from __future__ import annotations

from collections.abc import Callable

import httpx
import pytest
from hand_made import TYPES, Scripted, Told, data_request, error, json_answer, session_with

from conformance.client.data_types import DataTypes
from conformance.client.user import UserClient
from conformance.model.error_table import INVALID_DATA_TYPES, LIMIT_REACHED
from conformance.model.exchange import Operation
from conformance.model.target import Budget

refused_for_its_types = json_answer(400, error(INVALID_DATA_TYPES))
refused_for_the_limit = json_answer(400, error(LIMIT_REACHED))
for_one = json_answer(200, data_request())
for_all = json_answer(200, data_request(dataRequested=["account", "orders"]))


def lists_after(creation: Told, types: list[str] | None, budget: Budget | None = None) -> int:
    """Return how often the data types are asked for where a creation for `types` was answered like that."""

    def answer(request: httpx.Request) -> Told:
        return creation if request.method == "POST" else json_answer(200, TYPES)()

    session = session_with(Scripted(by=answer), budget=budget)
    service = UserClient(session)
    service.types()
    service.post(types)
    types_of_run = DataTypes(session)
    for _ in range(4):
        types_of_run.refresh()
    return len(session.record.answered(Operation.DATA))


@pytest.mark.parametrize(
    ("creation", "types"),
    [
        (for_one, ["orders"]),
        (for_all, None),
        (refused_for_the_limit, ["orders"]),
        (refused_for_its_types, ["none"]),
        (json_answer(500, {}), ["orders"]),
    ],
    ids=["accepted", "accepted for all", "beyond the limit", "an unknown type", "a failure"],
)
def test_the_types_are_not_asked_for_again_without_a_reason(
    creation: Callable[[], Told], types: list[str] | None
) -> None:
    assert lists_after(creation(), types) == 1


@pytest.mark.parametrize(
    ("creation", "types"),
    [(refused_for_its_types, ["orders"]), (for_one, None)],
    ids=["a listed type is refused", "what is listed is lacking"],
)
def test_the_types_are_asked_for_again_where_a_creation_contradicts_their_list(
    creation: Callable[[], Told], types: list[str] | None
) -> None:
    assert lists_after(creation(), types) == 2


def test_without_budget_left_the_types_are_not_asked_for_again() -> None:
    assert lists_after(refused_for_its_types(), ["orders"], Budget(max_requests=2)) == 1


def refusing(*lists: list[dict[str, object]]) -> tuple[UserClient, DataTypes]:
    """Return a service that takes no types, and answers with one list after another."""
    answers = [json_answer(200, each) for each in lists]

    def answer(request: httpx.Request) -> Told:
        if request.method == "POST":
            return refused_for_its_types()
        return (answers.pop(0) if len(answers) > 1 else answers[0])()

    session = session_with(Scripted(by=answer))
    service = UserClient(session)
    service.types()
    return service, DataTypes(session)


def test_what_is_on_offer_now_is_remembered() -> None:
    service, data_types = refusing(TYPES, TYPES[1:])
    service.post(["orders"])

    data_types.refresh()

    assert service.types() == ["account"]
    assert service.post(["orders"]).intent.body == "known types"


def test_a_target_that_refuses_what_it_lists_is_asked_a_few_times_only_and_once_more_at_the_end() -> None:
    service, data_types = refusing(TYPES)
    for _ in range(5):
        service.post(["orders"])
        data_types.refresh()
    between = len(service.record.answered(Operation.DATA))

    data_types.refresh(at_the_end=True)

    assert between == 3
    assert len(service.record.answered(Operation.DATA)) == 4
