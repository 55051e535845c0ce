"""The calls of a run. They are all made, and the account is clean, before the first check judges.

A check names scenarios as its arguments, and makes no call. `Calls` goes through the checks in their order and
runs the scenarios that each of them is the first to name. What a scenario returned, or what ended it, is part
of the trace, which holds what the evidence will hold and nothing else.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress
from functools import cached_property, partial
from typing import Any

import pytest

from conformance.http.creations import cleanup
from conformance.http.creations.journal import CLEAN_UP
from conformance.http.session import Session
from conformance.model.errors import ConfigurationFault, NotDecided
from conformance.model.exchange import LEFT, Exchange, state_of
from conformance.model.findings import Crashes
from conformance.model.formats import is_uuid
from conformance.model.identity import USER, Identity
from conformance.run.items import check_name, requirement_of
from conformance.run.progress import ProgressListener
from conformance.run.recorded_trace import trace_of_run
from conformance.scenarios.api import Api
from conformance.scenarios.completion import completion
from conformance.scenarios.limit import keep_early_request, places
from conformance.scenarios.registry import OR_REASON, SCENARIOS, Scenario
from conformance.trace.trace import Trace


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


class Calls:
    """Makes the calls that the selected checks need, and says where they ended."""

    def __init__(
        self,
        session: Session,
        crashes: Crashes,
        progress: ProgressListener,
        before_clean_up: Callable[[], None] = lambda: None,
        *,
        leaves: bool = False,
        explain: Callable[[Sequence[Exchange]], object] = lambda _: None,
    ) -> None:
        """`before_clean_up` is called once the other calls are over, also where they were interrupted.

        With `leaves`, a request stays at the service for a later run. `explain` adds to the exchanges what the code of
        the service raised.
        """
        self.session = session
        self.crashes = crashes
        self.ended_before = "the calls"
        """The first check whose calls were not all made: no time was left, or the run was interrupted."""
        self.interrupted = False
        self.is_over = False
        """Whether the clean-up has begun, which is made once: what interrupts it ends it."""
        self._first: dict[Scenario[Any], str] = {}
        """The scenarios that the checks read, each with the first check that does."""
        self._leaves = leaves
        self._explain = explain
        self._progress = progress
        self._before_clean_up = before_clean_up

    def make(self, checks: Sequence[pytest.Item]) -> Trace:
        """Make the calls, delete what they created, and return their trace; a KeyboardInterrupt ends one of the two."""
        try:
            self._call(checks)
            self._look_again()
            self._leave()
        except KeyboardInterrupt:
            self.interrupted = True
        finally:
            self.clean_up()
        return self.trace

    def _call(self, checks: Sequence[pytest.Item]) -> None:
        """Run the scenarios in the order of the checks, until no time is left for another check."""
        for check in checks:
            for each in scenarios_of(check):
                if each.public or USER.label in self.session.credentials:
                    self._first.setdefault(each, check_name(check))
        if self.session.results.left_creation is not None:
            # What an earlier run left goes first: it may take a place that other calls need.
            checks = sorted(checks, key=lambda each: completion not in scenarios_of(each))
        for check in checks:
            row, name = requirement_of(check), check_name(check)
            self.ended_before = name
            if self.session.clock.is_over():
                return
            self._progress.at(row.clause, name)
            for step in (partial(self._run_scenarios_of, check), self.session.clean_up):
                with self.session.attributed_to(name), suppress(ConfigurationFault), self.crashes.noted(name, [row.id]):
                    step()
            self._progress.done(row.clause)
        self.ended_before = ""

    def _run_scenarios_of(self, check: pytest.Item) -> None:
        """Run the scenarios that a check names, and with the first that runs beside others all of these.

        Each keeps its result, or what it raised, for the checks.
        """
        due = [each for each in scenarios_of(check) if each in self._first]
        if any(each.beside_others and each not in self.session.results.scenarios for each in due):
            with suppress(NotDecided, ConfigurationFault):
                self._run_beside_each_other()
        for each in due:
            self._run(each)

    def _run_beside_each_other(self) -> None:
        service, session = Api(self.session), self.session
        with suppress(NotDecided):
            service.types()  # which several need
        if places(service) > session.target.budget.concurrency:  # all scenarios and the early request fit
            keep_early_request(service, USER)
        due = [each for each in self._first if each.beside_others and each not in session.results.scenarios]
        session.parallel([partial(self._run, each) for each in due], at_most=places(service))

    def _run(self, each: Scenario[Any]) -> None:
        with suppress(Exception):
            each.result(Api(self.session), self._first[each])

    def _look_again(self) -> None:
        """Request the data types and the settings once more: what they no longer show did not hold all the time."""
        name, service, results = "the last look at the service", Api(self.session), self.session.results
        looks = ((results.types, service.types_now), (results.settings, service.settings_now))
        for ask in (ask for known, ask in looks if known is not None):
            with self.crashes.noted(name), suppress(ConfigurationFault, NotDecided), self.session.attributed_to(name):
                ask()

    def _leave(self) -> None:
        """Read the request of an earlier run that stays at the service, or create one that does."""
        session, name, service = self.session, "the data request that stays", Api(self.session)
        if self.ended_before:
            return
        with self.crashes.noted(name), suppress(ConfigurationFault, NotDecided), session.attributed_to(name):
            if (left := session.journal.left) is not None:  # still in progress, so that it took a place all the time
                service.read(left, Identity(session.journal.live[left]), request=LEFT, open=True)
            elif self._leaves:
                session.clean_up(insist=True)
                made = service.create()
                if is_uuid(made.request_id) and state_of(service.read(made.request_id)) is False:
                    session.journal.leave(made.request_id, made.owner.label)

    def clean_up(self) -> None:
        """End the calls and delete what they created, once."""
        if self.is_over:
            return
        self._before_clean_up()
        self.interrupted |= self.session.clock.stopped
        self.session.clock.cleaning = True
        self.is_over = True
        try:
            with self.session.attributed_to(CLEAN_UP), self.crashes.noted("the clean-up"):
                self.session.clean_up(insist=True)
                if not self.interrupted:
                    cleanup.verify_deletions(self.session)
        except KeyboardInterrupt:
            self.interrupted = True

    @cached_property
    def trace(self) -> Trace:
        """The trace of the run, once its calls are over."""
        with self.crashes.noted("the exceptions of the application"):
            self._explain(self.session.record.in_order())
        return trace_of_run(self.session, self.crashes, ended_before=self.ended_before, interrupted=self.interrupted)
