"""`audit`: what it leaves when it ends early, how it continues, and where tokens go meanwhile."""

from __future__ import annotations

import json
import os
import re
import signal
from collections.abc import Callable
from pathlib import Path

import pytest
from audited import PUBLIC, TOKENS, audits, document, held, prepared, target, waiting, write
from cli_services import OTHER_TOKEN, PATIENCE, TOKEN, Command, Started, names_in, served
from clustered import descendants
from platforms import POSIX_SIGNALS
from stored_runs import recorded_run

pytestmark = [pytest.mark.usefixtures("folder"), POSIX_SIGNALS]

NEEDS_PROC = pytest.mark.skipif(not Path("/proc/self/cmdline").exists(), reason="only Linux has /proc")


@NEEDS_PROC
def test_no_command_line_shows_a_token_and_no_file_has_one(folder: Path) -> None:
    with waiting() as (service, gate), waiting() as (second, other):
        path = write(
            held(service),
            target("b", second.base_url, 'token = "variable:TOKEN_OF_A"', 'only = ["2.3", "4.3-answers-ok"]'),
        )
        with Started(folder, "audit", path, "--workers", "2", **TOKENS) as audit:
            assert gate.reached.wait(PATIENCE)
            assert other.reached.wait(PATIENCE)
            own = descendants(audit.process.pid)
            assert len(own) == 4  # two of multiprocessing, and the runs
            shown = [Path(f"/proc/{each}/cmdline").read_bytes() for each in [audit.process.pid, *own]]
            environments = [Path(f"/proc/{each}/environ").read_bytes() for each in own]
            gate.open.set()
            other.open.set()
            assert audit.ended() == 0, audit.err
        written = audit.out.encode() + audit.err.encode()
    everything = [*shown, written, *(each.read_bytes() for each in Path("audits").rglob("*") if each.is_file())]
    for token in (TOKEN, OTHER_TOKEN):
        assert not any(token.encode() in each for each in everything)
    # Other processes get their tokens by a pipe: no environment shows one, not even to the user.
    assert not any(token.encode() in each for each in environments for token in (TOKEN, OTHER_TOKEN))
    demand_anonymous(*audits()[0].glob("runs/*"))


def demand_anonymous(*runs: Path) -> None:
    """Test that no request of a run shows the suite, and that the seeds of the runs were drawn."""
    requests = [
        [each["request"] for each in json.loads((run / "evidence.har").read_text("utf-8"))["log"]["entries"]]
        for run in runs
    ]
    assert [bool(re.search("drsi|no-such", json.dumps(each))) for each in requests] == [False, False]
    assert len({0, *(json.loads((run / "report.json").read_text("utf-8"))["seed"] for run in runs)}) == 3


def test_an_interrupted_audit_leaves_nothing_and_continues(
    folder: Path, command: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    with waiting() as (service, gate), served() as done:
        # A slow run: the audit looks ten times a second whether it was interrupted.
        slow = held(service, "held", "rate = 6")
        path = write(target("done", done.base_url, PUBLIC), slow, target("later", "https://later.example"))
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

        continues(command, monkeypatch)


def continues(command: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    """Run the same command again, and test that it finishes the same audit without repeating what is finished."""
    (folder,) = audits()
    runs = {name: recorded_run(Path(name)) for name in ("held", "later")}
    prepared(monkeypatch, runs)
    before = {each.name: (each / "report.json").stat().st_mtime_ns for each in folder.glob("runs/*")}
    for name, token in TOKENS.items():
        monkeypatch.setenv(name, token)
    again = command("audit", "targets.toml", "--workers", "1")
    assert again.code == 0, again.err
    assert audits() == [folder]
    states = {each["name"]: each["state"] for each in document()["targets"]}
    assert set(states.values()) == {"finished"}
    assert names_in(folder / "runs") == set(states)
    assert names_in(folder / "unfinished") == set()
    for name, moment in before.items():
        assert (folder / "runs" / name / "report.json").stat().st_mtime_ns == moment


def kill(audit: Started) -> None:
    audit.process.kill()


def kill_with_its_runs(audit: Started) -> None:
    for each in [audit.process.pid, *descendants(audit.process.pid)]:
        os.kill(each, signal.SIGKILL)


def interrupt_twice(audit: Started) -> None:
    audit.process.send_signal(signal.SIGTERM)
    audit.awaits("Interrupted: no new runs")
    audit.process.send_signal(signal.SIGINT)
    audit.awaits("Stopped at once. The runs that were in progress are still deleting")


@NEEDS_PROC
@pytest.mark.parametrize("end", [kill, kill_with_its_runs, interrupt_twice])
def test_what_ends_at_once_leaves_nothing_and_continues(
    folder: Path, command: Command, monkeypatch: pytest.MonkeyPatch, end: Callable[[Started], None]
) -> None:
    """A run whose audit has gone notices it; what it cannot delete any more, the next audit deletes."""
    with waiting() as (service, gate):
        with Started(folder, "audit", write(held(service)), **TOKENS) as audit:
            assert gate.reached.wait(PATIENCE)
            end(audit)
            audit.process.wait(PATIENCE)
            assert service.live > 0
            gate.open.set()
            continues(command, monkeypatch)
        assert service.live == 0
