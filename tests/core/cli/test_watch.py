"""`--watch`: a check is repeated after each change of a file."""

from __future__ import annotations

import os
import signal
from collections.abc import Callable
from pathlib import Path

import pytest
from cli_services import OTHER_TOKEN, TOKEN, Command, Started, losing_a_creation, report_of, served
from platforms import POSIX_SIGNALS

from conformance.reference.call import Call, Reply
from conformance.reference.service import Service

pytestmark = pytest.mark.usefixtures("tokens")

WAITING = "Waiting for a change in"


class Failing(Service):
    """Answers GET /settings with 404, until it is mended."""

    mended = False

    async def answer(self, call: Call) -> Reply:
        if call.operation == "getSettings" and not self.mended:
            return Reply(404, b"{}", {"Content-Type": "application/json"})
        return await super().answer(call)


@POSIX_SIGNALS
def test_a_check_is_repeated_after_a_change_until_a_signal(folder: Path) -> None:
    (folder / "src").mkdir()
    watch = ("--watch", ".", "--profile", "public", "--only", "4.4", "--output", "out")
    with (
        served(Failing) as service,
        Started(folder, "check", service.base_url, *watch, DRSI_TOKEN=TOKEN, DRSI_OTHER_TOKEN=OTHER_TOKEN) as run,
    ):
        run.awaits(WAITING)
        run.awaits("Does not conform", "out")
        service.service.mended = True
        (folder / "src" / "service.py").write_text("", "utf-8")
        run.awaits(f"{Path('src') / 'service.py'} has changed.")
        run.awaits("Conforms in part", "out")
        run.awaits(WAITING, times=2)
        os.killpg(run.process.pid, signal.SIGINT)
        assert run.ended() == 0
    assert run.err.count(WAITING) == 2, run.err


def test_what_one_run_left_accuses_no_service_in_the_next(
    command: Command, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def twice(path: Path, run: Callable[[], int], *_: object, **__: object) -> int:  # noqa: ARG001
        return max(run(), run())

    monkeypatch.setattr("conformance.cli.watch.repeated", twice)
    narrow = ("--only", "8-accepts-up-to-limit", "--quiet", "--output", "out", "--format", "junit")
    with served(losing_a_creation()) as service:
        result = command("check", service.base_url, "--watch", ".", "--empty-account", *narrow)

    report = report_of(folder / "out")
    assert (result.code, report["outcome"], report["confirmations"]) == (3, "inconclusive", [])
    assert any("This run lacks the confirmation --empty-account" in each["message"] for each in report["notes"])


def test_a_waiver_that_changes_between_two_runs_is_not_trusted(
    command: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    """While a check waits for changes, a pull may bring other waivers."""
    waivers = Path("known.toml")
    waiver = '[[waiver]]\nrequirement = "4.4-answers-200"\nreason = "r"\nowner = "o"\nexpires = 9999-12-31\n'
    waivers.write_text(waiver, "utf-8")
    Path("drsi-conformance.toml").write_text("waivers = 'known.toml'\nstale-waivers = 'warn'\n", "utf-8")
    assert command("trust").code == 0

    def twice(path: Path, run: Callable[[], int], *_: object, **__: object) -> int:  # noqa: ARG001
        assert run() == 0
        waivers.write_text(f"{waiver}# \n", "utf-8")
        return run()

    monkeypatch.setattr("conformance.cli.watch.repeated", twice)
    with served() as service:
        result = command("check", service.base_url, "--watch", ".", "--profile", "public", "--only", "4.4", "--quiet")
    assert (result.code, "known.toml has changed since it was trusted" in result.err) == (2, True)
