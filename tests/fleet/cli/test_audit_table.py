"""What an audit shows while it goes on, and its table at the end."""

from __future__ import annotations

import pytest

from conformance.fleet.audit.result import Result, State
from conformance.fleet.commands.audit_table import STOPPING, Progress
from conformance.model.verdict import Exit, Outcome

GOOD = Result(
    name="city-a",
    base_url="https://a.example",
    profile="full",
    definition="sha256:0",
    state=State.FINISHED,
    exit_code=Exit.DOES_NOT_CONFORM,
    outcome=Outcome.DOES_NOT_CONFORM,
    failures=("4.3-answers-ok",),
    alerts=("5-isolation",),
    seconds=12.34,
)
DEAD = Result(
    name="city-b",
    base_url="https://b.example",
    profile="full",
    definition="sha256:0",
    state=State.UNREACHABLE,
    exit_code=Exit.INCONCLUSIVE,
    attempts=3,
    message="no answer\x1b[2J",
)


def test_the_runs_that_end(capfd: pytest.CaptureFixture[str]) -> None:
    progress = Progress(3, 0, quiet=False)
    progress.done(GOOD, again=False)
    progress.done(DEAD, again=True)
    progress.pause(30, 1)
    progress.done(DEAD, again=False)
    progress.interrupted()
    assert capfd.readouterr().err.splitlines() == [
        "[1/3] city-a  does-not-conform",
        "[1/3] city-b  unreachable (3 attempts), will be tried again: no answer\\x1b[2J",
        "1 run will be made again in 30 s",
        "[2/3] city-b  unreachable (3 attempts): no answer\\x1b[2J",
        STOPPING,
    ]
