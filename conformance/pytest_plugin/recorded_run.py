"""The checks on a recorded run: the same tests, without a network."""

from __future__ import annotations

from collections.abc import Generator, Iterator
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest

from conformance.cli.recorded import read
from conformance.model.findings import CheckResult
from conformance.model.results import Waiver
from conformance.model.sets import UnknownSet
from conformance.pytest_plugin.conclusion import Conclusion, concluded_run
from conformance.pytest_plugin.plain_run import PlainRun, is_check
from conformance.runner.check_results import CheckResults
from conformance.runner.items import RUN, check_name
from conformance.runner.options import Plan
from conformance.runner.replay import ReplayedSession
from conformance.runner.verify import Unreadable, recorded_session, replay


@contextmanager
def _usage(path: Path) -> Iterator[None]:
    """Raise pytest.UsageError for a record that cannot be read."""
    try:
        yield
    except Unreadable as error:
        damage = "".join(f" {each}" for each in error.damage)
        raise pytest.UsageError(
            f"--drsi-evidence: {path} cannot be judged again: {error}.{damage} 'drsi-conformance verify' says more."
        ) from None


class _Watch:
    """A plugin for the replay that keeps what each check raises."""

    def __init__(self) -> None:
        self.checks: CheckResults | None = None
        self.raised: dict[str, tuple[str, Exception | None]] = {}
        """The phase in which each check ended, and its exception."""

    def pytest_collection_finish(self, session: pytest.Session) -> None:
        """Remember the run."""
        checks = session.config.stash[RUN]
        assert isinstance(checks, CheckResults)
        self.checks = checks

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_runtest_makereport(self, item: pytest.Item, call: pytest.CallInfo[None]) -> Generator[None, Any, Any]:
        """Keep the end of the check."""
        error = call.excinfo.value if call.excinfo else None
        if call.when == "call" or (call.when == "setup" and error is not None):
            self.raised[check_name(item)] = call.when, error if isinstance(error, Exception) else None
        return (yield)


class RecordedRun(PlainRun):
    """Gives each test the end that its check has on the recorded exchanges.

    The record answers the calls of a whole run only in their order: each check depends on those before it. So all
    checks are made once, in that order, and each test that pytest selects raises what its check raised.
    """

    def __init__(self, path: Path, waivers: tuple[Waiver, ...]) -> None:
        """Read the run in `path`; raise click.ClickException or pytest.UsageError if that is impossible."""
        recorded = read(path, needs_evidence=True)
        with _usage(path):
            session = recorded_session(recorded.data, recorded.evidence)
        self._data, self._path = recorded.data, path
        report = recorded.report
        plan = Plan(
            profile=report.scope.profile,
            set=report.scope.set,
            deselect=report.scope.deselect,
            only=report.scope.only,
            waivers=waivers,
            options=report.run.options,
        )
        try:
            super().__init__(session, plan)
        except UnknownSet as error:
            raise pytest.UsageError(f"--drsi-evidence: {path} cannot be judged again: {error}") from None
        self._started = datetime.fromisoformat(report.started)
        self._lacking = session.recording.unknown
        self._recorded: CheckResults = self
        self._raised: dict[str, tuple[str, Exception | None]] = {}
        self._by_check: dict[str, CheckResult] = {}

    def pytest_collection_finish(self, session: pytest.Session) -> None:
        """Make all checks of the record, if any of them is selected."""
        assert isinstance(self.session, ReplayedSession)
        if not any(map(is_check, session.items)):
            return
        watch = _Watch()
        with _usage(self._path):
            replay(self._data, self.session, [watch])
            if watch.checks is None:
                raise Unreadable("no check can be made again")
        self._recorded, self._raised, self.crashes = watch.checks, watch.raised, watch.checks.crashes
        self.trace = watch.checks.trace
        self._by_check = {result.check: result for result in watch.checks.results}

    def begin(self, item: pytest.Item) -> None:
        """Raise what the check raised before it began."""
        when, error = self._raised.get(check_name(item), ("", None))
        if not when:
            raise pytest.skip.Exception("The recorded run left this check out.")
        if when == "setup" and error is not None:
            raise error

    @pytest.hookimpl(tryfirst=True)
    def pytest_pyfunc_call(self, pyfuncitem: pytest.Function) -> bool | None:
        """Raise what the check raised, in place of a call of it."""
        if not is_check(pyfuncitem):
            return None
        _, error = self._raised[check_name(pyfuncitem)]
        if error is not None:
            raise error
        return True

    def take(self, item: pytest.Item, when: str, error: BaseException | None, seconds: float) -> CheckResult | None:  # noqa: ARG002
        """Return the result that the check has."""
        result = self._by_check.get(check_name(item))
        if result is None or when != self._raised[check_name(item)][0]:
            return None
        self.results.append(result)
        return result

    def conclude(self) -> Conclusion:
        """Judge the whole of the recorded run, once."""
        if self.conclusion is None:
            self.conclusion = concluded_run(
                self, started=self._started, checks=self._recorded, lacking=tuple(self._lacking)
            )
        return self.conclusion
