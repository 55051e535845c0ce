"""The order of the checks where time is short."""

from __future__ import annotations

from collections import Counter

import pytest
from whole_runs import Silent, session_over

from conformance.client.user import UserClient
from conformance.ordering import by_calls, courses_of
from conformance.runner.plugin import check_name
from conformance.runner.run import Plan, check

MANY = 25


class Items:
    """Keeps the checks of a run."""

    def __init__(self) -> None:
        self.items: list[pytest.Item] = []

    def pytest_collection_finish(self, session: pytest.Session) -> None:
        self.items = list(session.items)


def test_checks_that_take_many_calls_come_late_when_time_is_short() -> None:
    kept = Items()
    with session_over() as session:
        check(session, Plan(), Silent(), plugins=[kept])
        pending = {each for item in kept.items for each in courses_of(item)}
        calls = {check_name(item): by_calls(item, UserClient(session), pending) for item in kept.items}
        made = Counter(exchange.check for exchange in session.record.exchanges)

    many = {name for name, number in made.items() if number >= MANY and name in calls}
    assert len(many) > 3
    assert {name: calls[name] for name in many if not calls[name][0] and calls[name][1] < MANY} == {}
    searches = [calls[name] for name in calls if name.startswith(("test_7_generated", "test_8_sequences"))]
    assert min(searches) > max(calls[name] for name in many if not calls[name][0])
    assert sum(key < (False, 10) for key in calls.values()) > 50
