"""Signals end a run in an orderly way, whatever it is at; a second one ends it at once."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import pytest
from cli_tools import OTHER_TOKEN, PATIENCE, TOKEN, Served, Started, served
from conftest import Command

from conformance.cli.interrupt import Interruption
from conformance.cli.target import target_of
from conformance.model.target import Target
from conformance.reference.call import Call, Reply
from conformance.reference.service import Service
from conformance.traffic.session import Session

TOKENS = {"DRSI_TOKEN": TOKEN, "DRSI_OTHER_TOKEN": OTHER_TOKEN}
SAID = "Interrupted: "


class Gate:
    """Stops the service at one point until the test lets it go on."""

    def __init__(self) -> None:
        self.reached = threading.Event()
        self.open = threading.Event()

    async def pass_through(self) -> None:
        self.reached.set()
        await asyncio.to_thread(self.open.wait, PATIENCE)


@contextmanager
def checking(folder: Path, service: type[Service], *options: str) -> Iterator[tuple[Served, Started]]:
    with (
        served(service) as target,
        Started(folder, "check", target.base_url, "--output", "out", *options, **TOKENS) as run,
    ):
        yield target, run


def report_of(folder: Path) -> Any:
    return json.loads((folder / "out" / "report.json").read_text("utf-8"))


def ended_in_order(folder: Path, target: Served, run: Started) -> None:
    assert run.ended() == 3, run.err
    assert target.live == 0
    report = report_of(folder)
    assert report["complete"] is False
    assert report["outcome"] == "inconclusive"
    assert report["summary"]["left_behind"] == 0
    assert report["summary"]["created"] == report["summary"]["deleted"] > 0
    assert {path.name for path in (folder / "out").iterdir()} == {
        "report.json",
        "evidence.har",
        "report.html",
        "junit.xml",
    }
    assert "The run did not come to its end." in run.out
    assert "Traceback" not in run.out + run.err


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT, signal.SIGHUP])
def test_a_creation_under_way_is_waited_for_and_deleted(folder: Path, number: signal.Signals) -> None:
    gate = Gate()

    class Slow(Service):
        """Has stored the fifth request before it says so."""

        async def create(self, call: Call) -> Reply:
            reply = await super().create(call)
            if self.turn("create") == 4:
                await gate.pass_through()
            return reply

    with checking(folder, Slow) as (target, run):
        assert gate.reached.wait(PATIENCE)
        run.process.send_signal(number)
        run.awaits(SAID)
        assert run.process.poll() is None
        gate.open.set()
        ended_in_order(folder, target, run)


def test_creations_at_the_same_time_are_waited_for(folder: Path) -> None:
    gate = Gate()

    class Slow(Service):
        """Holds creations that come together, having stored what there was room for."""

        under_way = 0
        together = asyncio.Event()

        async def create(self, call: Call) -> Reply:
            self.under_way += 1
            if self.under_way > 1:
                self.together.set()
            try:
                return await super().create(call)
            finally:
                try:
                    await asyncio.wait_for(self.together.wait(), 0.05)
                    await gate.pass_through()
                except TimeoutError:
                    pass
                self.under_way -= 1

    with checking(folder, Slow, "--select", "8-limit-enforced-in-parallel") as (target, run):
        assert gate.reached.wait(PATIENCE)
        run.process.send_signal(signal.SIGTERM)
        run.awaits(SAID)
        gate.open.set()
        ended_in_order(folder, target, run)


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_deletion_that_was_cut_short_is_made_again(folder: Path, number: signal.Signals) -> None:
    gate = Gate()

    class Slow(Service):
        """Takes its time over the third deletion."""

        async def delete(self, call: Call) -> Reply:
            if self.turn("delete") == 2:
                await gate.pass_through()
            return await super().delete(call)

    with checking(folder, Slow) as (target, run):
        assert gate.reached.wait(PATIENCE)
        run.process.send_signal(number)
        # Nothing is waited for but the second attempt, which the service answers.
        ended_in_order(folder, target, run)
        gate.open.set()


def test_a_hanging_question_is_not_waited_for(folder: Path) -> None:
    gate = Gate()

    class Slow(Service):
        """Never answers the sixth question about a request."""

        async def perform(self, call: Call) -> Reply:
            if call.operation == "readRequest" and self.turn("read") == 5:
                await gate.pass_through()
            return await super().perform(call)

    with checking(folder, Slow) as (target, run):
        assert gate.reached.wait(PATIENCE)
        run.process.send_signal(signal.SIGTERM)
        ended_in_order(folder, target, run)
        gate.open.set()
    evidence = json.loads((folder / "out" / "evidence.har").read_text("utf-8"))
    cut = [entry for entry in evidence["log"]["entries"] if entry["_trouble"]]
    assert {entry["_trouble_detail"] for entry in cut} == {"the run was interrupted"}  # others may go beside it
    assert all(entry["time"] >= 0 for entry in evidence["log"]["entries"])


def test_a_second_signal_ends_it_at_once_and_the_journal_says_what_is_left(folder: Path) -> None:
    gate = Gate()

    class Slow(Service):
        """Has stored the fifth request before it says so."""

        async def create(self, call: Call) -> Reply:
            reply = await super().create(call)
            if self.turn("create") == 4:
                await gate.pass_through()
            return reply

    with checking(folder, Slow) as (target, run):
        assert gate.reached.wait(PATIENCE)
        run.process.send_signal(signal.SIGTERM)
        run.awaits(SAID)
        run.process.send_signal(signal.SIGTERM)
        run.awaits("Stopped at once")
        assert run.ended() == 3
        gate.open.set()
        assert "out/journal.jsonl" in run.err
        assert target.live > 0
        lines = [json.loads(line) for line in (folder / "out" / "journal.jsonl").read_text().splitlines()]
        assert lines[-1]["event"] == "intend"
    assert [path.name for path in (folder / "out").iterdir()] == ["journal.jsonl"]


def test_a_second_signal_names_what_could_not_be_deleted(folder: Path) -> None:
    gate, clean_up = Gate(), Gate()

    class Slow(Service):
        """Stops while it creates, then while it deletes."""

        async def create(self, call: Call) -> Reply:
            reply = await super().create(call)
            if self.turn("create") == 4:
                await gate.pass_through()
            return reply

        async def delete(self, call: Call) -> Reply:
            if gate.open.is_set():
                await clean_up.pass_through()
            return await super().delete(call)

    with checking(folder, Slow) as (target, run):
        assert gate.reached.wait(PATIENCE)
        run.process.send_signal(signal.SIGINT)
        run.awaits(SAID)
        gate.open.set()
        assert clean_up.reached.wait(PATIENCE)
        run.process.send_signal(signal.SIGINT)
        assert run.ended() == 3
        left = {request.id for request in target.service.store.all()}
        clean_up.open.set()
    assert left
    assert all(f"/requests/{request_id}\n" in run.err for request_id in left)
    journal = (folder / "out" / "journal.jsonl").read_text()
    assert all(request_id in journal for request_id in left)
    assert not (folder / "out" / "report.json").exists()


def test_a_signal_to_the_whole_terminal_leaves_the_embedded_service_to_the_run(folder: Path) -> None:
    with Started(folder, "check", "--output", "out", "--rate", "200") as run:
        run.awaits("4.2 ")
        os.killpg(run.process.pid, signal.SIGINT)
        assert run.ended() == 3
    report = report_of(folder)
    assert report["complete"] is False
    assert report["summary"]["created"] == report["summary"]["deleted"] > 0


def test_an_ignored_signal_stays_ignored() -> None:
    before = signal.signal(signal.SIGHUP, signal.SIG_IGN)
    try:
        with Interruption() as interruption:
            interruption.stop = pytest.fail
            signal.raise_signal(signal.SIGHUP)
            assert signal.getsignal(signal.SIGHUP) is signal.SIG_IGN
    finally:
        signal.signal(signal.SIGHUP, before)


def test_a_signal_before_a_run_begins_is_an_interrupt() -> None:
    with Interruption(), pytest.raises(KeyboardInterrupt):
        signal.raise_signal(signal.SIGTERM)


def test_a_signal_in_a_run_interrupts_nothing_but_asks_it_to_stop() -> None:
    steps: list[str] = []

    with Interruption() as interruption:
        interruption.stop = lambda: steps.append("asked")
        signal.raise_signal(signal.SIGINT)
        steps.append("gone on")

    assert steps == ["asked", "gone on"]


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT, signal.SIGHUP])
def test_a_signal_before_the_first_question_leaves_nothing(folder: Path, number: signal.Signals) -> None:
    os.mkfifo(folder / "options.toml")
    with Started(folder, "check", "--output", "out", "--config", "options.toml") as run:
        writer = os.open(folder / "options.toml", os.O_WRONLY)  # returns when the command reads its options
        run.process.send_signal(number)
        assert run.ended() == 3
        os.close(writer)
    assert run.err.strip() == "Interrupted before anything was decided."
    assert not (folder / "out").exists()


def test_a_signal_whose_interrupt_was_lost_ends_the_run_all_the_same(
    command: Command, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def signalled(*arguments: Any) -> Target:
        with suppress(KeyboardInterrupt):  # as Python does with what a callback or __del__ raises
            signal.raise_signal(signal.SIGINT)
        return target_of(*arguments)

    monkeypatch.setattr("conformance.cli.job.target_of", signalled)

    with served() as target:
        result = command("check", target.base_url, "--profile", "public", "--output", "out")

    assert (result.code, result.err.strip()) == (3, "Interrupted before anything was decided.")
    assert not (folder / "out").exists()


def test_a_signal_after_the_last_check_changes_nothing(
    command: Command, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def signalled(session: Session, *, insist: bool = False) -> None:
        if insist:  # the clean-up at the end of the run
            signal.raise_signal(signal.SIGTERM)
        clean_up(session, insist=insist)

    clean_up = Session.clean_up
    for name, value in TOKENS.items():
        monkeypatch.setenv(name, value)
    monkeypatch.setattr(Session, "clean_up", signalled)

    with served() as target:
        result = command("check", target.base_url, "--select", "4.1-answers-200", "--output", "out")
        assert target.live == 0

    assert (result.code, report_of(folder)["complete"]) == (0, True)
    assert SAID in result.err
