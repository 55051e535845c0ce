"""How pytest runs the checks of a whole run: which ones, in which order, and what their reports mean for the run."""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Generator, Sequence
from itertools import zip_longest
from pathlib import Path
from types import TracebackType

import pytest

from conformance.model.errors import ConfigurationFault, NotDecided, RequirementViolated
from conformance.model.findings import CheckResult, Crashes
from conformance.model.requirements import all_testable
from conformance.model.verdict import Verdict
from conformance.runner import quiet_pytest
from conformance.runner.check_results import CheckResults
from conformance.runner.items import CHECKS, check_name, needs_a_user, place_of, requirement_of
from conformance.runner.options import Plan
from conformance.runner.progress import ProgressListener
from conformance.scenarios.schedule import usual_order
from conformance.trace.trace import Trace


def judge(trace: Trace, plan: Plan, *, seed: int, plugins: Sequence[object] = ()) -> CheckResults:
    """Have the checks of `plan` judge the trace of a run with this seed that is over; no call is made."""
    crashes, anonymous = Crashes(plan.selected()), trace.target.anonymous
    for each in trace.conditions.crashes:
        crashes.add(each)
    checks = Plugin(lambda _: trace, plan, crashes, ProgressListener(), seed=seed, anonymous=anonymous)
    checks.trace = trace
    checks.run(plugins)
    return checks


