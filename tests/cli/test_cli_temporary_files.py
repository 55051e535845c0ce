"""However a run ends, it leaves nothing in the temporary folder, and nothing beside its own folder."""

from __future__ import annotations

import signal
import tempfile
from pathlib import Path

import pytest
from cli_tools import OTHER_TOKEN, PATIENCE, TOKEN, Started, served
from conftest import Command
from test_cli_signals import SAID, Gate

from conformance.reference.call import Call, Reply
from conformance.reference.service import Service
from conformance.search.drawing import draw

TOKENS = {"DRSI_TOKEN": TOKEN, "DRSI_OTHER_TOKEN": OTHER_TOKEN}


@pytest.fixture
def temporary(folder: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty temporary folder, for this process and for those that it starts."""
    place = folder / "temporary"
    place.mkdir()
    for name in ("TMPDIR", "TEMP", "TMP"):
        monkeypatch.setenv(name, str(place))
    monkeypatch.setattr(tempfile, "tempdir", None)
    return place


def left_in(folder: Path, temporary: Path) -> tuple[list[Path], set[str]]:
    """Return what is left in the temporary folder, and the names beside it."""
    return list(temporary.rglob("*")), {path.name for path in folder.iterdir()} - {temporary.name}


def test_a_finished_run(folder: Path, temporary: Path) -> None:
    options = ("--output", "out", "--html-log", "log.html", "--select", "4", "--debug")
    with served() as target, Started(folder, "check", target.base_url, *options, **TOKENS) as run:
        assert run.ended() == 0, run.err

    assert left_in(folder, temporary) == ([], {"out", "log.html"})


def test_calls_that_schemathesis_and_hypothesis_draw_anew(folder: Path, temporary: Path) -> None:
    draw(0, 3)

    assert left_in(folder, temporary) == ([], set())


@pytest.mark.parametrize("signals", [1, 2])
def test_an_interrupted_run(folder: Path, temporary: Path, signals: int) -> None:
    gate = Gate()

    class Slow(Service):
        """Has stored the fifth request before it says so."""

        async def create(self, call: Call) -> Reply:
            reply = await super().create(call)
            if self.turn("create") == 4:
                await gate.pass_through()
            return reply

    options = ("--output", "out", "--html-log", "log.html")
    with served(Slow) as target, Started(folder, "check", target.base_url, *options, **TOKENS) as run:
        assert gate.reached.wait(PATIENCE)
        run.process.send_signal(signal.SIGTERM)
        run.awaits(SAID)
        if signals == 2:
            run.process.send_signal(signal.SIGTERM)
            run.awaits("Stopped at once")
        else:
            gate.open.set()
        assert run.ended() == 3
        gate.open.set()

    assert left_in(folder, temporary) == ([], {"out", "log.html"} if signals == 1 else {"out"})


def crash(*_: object, **__: object) -> None:
    raise ZeroDivisionError("a bug of the suite")


@pytest.mark.parametrize("place", ["conformance.client.user.Service.delete", "conformance.cli.job.check"])
def test_a_crashed_run(
    command: Command, folder: Path, temporary: Path, monkeypatch: pytest.MonkeyPatch, place: str
) -> None:
    monkeypatch.setattr(place, crash)

    assert command("check", "--output", "out", "--select", "4").code == 4

    assert left_in(folder, temporary) == ([], {"out"} if "Service" in place else set())


def test_a_crashed_visit(command: Command, folder: Path, temporary: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("conformance.cli.visit.examine", crash)

    result = command("doctor", "--profile", "public")

    assert result.code == 4
    assert "ZeroDivisionError: a bug of the suite" in result.err
    assert left_in(folder, temporary) == ([], set())


def test_a_self_test(folder: Path, temporary: Path) -> None:
    with Started(folder, "selftest", "--only", "settings-null", "--quiet", "--output", "out", "--jobs", "1") as run:
        assert run.ended() == 0, run.err

    assert left_in(folder, temporary) == ([], {"out"})
