"""A run of pytest on the checks: which ones run, in which order, and what each finds in the trace."""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Generator, Sequence

import pytest

from conformance.model.errors import ConfigurationFault
from conformance.model.findings import Crashes
from conformance.model.requirements import all_testable
from conformance.model.verdict import Verdict
from conformance.run.calls import usual_order
from conformance.run.check_runner import CheckRunner
from conformance.run.embedded_pytest import Checks, run_pytest
from conformance.run.items import RUN, check_name, needs_a_user, place_of, requirement_of
from conformance.run.plan import Plan
from conformance.run.progress import ProgressListener
from conformance.trace.trace import Trace

MakeCalls = Callable[[Sequence[pytest.Item]], Trace]
"""Makes the calls of some checks, which are in their order, and returns their trace."""


class ChecksByPytest(Checks, CheckRunner):
    """All checks but the deselected ones, and the plugin with which pytest runs them.

    A selection leaves out no check: the calls of any check may show that a selected requirement is violated.
    """

    def __init__(self, plan: Plan, crashes: Crashes, progress: ProgressListener, *, seed: int | None) -> None:
        """With a seed, the order of the checks within what their marks allow is one of the seed."""
        CheckRunner.__init__(self, crashes)
        self._selected = plan.selected()
        self._deselected = plan.deselected()
        self._public = plan.public
        self._progress = progress
        self._seed = seed
        self._calls: MakeCalls
        self._ended_by: BaseException | None = None
        """What ended the calls, or came before them."""

    def run(self, calls: MakeCalls) -> None:
        """Have pytest collect the checks, make the calls, and run the checks on their trace.

        Of a run that was interrupted, those checks run whose calls were made. Raise ConfigurationFault if none may run.
        """
        self._calls = calls
        code = run_pytest(self)
        if self._ended_by is not None:
            raise self._ended_by
        if code == pytest.ExitCode.INTERRUPTED:
            raise KeyboardInterrupt
        if code in (pytest.ExitCode.INTERNAL_ERROR, pytest.ExitCode.USAGE_ERROR) and not self.crashes:
            decided = {result.requirement.id for result in self.results}
            self.crashes.note_text(f"pytest ended with {code!r}", "the run of the checks", self._selected - decided)

    def pytest_configure(self, config: pytest.Config) -> None:
        """Let the checks be called by this run."""
        config.stash[RUN] = self

    def pytest_collectreport(self, report: pytest.CollectReport) -> None:
        """Note that a file could not be loaded: its checks might have decided any requirement."""
        if report.failed:
            self.crashes.note_text(str(report.longrepr), report.nodeid, self._selected)

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtestloop(self, session: pytest.Session) -> bool | None:
        """Make the calls before the first check judges."""
        try:
            items = self._wanted(session.items)
            self.judge(self._calls(items), items)
        except BaseException as error:  # pytest would take it for its own
            self._ended_by = error
            return True
        session.items = [each for each in items if not (self.interrupted and check_name(each) in self.not_called)]
        return None

    def _wanted(self, items: Sequence[pytest.Item]) -> list[pytest.Item]:
        """Return the checks that may run, if one decides anything: `first` checks, others, `last` checks."""
        ids = {requirement_of(item).id for item in items}
        wanted = [
            item
            for item in items
            if requirement_of(item).id not in self._deselected and not (self._public and needs_a_user(item))
        ]
        if self._selected.isdisjoint(requirement_of(item).id for item in wanted):
            wanted = []
        self.left_out = {*(self._deselected & all_testable()), *ids} - {requirement_of(item).id for item in wanted}
        if not wanted and not self.crashes:
            raise ConfigurationFault(
                "The selection leaves no check to run in this profile. Widen --select, or use --profile full."
            )
        wanted.sort(key=self._place)
        self._progress.planned([requirement_of(item).clause for item in wanted])
        return wanted

    def _place(self, item: pytest.Item) -> tuple[int, float, tuple[int, ...]]:
        """Return the sort key of a check."""
        if self._seed is None:
            return usual_order(item), 0.0, place_of(item)
        seeded = random.Random(f"{self._seed}/{check_name(item)}/place").random()
        return usual_order(item), seeded, place_of(item)

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_runtest_call(self, item: pytest.Item) -> Generator[None]:
        """Turn what a check raises, or does not raise, into its result, and show a violation or alert at once."""
        began, row = time.perf_counter(), requirement_of(item)
        raised: Exception | None = None
        try:
            yield
        except Exception as error:
            raised = error
        with self.crashes.noted("the run of the checks", [row.id]):
            result = self.take(item, raised, time.perf_counter() - began)
            for each in result.findings if result is not None and row.id in self._selected else ():
                if each.alert or each.verdict in (Verdict.FAIL, Verdict.WARN):
                    self._progress.found(row.id, each, each.message)
