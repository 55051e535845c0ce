"""The checks of a run: which ones judge, in which order, and what each finds in the trace."""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Sequence

import pytest

from conformance.model.errors import ConfigurationFault
from conformance.model.findings import Crashes
from conformance.model.requirements import all_testable
from conformance.model.verdict import Verdict
from conformance.run.all_checks import collection
from conformance.run.calls import usual_order
from conformance.run.check_runner import CheckRunner
from conformance.run.items import check_name, needs_a_user, place_of, requirement_of
from conformance.run.plan import Plan
from conformance.run.progress import ProgressListener
from conformance.trace.trace import Trace

MakeCalls = Callable[[Sequence[pytest.Function]], Trace]
"""Makes the calls of some checks, which are in their order, and returns their trace."""


class ChosenChecks(CheckRunner):
    """All checks but the deselected ones, each called once.

    A selection leaves out no check: the calls of any check may show that a selected requirement is violated.
    """

    def __init__(self, plan: Plan, crashes: Crashes, progress: ProgressListener, *, seed: int | None) -> None:
        """With a seed, the order of the checks within what their marks allow is one of the seed."""
        super().__init__(crashes)
        self._selected = plan.selected()
        self._deselected = plan.deselected()
        self._public = plan.public
        self._progress = progress
        self._seed = seed

    def run(self, calls: MakeCalls) -> None:
        """Have the calls made, and run the checks on their trace.

        Of a run that was interrupted, those checks run whose calls were made. Raise ConfigurationFault if none may run.
        """
        found = collection()
        for where, text in found.failures:
            self.crashes.note_text(text, where, self._selected)
        checks = self._wanted(found.checks)
        self.judge(calls(checks), checks)
        for check in checks:
            if not (self.interrupted and check_name(check) in self.not_called):
                self._run(check)

    def _wanted(self, checks: Sequence[pytest.Function]) -> list[pytest.Function]:
        """Return the checks that may run, if one decides anything: `first` checks, others, `last` checks."""
        ids = {requirement_of(each).id for each in checks}
        wanted = [
            each
            for each in checks
            if requirement_of(each).id not in self._deselected and not (self._public and needs_a_user(each))
        ]
        if self._selected.isdisjoint(requirement_of(each).id for each in wanted):
            wanted = []
        self.left_out = {*(self._deselected & all_testable()), *ids} - {requirement_of(each).id for each in wanted}
        if not wanted and not self.crashes:
            raise ConfigurationFault(
                "The selection leaves no check to run in this profile. Widen --select, or use --profile full."
            )
        wanted.sort(key=self._place)
        self._progress.planned([requirement_of(each).clause for each in wanted])
        return wanted

    def _place(self, check: pytest.Function) -> tuple[int, float, tuple[int, ...]]:
        """Return the sort key of a check."""
        if self._seed is None:
            return usual_order(check), 0.0, place_of(check)
        seeded = random.Random(f"{self._seed}/{check_name(check)}/place").random()
        return usual_order(check), seeded, place_of(check)

    def _run(self, check: pytest.Function) -> None:
        """Turn what a check raises, or does not raise, into its result, and show a violation or alert at once."""
        began, row = time.perf_counter(), requirement_of(check)
        raised: Exception | None = None
        try:
            self.call(check)
        except Exception as error:
            raised = error
        with self.crashes.noted("the run of the checks", [row.id]):
            result = self.take(check, raised, time.perf_counter() - began)
            for each in result.findings if result is not None and row.id in self._selected else ():
                if each.alert or each.verdict in (Verdict.FAIL, Verdict.WARN):
                    self._progress.found(row.id, each, each.message)
