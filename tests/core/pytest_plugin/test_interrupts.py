"""Ctrl-C, failures and the end of a run leave nothing in the account."""

from __future__ import annotations

import asyncio
import signal
import threading
from pathlib import Path

import pytest
from cli_services import OTHER_TOKEN, PATIENCE, TOKEN, Started, served
from plain_pytest import Run
from platforms import POSIX_SIGNALS

from conformance.reference.call import Call, Reply
from conformance.reference.service import Service

TOKENS = {"DRSI_TOKEN": TOKEN, "DRSI_OTHER_TOKEN": OTHER_TOKEN}


class StartedPytest(Started):
    """pytest in a process of its own, as a person starts it."""

    program = """
import signal, sys
signal.signal(signal.SIGINT, signal.default_int_handler)
import pytest
sys.exit(pytest.main(sys.argv[1:]))
"""


@POSIX_SIGNALS
def test_a_creation_under_way_is_waited_for_after_ctrl_c_and_deleted(folder: Path) -> None:
    reached, go_on = threading.Event(), threading.Event()

    class Slow(Service):
        """Has stored the second request before its answer has to wait."""

        async def create(self, call: Call) -> Reply:
            reply = await super().create(call)
            if self.turn("create") == 1:
                reached.set()
                await asyncio.to_thread(go_on.wait, PATIENCE)
            return reply

    with served(Slow) as service:
        options = ("-p", "conformance.pytest_plugin", "--pyargs", "conformance.checks", "--drsi-base-url")
        with StartedPytest(folder, *options, service.base_url, "-k", "4.1", **TOKENS) as run:
            assert reached.wait(PATIENCE)
            run.process.send_signal(signal.SIGINT)
            run.awaits("Interrupted: no new requests", "out")
            assert run.process.poll() is None
            go_on.set()
            assert run.ended() == pytest.ExitCode.INTERRUPTED, run.out + run.err
        assert service.live == 0
    assert "KeyboardInterrupt" in run.out
    assert ", 0 left behind." in run.out


def test_a_check_that_crashes_leaves_nothing(run_checks: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    def crash(*_: object) -> None:
        raise ZeroDivisionError("a fault of the suite")

    monkeypatch.setattr("conformance.scenarios.api.Api.delete", crash)
    with served() as service:
        result = run_checks(service.base_url, "-k", "test_row and 4.3-answers-ok")
        assert service.live == 0
    assert result.code == pytest.ExitCode.TESTS_FAILED
    assert "ZeroDivisionError: a fault of the suite" in result.out
