"""The checks on a recorded run: the same tests, without a network."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from conformance.cli.recorded import read
from conformance.model.results import Waiver
from conformance.model.sets import UnknownSet, chosen
from conformance.pytest_plugin.plain_run import PlainRun, in_order
from conformance.run.conclusion import Frame
from conformance.run.items import needs_a_user, requirement_of
from conformance.run.options import Plan
from conformance.run.verify import Unreadable, frame_of, recorded_trace


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


class RecordedRun(PlainRun):
    """Has the checks that pytest selects judge a recorded run."""

    def __init__(self, path: Path, waivers: tuple[Waiver, ...]) -> None:
        """Read the run in `path`; raise click.ClickException or pytest.UsageError if that is impossible."""
        found = read(path, needs_evidence=True)
        with _usage(path):
            self.trace, self._frame = recorded_trace(found.data, found.evidence), frame_of(found.data)
        report = found.report
        try:
            scored = chosen(report.scope.set)
        except UnknownSet as error:
            raise pytest.UsageError(f"--drsi-evidence: {path} cannot be judged again: {error}") from None
        plan = Plan(
            profile=report.scope.profile,
            set=scored,
            deselect=report.scope.deselect,
            only=report.scope.only,
            waivers=waivers,
            options=report.run.options,
        )
        super().__init__(plan, self._frame.started)
        for each in self.trace.conditions.crashes:
            self.crashes.add(each)

    def frame(self) -> Frame:
        """Return what the report states beside what follows from the trace."""
        return self._frame

    def pytest_collection_finish(self, session: pytest.Session) -> None:
        """Note which checks the run ended before."""
        self.judge(self.trace, in_order(session.items))

    def call(self, item: pytest.Function) -> None:
        """Call a check; raise what pytest takes for a skip if the run left it out."""
        if requirement_of(item).id in self.plan.deselected() or (self.plan.public and needs_a_user(item)):
            raise pytest.skip.Exception("The recorded run left this check out.")
        super().call(item)
