"""Scenarios: each is made once, in the name of a check, in parallel or on demand."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import httpx
import pytest
from hand_made import ONE, Scripted, created, json_answer, session_with

from conformance.model.errors import NotDecided
from conformance.model.exchange import Exchange
from conformance.run.collect import Schedule
from conformance.scenarios.api import Api
from conformance.scenarios.registry import SCENARIOS, Scenario, scenario


@pytest.fixture(autouse=True)
def registry() -> Iterator[None]:
    """Keeps the scenarios of a test out of the registry of the others."""
    before = dict(SCENARIOS)
    yield
    SCENARIOS.clear()
    SCENARIOS.update(before)


class Item:
    """A check, as far as the schedule looks at it."""

    def __init__(self, *names: str) -> None:
        self.reads = names


def scheduled(service: Api, *needs: tuple[Scenario[Any], str]) -> tuple[Schedule, list[Any]]:
    schedule = Schedule(service.session)
    items: list[Any] = [Item(each.name) for each, _ in needs]
    for item, (_, check) in zip(items, needs, strict=True):
        schedule.need(item, check)
    return schedule, items


def test_where_only_one_request_can_be_held_a_scenario_is_cleaned_up_before_the_next() -> None:
    transport = Scripted(
        json_answer(200, [{"type": "profile"}]), created(ONE), httpx.Response(200, text="OK"), json_answer(404, {})
    )

    @scenario(parallel=True)
    def creation(service: Api) -> Exchange:
        return service.post(["profile"])

    @scenario(parallel=True)
    def reading(service: Api) -> Exchange:
        return service.read(ONE)

    session = session_with(transport)
    schedule, items = scheduled(Api(session), (creation, "first"), (reading, "second"))
    schedule.run(items[0])

    assert transport.methods == ["GET", "POST", "DELETE", "GET"]
    assert [each.check for each in session.record.in_order()][1::2] == ["first", "second"]


def test_a_parallel_scenario_that_cannot_go_on_deletes_its_request_and_no_other() -> None:
    @scenario(parallel=True)
    def one(service: Api) -> None:
        service.post(["a"])
        raise NotDecided("No answer to the reading.")

    other = "0b7e1f24-3a52-4d3e-9d55-0d4a2f3b5c77"
    transport = Scripted(created(other), created(), json_answer(200, "OK"))
    service = Api(session_with(transport))
    service.post(["a"])

    with pytest.raises(NotDecided):
        one.result(service)

    assert transport.methods == ["POST", "POST", "DELETE"]
    assert list(service.session.journal.live) == [other]
