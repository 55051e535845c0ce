"""A run of the checks in the user's own pytest: each check is a test like others."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Generator, Iterable
from datetime import datetime
from typing import Final

import pytest

from conformance.http.secrets.redaction import Redactor
from conformance.judge import guards
from conformance.judge.waivers import covering
from conformance.model.errors import RequirementViolated
from conformance.model.exchange import Exchange
from conformance.model.findings import CheckResult, Crashes, Finding
from conformance.model.requirements import Requirement
from conformance.model.sets import scored
from conformance.model.verdict import Verdict
from conformance.pytest_plugin import failure_text, test_reports
from conformance.pytest_plugin.conclusion import Conclusion, concluded_run
from conformance.pytest_plugin.output import Output
from conformance.pytest_plugin.requirement_warning import RequirementWarning
from conformance.reports.again import to_start
from conformance.run.check_results import CheckResults
from conformance.run.collect import usual_order
from conformance.run.conclusion import Frame
from conformance.run.items import is_check, place_of
from conformance.run.options import Plan

_WAIVED: Final = pytest.StashKey[str]()
"""Why the failure of a check is expected."""


class PlainRun(CheckResults, ABC):
    """Gives each check the outcome that pytest has for its verdict.

    A failed `must` fails, a `should` that is not met warns, and what is not applicable or inconclusive is skipped.
    """

    def __init__(self, plan: Plan, started: datetime, output: Output | None = None) -> None:
        super().__init__(Crashes())
        self.plan = plan
        self.output = output
        self.conclusion: Conclusion | None = None
        """The result of the whole run, once it is over."""
        self.failed: set[str] = set()
        """The requirements of which a test has failed."""
        self.redactor = Redactor([])
        """Removes secrets from texts; what is recorded has none."""
        self.sought: list[tuple[str, str]] = []
        """The tokens that no file may contain, with their labels."""
        self.close: Callable[[], None] = lambda: None
        """Closes what the run has opened."""
        self._scored = scored(plan.set.name)
        self._started = started

    @abstractmethod
    def frame(self) -> Frame:
        """Return what the report states beside what follows from the trace."""

    def answer(self, item: pytest.Item, result: CheckResult | None, raised: Exception | None) -> None:
        """Raise what pytest understands in place of `raised`, or warn."""
        if result is None:
            raise raised or AssertionError("the suite crashed")
        row = result.requirement
        finding = result.findings[0] if raised is not None else None
        if finding is not None and isinstance(raised, RequirementViolated):
            finding = guards.explained(finding, row, self.trace.facts)
        verdict = result.verdict if finding is None else finding.verdict
        test_reports.describe(item, row, verdict, finding, start=self.start, without_secrets=self.clean)
        for alert in (each for each in result.findings if each.alert and row.id in self._scored):
            item.warn(self.warning(row, alert))
        if finding is not None and raised is not None:
            self.end_test(item, row, finding, raised)

    def end_test(self, item: pytest.Item, row: Requirement, finding: Finding[Exchange], raised: Exception) -> None:
        """Give a test the outcome of a finding: raise `raised` or the exception of a skip, or warn."""
        if row.id not in self._scored:
            raise pytest.skip.Exception(self.clean(f"unscored: {failure_text.reason(row, finding)}"))
        match finding.verdict:
            case Verdict.FAIL:
                waiver = next(iter(covering(self.plan.waivers, row.id, finding.message, self._started.date())), None)
                if waiver is None:
                    self.failed.add(row.id)
                else:
                    item.stash[_WAIVED] = f"{waiver.reason} ({waiver.owner}, until {waiver.expires})"
                raised.args = (self.clean(failure_text.text(row, finding, self.start)),)
                raise raised
            case Verdict.WARN:
                item.warn(self.warning(row, finding))
            case Verdict.INCONCLUSIVE | Verdict.NOT_APPLICABLE:
                raise pytest.skip.Exception(self.clean(failure_text.reason(row, finding)))

    def warning(self, row: Requirement, finding: Finding[Exchange]) -> RequirementWarning:
        """Return the warning for a finding that is no failure."""
        return RequirementWarning(self.clean(failure_text.text(row, finding, self.start)))

    @property
    def start(self) -> str:
        """What serves again the application that the run served itself; empty for a service."""
        return to_start(self.plan.options, self.trace.target.base_url)

    def clean(self, text: str) -> str:
        """Return a text without tokens and personal values."""
        return self.redactor.text(text)

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_runtest_makereport(
        self, item: pytest.Item, call: pytest.CallInfo[None]
    ) -> Generator[None, pytest.TestReport, pytest.TestReport]:
        """Take the secrets out of the report of a check, and mark a waived failure as an expected one."""
        report = yield
        if is_check(item):
            reason = item.stash.get(_WAIVED, "")
            if reason and report.failed:
                report.outcome, report.wasxfail = "skipped", reason
            test_reports.finish(report, item, call, self.clean)
        return report

    def pytest_keyboard_interrupt(self) -> None:
        """Remember that the run was not finished."""
        self.interrupted = True

    def conclude(self) -> Conclusion:
        """Judge the whole of the run, once."""
        if self.conclusion is None:
            self.conclusion = concluded_run(self, self.plan, self.frame(), self.redactor, self.failed)
        return self.conclusion

    @pytest.hookimpl(tryfirst=True)
    def pytest_sessionfinish(self, session: pytest.Session) -> None:
        """Conclude the run, also after Ctrl-C. A run that shows less than it seems to is never green."""
        if any(map(is_check, session.items)):
            self.end(session, self.conclude())

    def end(self, session: pytest.Session, conclusion: Conclusion) -> None:
        """Write the files, and let the session fail where the conclusion says so, or where they cannot be written."""
        if self.output is not None:
            self.output.write(conclusion.documents, self.sought)
        red = conclusion.reasons or (self.output is not None and self.output.trouble)
        if red and session.exitstatus == pytest.ExitCode.OK:
            session.exitstatus = pytest.ExitCode.TESTS_FAILED

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        """Print the requirements in numbers, and what a selection does not show."""
        if self.conclusion is not None:
            terminalreporter.section("Data Request Service Interface")
            for line in (*self.conclusion.lines(), *(self.output.lines() if self.output is not None else ())):
                terminalreporter.line(line)

    def pytest_unconfigure(self) -> None:
        """Close what the run has opened."""
        self.close()


def in_order(items: Iterable[pytest.Item]) -> list[pytest.Item]:
    """Return the checks among the items in the order in which a run makes their calls, whatever a plugin made of it."""
    return sorted(filter(is_check, items), key=lambda item: (usual_order(item), place_of(item)))
