"""A run of the checks in the user's own pytest: each check is a test like others, and the account is left clean."""

from __future__ import annotations

import time
from collections.abc import Generator, Sequence
from typing import Any, Final

import pytest

from conformance.cli.options import Options
from conformance.http.session import Session
from conformance.model.errors import RequirementViolated
from conformance.model.exchange import Exchange
from conformance.model.findings import CheckResult, Crashes, Finding
from conformance.model.verdict import Verdict
from conformance.pytest_plugin import RequirementWarning, failure_text
from conformance.pytest_plugin.interrupts import Interrupts
from conformance.reports import summary
from conformance.rules.verdicts import explained_so_far
from conformance.runner.check_results import CheckResults
from conformance.runner.items import CheckModule, requirement_of
from conformance.runner.run import Plan, Run, clean_up, concluded
from conformance.scenarios.schedule import usual_order

_RESULT: Final = pytest.StashKey[CheckResult]()
"""Where a check keeps its result."""

_TITLE: Final = "Data Request Service Interface"


def is_check(item: pytest.Item) -> bool:
    """Tell whether a test is one of the checks."""
    return isinstance(item.parent, CheckModule)


class PlainRun(CheckResults):
    """Gives each check the outcome that pytest has for its verdict.

    A failed `must` fails, a `should` that is not met warns, and what is not applicable or inconclusive is skipped.
    Scenarios run when the first check reads them.
    """

    def __init__(self, session: Session, options: Options) -> None:
        super().__init__(session, Crashes())
        self._options = options
        self._started = session.clock.now()
        self._interrupts = Interrupts(session)
        self._undecided: dict[str, str] = {}
        """Why a `must` was not decided, by its id."""
        self._deselected: list[pytest.Item] = []
        self.run: Run | None = None
        """The whole result, once the run is over."""

    def pytest_sessionstart(self) -> None:
        """From here on, Ctrl-C ends the run in order."""
        self._interrupts.listen()

    def pytest_itemcollected(self, item: pytest.Item) -> None:
        """Let -k and -m select a check by the id and the level of its requirement."""
        if is_check(item):
            row = requirement_of(item)
            item.extra_keyword_matches.add(row.id)
            item.add_marker(row.level.value)

    def pytest_deselected(self, items: Sequence[pytest.Item]) -> None:
        """Remember what other plugins leave out."""
        self._deselected += filter(is_check, items)

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> Generator[None]:
        """Keep `first` checks before the others and `last` checks behind them, in whatever order plugins put them."""
        yield
        ordered = iter(sorted(filter(is_check, items), key=usual_order))
        items[:] = [next(ordered) if is_check(item) else item for item in items]

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_runtest_setup(self, item: pytest.Item) -> Generator[None]:
        """Attribute the following exchanges to this check, and translate what its fixtures raise."""
        if not is_check(item):
            return (yield)
        self._interrupts.raise_if_stopped()
        self.begin(item)
        return (yield from self._phase(item, "setup"))

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_runtest_call(self, item: pytest.Item) -> Generator[None]:
        """Translate what the check raises."""
        if not is_check(item):
            return (yield)
        self.begin_body()
        return (yield from self._phase(item, "call"))

    def _phase(self, item: pytest.Item, when: str) -> Generator[None]:
        began = time.perf_counter()
        raised: Exception | None = None
        try:
            yield
        except Exception as error:
            raised = error
        result = self.take(item, when, raised, time.perf_counter() - began)
        if result is not None:
            item.stash[_RESULT] = result
            self._answer(item, result, raised, when)
        elif raised is not None:
            raise raised

    def _answer(self, item: pytest.Item, result: CheckResult, raised: Exception | None, when: str) -> None:
        """Raise what pytest understands in place of `raised`, or warn."""
        row = result.requirement
        for finding in result.findings[0 if raised is None else 1 :]:
            if finding.alert:
                self._warn(item, result, finding)
        if raised is None:
            return
        finding = result.findings[0]
        if isinstance(raised, RequirementViolated):
            finding = explained_so_far(finding, row, self.results, self.session.record.in_order())
        match finding.verdict:
            case Verdict.FAIL:
                raised.args = (self._text(row, finding),)
                raise raised
            case Verdict.WARN:
                self._warn(item, result, finding)
            case Verdict.INCONCLUSIVE | Verdict.NOT_APPLICABLE:
                raise pytest.skip.Exception(self._clean(failure_text.reason(finding)))
        if when == "setup":
            raise pytest.skip.Exception("A fixture of this check raised the warning above.")

    def _warn(self, item: pytest.Item, result: CheckResult, finding: Finding[Exchange]) -> None:
        item.warn(RequirementWarning(self._text(result.requirement, finding)))

    def _text(self, row: Any, finding: Finding[Exchange]) -> str:
        return self._clean(failure_text.text(row, finding))

    def _clean(self, text: str) -> str:
        return self.session.secrets.text(text)

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_runtest_makereport(
        self, item: pytest.Item, call: pytest.CallInfo[None]
    ) -> Generator[None, pytest.TestReport, pytest.TestReport]:
        """Name the requirement, the verdict and the finding in the properties of the report, without secrets."""
        report = yield
        if not is_check(item):
            return report
        if report.skipped and call.excinfo is not None and not hasattr(report, "wasxfail"):
            # The place of a skip is the check, not the line of this file that raises it.
            report.longrepr = (str(item.path), (item.location[1] or 0) + 1, str(call.excinfo.value))
        return report

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_teardown(self, item: pytest.Item) -> Generator[None]:
        """Leave the account as the check found it."""
        try:
            return (yield)
        finally:
            if is_check(item):
                self.end()
                self._interrupts.raise_if_stopped()

    def pytest_keyboard_interrupt(self) -> None:
        """Remember that the run was not finished."""
        self.interrupted = True

    @pytest.hookimpl(tryfirst=True)
    def pytest_sessionfinish(self) -> None:
        """Delete what the run created, and judge the whole of it; a run that shows nothing is never green."""
        if not self.results and not len(self.session.record):
            return
        self._conclude()

    def _conclude(self) -> Run:
        if self.run is None:
            clean_up(self.session, self)
            plan = Plan(options=self._options.recorded())
            selected = frozenset(result.requirement.id for result in self.results)
            self.run = concluded(self.session, plan, self, selected, started=self._started)
        return self.run

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        """Print the requirements in numbers, and what a selection does not show."""
        if self.run is None:
            return
        report = self.run.data
        terminalreporter.section(_TITLE)
        for sentence in (summary.numbers_sentence(report), summary.traffic_sentence(report)):
            terminalreporter.line(sentence)

    def pytest_unconfigure(self) -> None:
        """Give back Ctrl-C, and close the connections."""
        self._interrupts.ignore()
        self.session.close()
