"""`audit`: what it leaves when it ends early, how it continues, and where tokens go meanwhile."""

from __future__ import annotations

import os
import signal
from pathlib import Path

import pytest
from audited import PUBLIC, QUICK, TOKENS, audits, document, held, target, waiting, write
from cli_services import (
    OTHER_TOKEN,
    PATIENCE,
    TOKEN,
    Command,
    Started,
    names_in,
    served,
)
from clustered import descendants
from platforms import POSIX_SIGNALS

pytestmark = pytest.mark.usefixtures("folder")

NEEDS_PROC = pytest.mark.skipif(not Path("/proc/self/cmdline").exists(), reason="only Linux has /proc")


@POSIX_SIGNALS
@NEEDS_PROC
def test_no_command_line_shows_a_token_and_no_file_has_one(folder: Path) -> None:
    with waiting() as (service, gate), waiting() as (second, other):
        path = write(
            held(service),
            target("b", second.base_url, 'token = "variable:TOKEN_OF_A"', 'only = ["4.3-answers-ok"]'),
        )
        with Started(folder, "audit", path, *QUICK, **TOKENS) as audit:
            assert gate.reached.wait(PATIENCE)
            assert other.reached.wait(PATIENCE)
            own = descendants(audit.process.pid)
            assert len(own) == 2
            shown = [Path(f"/proc/{each}/cmdline").read_bytes() for each in [audit.process.pid, *own]]
            environments = [Path(f"/proc/{each}/environ").read_bytes() for each in own]
            gate.open.set()
            other.open.set()
            assert audit.ended() == 0, audit.err
        written = audit.out.encode() + audit.err.encode()
    everything = [*shown, written, *(each.read_bytes() for each in Path("audits").rglob("*") if each.is_file())]
    for token in (TOKEN, OTHER_TOKEN):
        assert not any(token.encode() in each for each in everything)
    # The user alone can read the environment of a run, which has the tokens of its target and no others.
    assert sorted(OTHER_TOKEN.encode() in each for each in environments) == [False, True]


@POSIX_SIGNALS
def test_an_interrupted_audit_leaves_nothing_and_continues(
    folder: Path, command: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    with waiting() as (service, gate), served() as done, served() as last:
        # A slow run: the audit looks ten times a second whether it was interrupted.
        slow = held(service, "held", "rate = 3")
        path = write(target("done", done.base_url, PUBLIC), slow, target("later", last.base_url, PUBLIC))
        with Started(folder, "audit", path, "--workers", "1", **TOKENS) as audit:
            audit.awaits("[1/3] done")
            assert gate.reached.wait(PATIENCE)
            audit.process.send_signal(signal.SIGINT)
            audit.awaits("Interrupted: no new runs")
            gate.open.set()
            assert audit.ended() == 3, audit.err
        assert service.live == 0
        assert "Interrupted: 1 of 3 runs finished. To continue: drsi-conformance audit targets.toml" in audit.err
        assert "Traceback" not in audit.err
        (first,) = audits()
        assert names_in(first) == {"runs", "unfinished"}
        assert names_in(first / "runs") == {"done"}
        assert names_in(first / "unfinished") == set()

        continues(command, monkeypatch, path)
        assert service.live == 0


def continues(command: Command, monkeypatch: pytest.MonkeyPatch, path: str) -> None:
    """Run the same command again, and test that it finishes the same audit without repeating what is finished."""
    (folder,) = audits()
    before = {each.name: (each / "report.json").stat().st_mtime_ns for each in folder.glob("runs/*")}
    for name, token in TOKENS.items():
        monkeypatch.setenv(name, token)
    again = command("audit", path, "--workers", "1")
    assert again.code == 0, again.err
    assert audits() == [folder]
    states = {each["name"]: each["state"] for each in document()["targets"]}
    assert set(states.values()) == {"finished"}
    assert names_in(folder / "runs") == set(states)
    assert names_in(folder / "unfinished") == set()
    for name, moment in before.items():
        assert (folder / "runs" / name / "report.json").stat().st_mtime_ns == moment


@POSIX_SIGNALS
def test_an_audit_that_is_killed_continues(folder: Path, command: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    with waiting() as (service, gate), served() as done:
        path = write(target("done", done.base_url, PUBLIC), held(service))
        with Started(folder, "audit", path, "--workers", "1", **TOKENS) as audit:
            audit.awaits("[1/2] done")
            assert gate.reached.wait(PATIENCE)
            audit.process.kill()
            audit.process.wait()
            # The run notices it, and waits for the answer to its deletion.
            assert service.live > 0
            gate.open.set()
            continues(command, monkeypatch, path)
        assert service.live == 0


@POSIX_SIGNALS
@NEEDS_PROC
def test_what_is_killed_with_its_runs_continues(
    folder: Path, command: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    with waiting() as (service, gate):
        path = write(held(service))
        with Started(folder, "audit", path, **TOKENS) as audit:
            assert gate.reached.wait(PATIENCE)
            for each in [audit.process.pid, *descendants(audit.process.pid)]:
                os.kill(each, signal.SIGKILL)
            audit.process.wait()
            assert service.live > 0
            gate.open.set()
            continues(command, monkeypatch, path)
        assert service.live == 0


@POSIX_SIGNALS
def test_a_second_signal_ends_it_at_once(folder: Path, command: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    with waiting() as (service, gate):
        path = write(held(service))
        with Started(folder, "audit", path, **TOKENS) as audit:
            assert gate.reached.wait(PATIENCE)
            audit.process.send_signal(signal.SIGTERM)
            audit.awaits("Interrupted: no new runs")
            audit.process.send_signal(signal.SIGINT)
            assert audit.process.wait(PATIENCE) == 3
            gate.open.set()
            continues(command, monkeypatch, path)
        assert "Stopped at once. The runs that were in progress are still deleting" in audit.err
        assert service.live == 0


@POSIX_SIGNALS
def test_one_audit_at_a_time_in_a_folder(folder: Path, command: Command) -> None:
    with waiting() as (service, gate):
        path = write(held(service))
        with Started(folder, "audit", path, **TOKENS) as audit:
            assert gate.reached.wait(PATIENCE)
            os.environ.update(TOKENS)
            try:
                second = command("audit", path)
            finally:
                for name in TOKENS:
                    del os.environ[name]
            gate.open.set()
            assert audit.ended() == 0
    assert second.code == 2
    assert "Another audit is in progress in audits." in second.err
