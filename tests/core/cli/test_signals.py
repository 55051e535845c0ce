"""Signals end a run in order: the first asks it to clean up and report, the second ends it at once."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import pytest
from cli_services import (
    OTHER_TOKEN,
    PATIENCE,
    TOKEN,
    Command,
    Gate,
    Served,
    Started,
    names_in,
    report_of,
    served,
    slow_creation,
)
from platforms import POSIX_SIGNALS

from conformance import cli
from conformance.cli.signals import Interruption
from conformance.http.session import Session
from conformance.reference.call import Call, Reply
from conformance.reference.service import Service

pytestmark = POSIX_SIGNALS

TOKENS = {"DRSI_TOKEN": TOKEN, "DRSI_OTHER_TOKEN": OTHER_TOKEN}
MESSAGE = "Interrupted: "


@contextmanager
def checking(folder: Path, service: type[Service]) -> Iterator[tuple[Served, Started]]:
    with served(service) as target, Started(folder, "check", target.base_url, "--output", "out", **TOKENS) as run:
        yield target, run


def test_a_creation_under_way_is_waited_for_and_deleted(folder: Path) -> None:
    gate = Gate()
    with checking(folder, slow_creation(gate, 4)) as (target, run):
        assert gate.reached.wait(PATIENCE)
        run.process.send_signal(signal.SIGHUP)
        run.awaits(MESSAGE)
        assert run.process.poll() is None
        gate.open.set()
        assert run.ended() == 3, run.err
    assert target.live == 0
    report = report_of(folder / "out")
    assert (report["complete"], report["outcome"]) == (False, "inconclusive")
    assert report["summary"]["left_behind"] == 0
    assert report["summary"]["created"] == report["summary"]["deleted"] > 0
    assert names_in(folder / "out") == {"report.json", "evidence.har", "report.html", "summary.html", "junit.xml"}
    assert names_in(folder) == {"out"}
    assert "Traceback" not in run.out + run.err


def test_a_second_signal_ends_a_run_at_once_and_names_the_requests_that_are_left(folder: Path) -> None:
    gate, clean_up = Gate(), Gate()

    class Slow(slow_creation(gate, 4)):  # type: ignore[misc]
        async def delete(self, call: Call) -> Reply:
            if gate.open.is_set():
                await clean_up.pass_through()
            return await super().delete(call)  # type: ignore[no-any-return]

    with checking(folder, Slow) as (target, run):
        assert gate.reached.wait(PATIENCE)
        run.process.send_signal(signal.SIGINT)
        run.awaits(MESSAGE)
        gate.open.set()
        assert clean_up.reached.wait(PATIENCE)
        run.process.send_signal(signal.SIGINT)
        run.awaits("Stopped at once")
        assert run.ended() == 3
        left = target.held
        clean_up.open.set()
    assert left
    assert all(f"/requests/{request_id}\n" in run.err for request_id in left)
    assert "out/journal.jsonl" in run.err
    journal = (folder / "out" / "journal.jsonl").read_text()
    assert all(request_id in journal for request_id in left)
    assert names_in(folder / "out") == {"journal.jsonl", "evidence.jsonl"}


def test_a_signal_to_the_whole_terminal_does_not_end_the_embedded_service(folder: Path) -> None:
    with Started(folder, "check", "--output", "out", "--rate", "40") as run:  # ten seconds more after that line
        run.awaits("4.2 ")
        os.killpg(run.process.pid, signal.SIGINT)
        assert run.ended() == 3
    report = report_of(folder / "out")
    assert report["complete"] is False
    assert report["summary"]["created"] == report["summary"]["deleted"] > 0
    assert "fix      A run that is not interrupted, with more time (--max-time)." in run.out
    assert "the suite itself" not in run.out


@pytest.mark.usefixtures("own_handlers")
def test_the_handler() -> None:
    signal.signal(signal.SIGHUP, signal.SIG_IGN)
    interruption = Interruption()
    interruption.listen()
    assert signal.getsignal(signal.SIGHUP) is signal.SIG_IGN
    with pytest.raises(KeyboardInterrupt):
        signal.raise_signal(signal.SIGTERM)

    interruption = Interruption()
    interruption.listen()
    steps: list[str] = []
    interruption.stop = lambda: steps.append("asked")
    signal.raise_signal(signal.SIGINT)
    steps.append("continued")
    assert steps == ["asked", "continued"]


def test_a_signal_before_the_first_request_leaves_nothing(folder: Path) -> None:
    os.mkfifo(folder / "options.toml")
    with Started(folder, "check", "--output", "out", "--config", "options.toml") as run:
        writer = os.open(folder / "options.toml", os.O_WRONLY)  # returns when the command reads its options
        run.process.send_signal(signal.SIGTERM)
        assert run.ended() == 3
        os.close(writer)
    assert run.err.strip() == "Interrupted before anything was decided."
    assert not (folder / "out").exists()


@pytest.mark.usefixtures("tokens")
def test_a_signal_after_the_last_check_changes_nothing(
    command: Command, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def signalled(session: Session, *, insist: bool = False) -> None:
        if insist:  # the clean-up at the end of the run
            signal.raise_signal(signal.SIGTERM)
        clean_up(session, insist=insist)

    clean_up = Session.clean_up
    monkeypatch.setattr(Session, "clean_up", signalled)

    with served() as target:
        result = command("check", target.base_url, "--output", "out", only=("4.1-answers-200",))
        assert target.live == 0

    assert (result.code, report_of(folder / "out")["complete"]) == (0, True)
    assert MESSAGE in result.err


def test_a_module_that_a_signal_prevents_from_loading_is_no_fault_of_the_suite(
    command: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A module in C that is interrupted while it loads raises ImportError instead of KeyboardInterrupt."""

    def loading() -> Any:
        with suppress(KeyboardInterrupt):
            os.kill(os.getpid(), signal.SIGTERM)
            signal.sigtimedwait([], 0)
        raise ImportError("could not import")

    monkeypatch.setattr(cli, "command_group", loading)
    result = command()
    assert (result.code, result.err) == (3, "Interrupted before anything was decided.\n")
