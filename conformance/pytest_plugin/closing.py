"""The test that closes a run: what all exchanges show and no check has reported."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from conformance.model.errors import RequirementViolated
from conformance.model.exchange import Exchange
from conformance.model.findings import Finding
from conformance.model.requirements import catalogue
from conformance.model.results import RequirementResult
from conformance.pytest_plugin import test_reports

if TYPE_CHECKING:
    from conformance.pytest_plugin.conclusion import Conclusion
    from conformance.pytest_plugin.plain_run import PlainRun

_NAME = "every exchange of the run"


class Closing(pytest.Item):
    """The closing test, which is no check: no selection leaves it out. It concludes the run.

    Further tests like it follow, one for each requirement that it has something to say about.
    """

    run: PlainRun
    action: Callable[[Closing], object]
    is_first = False

    @classmethod
    def of(cls, session: pytest.Session, run: PlainRun) -> Closing:
        """Return the closing test of a run."""
        made: Closing = cls.from_parent(session, name=_NAME)
        made.run, made.is_first = run, True
        made.action = lambda _: run.conclude()
        return made

    def another(self, name: str, action: Callable[[Closing], None]) -> Closing:
        """Return a further test."""
        made: Closing = Closing.from_parent(self.session, name=f"{_NAME}[{name}]")
        made.run, made.action = self.run, action
        return made

    def runtest(self) -> None:
        """Conclude the run, or raise what a further test has to say."""
        self.action(self)

    def repr_failure(self, excinfo: pytest.ExceptionInfo[BaseException], style: Any = None) -> Any:
        """Return the finding alone: no line of the suite explains it."""
        if isinstance(excinfo.value, RequirementViolated):
            return str(excinfo.value)
        return super().repr_failure(excinfo, style)

    def reportinfo(self) -> tuple[Path, int | None, str]:
        """Return the place of the test."""
        return Path(__file__), None, self.name


def further(closing: Closing, conclusion: Conclusion) -> Iterator[Closing]:
    """Yield the further tests: requirements whose verdict no test has reported, and waivers that cover nothing."""
    for row in conclusion.unreported():
        yield closing.another(row.id, _saying(row, closing.run))
    for waiver in conclusion.stale_waivers():
        message = f"[XPASS(strict)] {waiver.reason} ({waiver.owner}): this waiver of {waiver.requirement} is " + (
            f"expired since {waiver.expires}." if waiver.state == "expired" else "unused. Remove it."
        )
        yield closing.another(f"waiver of {waiver.requirement}", _failing(message))


def _failing(message: str) -> Callable[[Closing], None]:
    def fail(_: Closing) -> None:
        pytest.fail(message, pytrace=False)

    return fail


def _saying(result: RequirementResult, run: PlainRun) -> Callable[[Closing], None]:
    row, said = catalogue()[result.id], next(each for each in result.findings if each.verdict is result.verdict)
    by_id = {each.id: each for each in run.trace.exchanges}
    shown = tuple(by_id[each] for each in said.exchanges if each in by_id)
    finding: Finding[Exchange] = replace(said, exchanges=shown, steps=())  # type: ignore[arg-type, assignment]

    def say(test: Closing) -> None:
        test_reports.describe(test, row, finding.verdict, finding, run)
        run.end_test(test, row, finding, RequirementViolated(finding.message), may_waive=result.waived)

    return say
