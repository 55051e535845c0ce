"""What an audit shows while it goes on, and its table at the end."""

from __future__ import annotations

import io
from dataclasses import replace

import pytest
from rich.console import Console

from conformance.fleet.audit.changes import Changed, ChangedRequirement
from conformance.fleet.audit.document import Audit
from conformance.fleet.audit.result import Result, State
from conformance.fleet.commands.audit_table import STOPPING, LiveProgress, PlainProgress, print_changes, print_results
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


def shown(progress_of: type[PlainProgress]) -> str:
    console = Console(file=io.StringIO(), force_terminal=progress_of is LiveProgress, width=100, height=20)
    progress = progress_of(console, 3, [])
    with progress.shown():
        progress.tick(["city-a", "city-b"])
        progress.done(GOOD, again=False)
        progress.done(DEAD, again=True)
        progress.pause(30, 1)
        progress.tick([])
        progress.done(DEAD, again=False)
        progress.interrupted()
    file = console.file
    assert isinstance(file, io.StringIO)
    return file.getvalue()


def test_lines_for_a_file(capfd: pytest.CaptureFixture[str]) -> None:
    text = shown(PlainProgress)
    assert text.splitlines() == [
        "[1/3] city-a  does-not-conform",
        "[1/3] city-b  unreachable (3 attempts), will be tried again: no answer\\x1b[2J",
        "1 run will be made again in 30 s",
        "[2/3] city-b  unreachable (3 attempts): no answer\\x1b[2J",
    ]
    assert capfd.readouterr().err == f"{STOPPING}\n"


def test_a_table_on_a_terminal() -> None:
    text = shown(LiveProgress)
    assert "[1/3] city-a  does-not-conform" in text
    assert "2 of 3: 1 does-not-conform, 1 unreachable" in text
    assert STOPPING.partition(";")[0] in text


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


def test_many_changes_of_a_target_are_shortened(capsys: pytest.CaptureFixture[str]) -> None:
    lost = [ChangedRequirement(id=f"4.1-{number}", before="pass", after="inconclusive") for number in range(14)]
    failed = ChangedRequirement(id="4.3-answers-ok", before="pass", after="fail")
    changed = replace(AUDIT.changes[0], worse=(failed, *lost), other=0)

    print_changes(replace(AUDIT, changes=(changed,)))
    lines = capsys.readouterr().out.splitlines()
    assert lines[1:3] == ["  worse  4.3-answers-ok: pass → fail", "  worse  4.1-0: pass → inconclusive"]
    assert lines[12:14] == ["  worse  4.1-10: pass → inconclusive", "  worse  and 3 more, in audit.json"]
    assert len(lines) == 15


def test_targets_with_minor_changes_share_a_line(capsys: pytest.CaptureFixture[str]) -> None:
    undecided = ChangedRequirement(id="4.1-x", before="pass", after="inconclusive")
    minor = [
        Changed(name=f"city-{number}", base_url="", before="conforms", after="conforms", worse=(undecided,))
        for number in range(14)
    ]
    print_changes(replace(AUDIT, changes=(AUDIT.changes[0], *minor)))
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == "city-a  conforms → does-not-conform"
    names = ", ".join(f"city-{number}" for number in range(12))
    what = "Same outcome, no new or corrected failure, warning or alert"
    assert lines[3:-1] == [f"{what}: {names} and 2 more. audit.json says what changed."]
