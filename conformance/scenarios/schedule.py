"""The schedule: when the scenarios of a run start."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import Future
from contextlib import suppress
from functools import partial
from typing import Any

import pytest

from conformance.client.public import PublicClient
from conformance.client.user import UserClient
from conformance.http.session import Session
from conformance.model.errors import ConfigurationFault, NotDecided
from conformance.model.identity import USER
from conformance.scenarios.limit import keep_early_request
from conformance.scenarios.places import places
from conformance.scenarios.registry import OR_REASON, SCENARIOS, Scenario

AnyScenario = Scenario[Any, Any]


def scenarios_of(item: pytest.Item) -> list[AnyScenario]:
    """Return the scenarios that a check reads."""
    return [each for _, each in _named(item)]


def _named(item: pytest.Item) -> Iterator[tuple[str, AnyScenario]]:
    """Yield the arguments of a check that are results of scenarios, with their scenarios."""
    for name in getattr(item, "reads", ()):
        if (each := SCENARIOS.get(name.removesuffix(OR_REASON))) is not None:
            yield name, each


def usual_order(item: pytest.Item) -> int:
    """Return the sort key of a check: early ones, others, those that read the background, those on the whole run."""
    if item.get_closest_marker("first"):
        return 0
    if item.get_closest_marker("last"):
        return 3
    return 2 if any(each.background for each in scenarios_of(item)) else 1


class Schedule:
    """The scenarios that the checks of a run read and that have not been run, each with the first check that does."""

    def __init__(self, session: Session) -> None:
        self._session = session
        self._service = UserClient(session)
        self._anybody = PublicClient(session)
        self._pending: dict[AnyScenario, str] = {}

    def need(self, item: pytest.Item, check: str) -> None:
        """Note what a check reads."""
        for each in scenarios_of(item):
            self._pending.setdefault(each, check)

    def run(self, item: pytest.Item) -> None:
        """Run the scenarios that a check names, in the order of its arguments; the first that raises is the last.

        Each keeps its result, or what it raised, for the checks.
        """
        with suppress(NotDecided, ConfigurationFault):
            self.prepare(item)
        if usual_order(item) > 1:
            self._session.end_background()
        for name, each in _named(item):
            if not each.public and USER.label not in self._session.credentials:
                return
            try:
                each.result(self._anybody if each.public else self._service)
            except Exception as error:
                if not (isinstance(error, NotDecided) and name.endswith(OR_REASON)):
                    return

    def prepare(self, item: pytest.Item) -> None:
        """Run what can run beside others, when a check is the first to read any of it."""
        reads = [each for each in scenarios_of(item) if self._is_pending(each)]
        if any(each.background for each in reads):
            self.start_background()
        if any(each.parallel for each in reads):
            self._run_parallel()

    def start_background(self) -> None:
        """Start the background scenarios in a thread of their own, one after another."""
        due = [
            each for each in SCENARIOS.values() if each.background and each in self._pending and self._is_pending(each)
        ]
        for each in due:  # a later check that reads it waits for it
            self._session.results.scenarios[each] = Future()

        def run() -> None:
            for each in due:
                with suppress(KeyboardInterrupt):  # kept for later checks; the next scenario stops as well
                    each.run(self._service, self._pending[each])

        if due:
            self._session.start_background(run)

    def _run_parallel(self) -> None:
        service, session = self._service, self._session
        with suppress(NotDecided):
            service.types()  # which several need
        if places(service) > session.target.budget.concurrency:  # all scenarios and the early request fit
            keep_early_request(service, USER)
        room = places(service)
        due = [each for each in self._pending if each.parallel and self._is_pending(each)]
        due.sort(key=lambda each: -each.calls)

        def run(each: AnyScenario) -> None:
            each.run(service, self._pending[each])

        session.parallel([partial(run, each) for each in due], at_most=room)

    def _is_pending(self, each: AnyScenario) -> bool:
        return each not in self._session.results.scenarios
