"""The schedule: when the scenarios of a run start."""

from __future__ import annotations

from contextlib import suppress
from functools import partial
from typing import Any

import pytest

from conformance.client.api import Api
from conformance.http.session import Session
from conformance.model.errors import ConfigurationFault, NotDecided
from conformance.model.identity import USER
from conformance.scenarios.limit import keep_early_request, places
from conformance.scenarios.registry import OR_REASON, SCENARIOS, Scenario


def scenarios_of(item: pytest.Item) -> list[Scenario[Any]]:
    """Return the scenarios that a check reads."""
    names = (name.removesuffix(OR_REASON) for name in getattr(item, "reads", ()))
    return [SCENARIOS[name] for name in names if name in SCENARIOS]


def usual_order(item: pytest.Item) -> int:
    """Return the sort key of a check: early ones, others, those on the whole run."""
    if item.get_closest_marker("first"):
        return 0
    last = item.get_closest_marker("last")
    return 1 if last is None else 2 + sum(last.args)


class Schedule:
    """The scenarios that the checks of a run read, each with the first check that does."""

    def __init__(self, session: Session) -> None:
        self._session = session
        self._service = Api(session)
        self._check: dict[Scenario[Any], str] = {}

    def need(self, item: pytest.Item, check: str) -> None:
        """Note what a check reads."""
        for each in scenarios_of(item):
            if each.public or USER.label in self._session.credentials:
                self._check.setdefault(each, check)

    def run(self, item: pytest.Item) -> None:
        """Run the scenarios that a check names, and with the first that is parallel all others that are.

        Each keeps its result, or what it raised, for the checks.
        """
        due = [each for each in scenarios_of(item) if each in self._check]
        if any(each.parallel and each not in self._session.results.scenarios for each in due):
            with suppress(NotDecided, ConfigurationFault):
                self._run_parallel()
        for each in due:
            self._run(each)

    def _run_parallel(self) -> None:
        service, session = self._service, self._session
        with suppress(NotDecided):
            service.types()  # which several need
        if places(service) > session.target.budget.concurrency:  # all scenarios and the early request fit
            keep_early_request(service, USER)
        due = [each for each in self._check if each.parallel and each not in session.results.scenarios]
        session.parallel([partial(self._run, each) for each in due], at_most=places(service))

    def _run(self, each: Scenario[Any]) -> None:
        with suppress(Exception):
            each.result(self._service, self._check[each])
