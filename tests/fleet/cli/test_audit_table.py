"""What an audit shows while it goes on, and its table at the end."""

from __future__ import annotations

import pytest

from conformance.fleet.audit.changes import Changed, ChangedRequirement
from conformance.fleet.audit.document import Audit
from conformance.fleet.audit.result import Result, State
from conformance.fleet.commands.audit_table import STOPPING, Progress, print_changes, print_results
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


AUDIT = Audit(
    id="20261203T043000Z",
    started="2026-12-03T04:30:00Z",
    finished="2026-12-03T04:40:00Z",
    exit_code=Exit.DOES_NOT_CONFORM,
    targets=(GOOD, DEAD),
    previous="20261126T043000Z",
    changes=(
        Changed(
            name="city-a",
            base_url="https://a.example",
            before="conforms",
            after="does-not-conform",
            worse=(ChangedRequirement(id="4.3-answers-ok", before="pass", after="fail"),),
            other=2,
        ),
        Changed(name="city-c", base_url="https://c.example", before="conforms", after=None),
    ),
)


def test_the_results(capsys: pytest.CaptureFixture[str]) -> None:
    print_results(AUDIT)
    lines = [line.rstrip() for line in capsys.readouterr().out.splitlines()]
    assert [line.split() for line in lines[:3]] == [
        ["target", "result", "failed", "alerts", "left", "time"],
        ["city-a", "does-not-conform", "1", "1", "0", "12.3", "s"],
        ["city-b", "unreachable", "(3", "attempts)", "–", "–", "0", "0.0", "s"],
    ]
    assert lines[3:] == [
        "city-b: no answer\\x1b[2J",
        "",
        "2 targets: 1 does-not-conform, 1 unreachable.",
        "2 targets changed since 20261126T043000Z, 1 got worse.",
    ]


def test_the_changes(capsys: pytest.CaptureFixture[str]) -> None:
    print_changes(AUDIT)
    assert capsys.readouterr().out.splitlines() == [
        "city-a  conforms → does-not-conform",
        "  worse  4.3-answers-ok: pass → fail",
        "  2 requirements changed otherwise; 'drsi-conformance compare' says how.",
        "city-c  conforms → not in this audit",
        "2 targets changed since 20261126T043000Z, 1 got worse; 1 did not.",
    ]
