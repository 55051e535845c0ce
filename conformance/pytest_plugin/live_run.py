"""A run against a service in the user's own pytest: its calls are made when the first check is set up."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import nullcontext

import pytest

from conformance.http import alarms
from conformance.http.session import Session
from conformance.model.errors import NotDecided
from conformance.model.exchange import Superseded
from conformance.model.text import count
from conformance.model.verdict import Blame
from conformance.pytest_plugin.conclusion import Conclusion
from conformance.pytest_plugin.interrupts import ending_calls
from conformance.pytest_plugin.output import Output
from conformance.pytest_plugin.plain_run import PlainRun, in_order
from conformance.run.collect import Collection
from conformance.run.conclusion import Frame
from conformance.run.explanations import explained
from conformance.run.items import check_name, is_check
from conformance.run.options import Plan
from conformance.run.preflight import Look, look
from conformance.run.progress import ProgressListener


class LiveRun(PlainRun):
    """Makes the calls of all selected checks, and leaves the account clean, before the first check judges."""

    def __init__(self, session: Session, plan: Plan, output: Output | None = None) -> None:
        super().__init__(plan, session.clock.now(), output)
        self.session = session
        self.redactor = session.secrets.redactor
        self._collection = Collection(session, self.crashes, ProgressListener(), explain=plan.explain)
        self._is_collected = False
        self._seen = Look()
        self._not_called: NotDecided | None = None
        """Why the calls of the checks in `not_collected` were not made, if time is not the reason."""
        self._say: Callable[[str], object] = str
        """Shows a line on the terminal."""
        self.close = session.close

    def frame(self) -> Frame:
        """Return what the report states beside what follows from the trace."""
        return Frame.of(self.session, self.plan, started=self._started, seen=self._seen)

    def call(self, item: pytest.Function) -> None:
        """Call a check, after the calls of all; raise NotDecided or KeyboardInterrupt if its own were not made."""
        if not self._is_collected:
            self._is_collected = True
            with ending_calls(self.session, self._say):
                self._collect(in_order(item.session.items))
        if check_name(item) in self.not_collected:
            self._raise_if_interrupted()
            if self._not_called is not None:
                raise self._not_called
        super().call(item)

    def _collect(self, checks: list[pytest.Item]) -> None:
        """Make the calls of the checks, if the service is reached under its address, and have them judge the trace."""
        self._seen = look(self.session, needs_token=False)
        if self._seen.obstacle is not None:
            for each in self.session.record.in_order():
                each.supersede(Superseded.UNAVAILABLE)  # no rule judges it
            self.judge(self._collection.collect([]), checks)
            self.not_collected = frozenset(map(check_name, checks))
            problem = explained(self._seen.obstacle, self.session)
            self._not_called = NotDecided(problem.message, blame=problem.blame, remedy=problem.remedy)
            return
        try:
            with alarms.postponed(self.session.stop):
                self.judge(self._collection.collect(checks), checks)
        except pytest.fail.Exception as error:  # a time limit, which ends one test
            self._not_called = NotDecided(
                f"The calls for this ended early, in the first test: {error}",
                blame=Blame.CONFIGURATION,
                remedy="Raise the time limit of the tests, or leave it out for the checks.",
            )
            raise

    def _raise_if_interrupted(self) -> None:
        if self._not_called is None and self.interrupted:
            raise KeyboardInterrupt

    @pytest.hookimpl(tryfirst=True)
    def pytest_sessionstart(self, session: pytest.Session) -> None:
        """Learn how a line is shown on the terminal."""
        plugin = session.config.pluginmanager.get_plugin
        terminal, capture = plugin("terminalreporter"), plugin("capturemanager")

        def say(line: str) -> None:
            if terminal is not None:
                with nullcontext() if capture is None else capture.global_and_fixture_disabled():
                    terminal.write(f"\n{line}\n", flush=True)

        self._say = say

    @pytest.hookimpl(specname="pytest_runtest_protocol", tryfirst=True)
    def pytest_runtest_protocol_begins(self, item: pytest.Item) -> None:
        """Show that the first check makes the calls of all."""
        if is_check(item) and not self._is_collected and item.config.get_verbosity() >= 0:
            self._say(f"Making the calls of {count(sum(map(is_check, item.session.items)), 'check')}")

    @pytest.hookimpl(specname="pytest_runtest_setup", tryfirst=True)
    def pytest_runtest_setup_of_others(self, item: pytest.Item) -> None:
        """End the tests of the user after an interrupt."""
        if not is_check(item):
            self._raise_if_interrupted()

    def conclude(self) -> Conclusion:
        """Delete what the run created, and judge the whole of it, once."""
        self.sought = self.session.secrets.sought
        self._collection.clean_up()
        self.trace = self._collection.trace
        return super().conclude()

    @pytest.hookimpl(tryfirst=True)
    def pytest_sessionfinish(self, session: pytest.Session) -> None:
        """Conclude the run, also after Ctrl-C. A run that shows less than it seems to is never green."""
        if self.results or len(self.session.record):
            self.end(session, self.conclude())
