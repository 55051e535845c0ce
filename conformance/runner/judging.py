"""The checks of a whole run: which ones, in which order, and what each finds in the trace."""

from __future__ import annotations

import random
import re
import time
from collections.abc import Generator
from pathlib import Path

import pytest

from conformance.model.errors import ConfigurationFault
from conformance.model.findings import CheckResult, Crashes
from conformance.model.requirements import all_testable
from conformance.model.verdict import Verdict
from conformance.runner.all_checks import Checks, collected, run_pytest
from conformance.runner.check_results import CheckResults
from conformance.runner.items import CHECKS, RUN, check_name, needs_a_user, place_of, requirement_of
from conformance.runner.options import Plan
from conformance.runner.progress import ProgressListener
from conformance.scenarios.schedule import usual_order
from conformance.trace.trace import Trace


def judge(trace: Trace, plan: Plan, *, seed: int) -> CheckResults:
    """Have the checks of `plan` judge the trace of a run with this seed that is over; no call is made."""
    crashes = Crashes(plan.selected())
    for each in trace.conditions.crashes:
        crashes.add(each)
    checks = Judging(plan, crashes, ProgressListener(), seed=seed if trace.target.anonymous else None)
    checks.select()
    checks.run(trace)
    return checks


class Judging(Checks, CheckResults):
    """All checks but the deselected ones, and the plugin with which pytest runs them.

    A selection leaves out no check: the calls of any check may show that a selected requirement is violated.
    """

    def __init__(self, plan: Plan, crashes: Crashes, progress: ProgressListener, *, seed: int | None) -> None:
        """With a seed, the order of the checks within what their marks allow is one of the seed."""
        CheckResults.__init__(self, crashes)
        self.items: list[pytest.Function] = []
        self._selected = plan.selected()
        self._deselected = plan.deselected()
        self._public = plan.public
        self._progress = progress
        self._seed = seed

    def select(self) -> None:
        """Collect the checks that may run, if one decides anything; raise ConfigurationFault if none may.

        The order is `first` checks, others, `last` checks.
        """
        found = collected()
        ids = {requirement_of(item).id for item in found.checks}
        for file, text in found.not_loaded.items():
            self._note_not_loaded(file, text, self._selected - ids)
        if found.trouble:
            self.crashes.note_text(found.trouble, "the collection of the checks", self._selected)
        wanted = [
            item
            for item in found.checks
            if requirement_of(item).id not in self._deselected and not (self._public and needs_a_user(item))
        ]
        if self._selected.isdisjoint(requirement_of(item).id for item in wanted):
            wanted = []
        self.left_out = {*(self._deselected & all_testable()), *ids} - {requirement_of(item).id for item in wanted}
        if not wanted and not self.crashes:
            raise ConfigurationFault(
                "The selection leaves no check to run in this profile. Widen --select, or use --profile full."
            )
        self.items = sorted(wanted, key=self._place)
        self._progress.planned([requirement_of(item).clause for item in self.items])

    def _note_not_loaded(self, file: str, text: str, without_check: frozenset[str]) -> None:
        """Note a file that could not be loaded, with the requirements that it names or that nothing else decides."""
        source = CHECKS / Path(file).name
        named = set(re.findall(r'"([^"\n]+)"', source.read_text("utf-8"))) if source.is_file() else set()
        self.crashes.note_text(text, file, self._selected & (named | without_check))

    def _place(self, item: pytest.Function) -> tuple[int, float, tuple[int, ...]]:
        """Return the sort key of a check."""
        if self._seed is None:
            return usual_order(item), 0.0, place_of(item)
        seeded = random.Random(f"{self._seed}/{check_name(item)}/place").random()
        return usual_order(item), seeded, place_of(item)

    def run(self, trace: Trace) -> None:
        """Have pytest run the checks on a trace: of a run that was interrupted, those whose calls were made."""
        self.judge(trace, self.items)
        code = run_pytest(self)
        if code == pytest.ExitCode.INTERRUPTED:
            raise KeyboardInterrupt
        if code in (pytest.ExitCode.INTERNAL_ERROR, pytest.ExitCode.USAGE_ERROR) and not self.crashes:
            decided = {result.requirement.id for result in self.results}
            self.crashes.note_text(f"pytest ended with {code!r}", "the run of the checks", self._selected - decided)

    def pytest_configure(self, config: pytest.Config) -> None:
        """Let the checks be called by this run."""
        config.stash[RUN] = self

    def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> None:
        """Keep the checks of the run, in their order."""
        found = {check_name(item): item for item in items}
        names = [check_name(item) for item in self.items]
        items[:] = [found[name] for name in names if not (self.interrupted and name in self.not_collected)]

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_call(self, item: pytest.Function) -> Generator[None]:
        """Turn what a check raises, or does not raise, into its result."""
        began = time.perf_counter()
        raised: Exception | None = None
        try:
            self.begin(item)
            yield
        except Exception as error:
            raised = error
        with self.crashes.noted("the run of the checks", [requirement_of(item).id]):
            result = self.take(item, raised, time.perf_counter() - began)
            if result is not None:
                self._show(result)

    def _show(self, result: CheckResult) -> None:
        """Show the violations and alerts of a selected requirement at once."""
        for each in result.findings:
            accuses = each.alert or each.verdict in (Verdict.FAIL, Verdict.WARN)
            if accuses and result.requirement.id in self._selected:
                self._progress.found(result.requirement.id, each, each.message)