class Plugin(CheckResults):
    """Runs all checks but the deselected ones, on the trace that `trace_of` returns for them.

    A selection leaves out no check: the calls of any check may show that a selected requirement is violated.
    """

    def __init__(
        self,
        trace_of: Callable[[Sequence[pytest.Item]], Trace],
        plan: Plan,
        crashes: Crashes,
        progress: ProgressListener,
        *,
        seed: int,
        anonymous: bool,
    ) -> None:
        """In an anonymous run, the order of the checks within what their marks allow is one of the seed."""
        super().__init__(crashes)
        self.selected = plan.selected()
        self.deselected = plan.deselected()
        self.public = plan.public
        self.progress = progress
        self.not_loaded: dict[str, str] = {}
        """The traceback of each check file that could not be loaded."""
        self._trace_of = trace_of
        self._seed = seed if anonymous else None

    def run(self, plugins: Sequence[object] = ()) -> None:
        """Have pytest run the checks, with further plugins; raise ConfigurationFault if the selection leaves none."""
        code: int = pytest.ExitCode.INTERNAL_ERROR
        try:
            code = quiet_pytest.run([], [self, *plugins])
        except Exception as error:
            self.crashes.note(error, "the run of the checks", self.undecided)
        if code == pytest.ExitCode.NO_TESTS_COLLECTED and not self.crashes:
            raise ConfigurationFault(
                "The selection leaves no check to run in this profile. Widen --select, or use --profile full."
            )
        if code in (pytest.ExitCode.INTERNAL_ERROR, pytest.ExitCode.USAGE_ERROR) and not self.crashes:
            self.crashes.note_text(f"pytest ended with {code!r}", "the run of the checks", self.undecided)

    def pytest_drsi_run(self) -> Plugin:
        """Run the checks with this plugin, in place of one that options of pytest describe."""
        return self

    def pytest_configure(self, config: pytest.Config) -> None:
        """Have short tracebacks: the finding replaces pytest's own, which can take 50 ms."""
        config.option.tbstyle = "native"

    def pytest_collection_modifyitems(self, config: pytest.Config, items: list[pytest.Item]) -> None:
        """Keep the checks that may run, if one decides anything. The order is `first` checks, others, `last` checks."""
        self._blame_collection({requirement_of(item).id for item in items})
        wanted = [
            item
            for item in items
            if requirement_of(item).id not in self.deselected and not (self.public and needs_a_user(item))
        ]
        if self.selected.isdisjoint(requirement_of(item).id for item in wanted):
            wanted = []
        unwanted = [item for item in items if item not in wanted]
        unwanted_ids = self.deselected & all_testable() | {requirement_of(item).id for item in unwanted}
        self.left_out = {*unwanted_ids} - {requirement_of(item).id for item in wanted}
        if unwanted:
            config.hook.pytest_deselected(items=unwanted)
        items[:] = sorted(wanted, key=self._place)
        self.progress.planned([requirement_of(item).clause for item in items])

    def _place(self, item: pytest.Item) -> tuple[int, float, tuple[int, ...]]:
        """Return the sort key of a check."""
        if self._seed is None:
            return usual_order(item), 0.0, place_of(item)
        seeded = random.Random(f"{self._seed}/{check_name(item)}/place").random()
        return usual_order(item), seeded, place_of(item)

    def pytest_collectreport(self, report: pytest.CollectReport) -> None:
        """A check file that cannot be loaded is a crash that touches the requirements that it names."""
        if report.failed:
            self.not_loaded[report.nodeid] = str(report.longrepr)

    def _blame_collection(self, collected: set[str]) -> None:
        """Note each file that could not be loaded, with the requirements that it names or that nothing else decides."""
        for file, text in self.not_loaded.items():
            source = CHECKS / Path(file).name
            named = set(re.findall(r'"([^"\n]+)"', source.read_text("utf-8"))) if source.is_file() else set()
            self.crashes.note_text(text, file, self.selected & (named | self.selected - collected))

    def pytest_internalerror(self, excinfo: pytest.ExceptionInfo[BaseException]) -> None:
        """What pytest could not go on after touches everything that is not decided yet."""
        if isinstance(excinfo.value, Exception):
            self.crashes.note(excinfo.value, "the run of the checks", self.undecided)

    @property
    def undecided(self) -> frozenset[str]:
        """The selected requirements without any result."""
        return self.selected - self.left_out - {result.requirement.id for result in self.results}

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtestloop(self, session: pytest.Session) -> bool:
        """Run the checks in their order: of a run that was interrupted, those whose calls were made."""
        self.judge(self._trace_of(session.items), session.items)
        checks = [item for item in session.items if not (self.interrupted and check_name(item) in self.not_collected)]
        for item, following in zip_longest(checks, checks[1:]):
            item.config.hook.pytest_runtest_protocol(item=item, nextitem=following)
        return True

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_setup(self, item: pytest.Item) -> None:
        """Begin a check; raise NotDecided if the run had no time for its calls."""
        self.begin(item)

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_makereport(
        self, item: pytest.Item, call: pytest.CallInfo[None]
    ) -> Generator[None, pytest.TestReport, pytest.TestReport]:
        """Turn what a check raised, or did not raise, into its result."""
        error = call.excinfo.value if call.excinfo else None
        if isinstance(error, RequirementViolated | NotDecided) and error.__traceback__ is not None:
            call.excinfo = _where_it_was_said(error, error.__traceback__)
        report = yield
        result = self.take(item, call.when, error, report.duration)
        if result is not None:
            self._report(result)
        if result is not None and error is not None:
            report.longrepr = message = result.findings[0].message
            if not isinstance(error, RequirementViolated):
                report.outcome = "skipped"
                report.longrepr = (str(item.path), item.location[1] or 0, message)
        return report

    def _report(self, result: CheckResult) -> None:
        """Show the violations and alerts of a selected requirement at once."""
        for each in result.findings:
            accuses = each.alert or each.verdict in (Verdict.FAIL, Verdict.WARN)
            if accuses and result.requirement.id in self.selected:
                self.progress.found(result.requirement.id, each, each.message)


def _where_it_was_said(error: Exception, way: TracebackType) -> pytest.ExceptionInfo[BaseException]:
    """Return what pytest writes out of an exception: not the way to it, forty frames long and 4 ms for each."""
    while way.tb_next is not None:
        way = way.tb_next
    error.__suppress_context__ = True
    return pytest.ExceptionInfo.from_exc_info((type(error), error, way))
