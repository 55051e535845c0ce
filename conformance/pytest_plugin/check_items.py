"""The checks of the suite in the user's own pytest: one run, and each check has the outcome of its requirement."""

from __future__ import annotations

from collections.abc import Generator, Iterator
from typing import Any

import pytest

from conformance.cli.cleanup import cleanup_words
from conformance.model.errors import RequirementViolated
from conformance.model.exchange import Exchange
from conformance.model.findings import Crashes
from conformance.model.printable import printable
from conformance.pytest_plugin.options import run_of_checks
from conformance.pytest_plugin.runs import OwnRun, RowOfRun, asked, run_for
from conformance.pytest_plugin.settings import in_own_words
from conformance.reports import again, exchange_text, outcome, summary
from conformance.run.check_runner import CheckRunner
from conformance.run.items import is_check, requirement_of


class CheckItems:
    """Makes the run of all selected checks, or loads it, before the first of them is called."""

    def __init__(self, session: pytest.Session) -> None:
        """Prepare the run that the options describe; raise pytest.UsageError for a wrong one."""
        self._only = asked(requirement_of(item).id for item in session.items if is_check(item))
        self._prepared = run_of_checks(session.config)
        self._run: OwnRun | None = None

    @pytest.hookimpl(trylast=True)
    def pytest_runtest_setup(self, item: pytest.Item) -> None:
        """Make the run; fixtures of the user may have started the service."""
        if is_check(item) and self._run is None:
            self._run = run_for(item.session, self, lambda: self._prepared.made(self._only))
        if self._run is not None and self._run.documents.run.interrupted:
            raise KeyboardInterrupt

    def call(self, item: pytest.Function) -> None:
        """Give a check its outcome; a failure is raised by the check itself, where --pdb stops."""
        __tracebackhide__ = True
        assert self._run is not None
        try:
            RowOfRun(requirement_of(item).id, self._run, item).judge()
        except pytest.xfail.Exception:  # a kind of failure for pytest
            raise
        except pytest.fail.Exception as failure:
            checks = CheckRunner(Crashes())
            checks.trace = self._run.documents.run.trace
            try:
                checks.call(item)
            except RequirementViolated as violated:
                violated.args = (failure.msg,)
                raise violated from None
            except Exception:  # noqa: S110 another check of the requirement, or an exchange, shows the violation
                pass
            raise

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_runtest_makereport(
        self, item: pytest.Item, call: pytest.CallInfo[None]
    ) -> Generator[None, pytest.TestReport, pytest.TestReport]:
        """Take secrets and control characters out of the report of a check, and add its exchanges to the HTML page."""
        report = yield
        if is_check(item) and self._run is not None:
            report.longrepr = self._clean(report.longrepr)
            report.sections = [(name, self._clean(text)) for name, text in report.sections]
            if call.excinfo is not None and getattr(item.config.option, "htmlpath", None):
                from pytest_html import extras  # type: ignore[import-untyped]

                shown = RowOfRun(requirement_of(item).id, self._run, item).exchanges
                text = self._clean("\n".join(_exchanges(shown)))
                report.extras = [*getattr(report, "extras", []), extras.text(text, name="exchanges")]  # type: ignore[attr-defined]
        return report

    def _clean(self, value: Any) -> Any:
        """Return a text or list without secrets; take them out of the representation of a traceback in place."""
        assert self._run is not None
        if isinstance(value, str):
            return printable(self._run.documents.run.redactor.text(value), keep="\n\t")
        if isinstance(value, list | tuple):
            return type(value)([self._clean(each) for each in value])
        if hasattr(value, "toterminal"):
            for name, part in vars(value).items():
                setattr(value, name, self._clean(part))
        return value

    @pytest.hookimpl(tryfirst=True)
    def pytest_sessionfinish(self, session: pytest.Session) -> None:
        """Let no run be green that shows less than it seems to."""
        if self._run is not None and self._run.shows_less and session.exitstatus == pytest.ExitCode.OK:
            session.exitstatus = pytest.ExitCode.TESTS_FAILED

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        """Print the outcome, the requirements in numbers, and what a selection does not show."""
        if self._run is not None:
            terminalreporter.section("Data Request Service Interface")
            for line in filter(None, self._lines(self._run)):
                terminalreporter.line(in_own_words(line))

    def _lines(self, run: OwnRun) -> Iterator[str]:
        report = run.report
        yield f"{'Not green: ' if run.shows_less else ''}{outcome.outcome_sentence(report)}"
        yield from (summary.numbers_sentence(report), summary.set_sentence(report), summary.scope_sentence(report))
        yield summary.traffic_sentence(report)
        yield from (*run.notes, *outcome.crash_lines(report))
        yield from map(str, self._prepared.paths)
        if (folder := self._prepared.folder) is not None and folder.keep_journal:
            yield cleanup_words(folder.journal, again.to_delete(report.run.options, report.target.base_url))

    def pytest_unconfigure(self) -> None:
        """Close what was opened for the run."""
        self._prepared.stack.close()


def _exchanges(shown: tuple[Exchange, ...]) -> Iterator[str]:
    for each in shown:
        answer = exchange_text.answer(each) or exchange_text.trouble(each)
        yield f"---- {each.id}\n{exchange_text.question(each)}\n\n{answer}\n"
