"""Runs that are stopped at any of their calls: each ends in order, as it would end upon a signal."""

from __future__ import annotations

import sys
import threading
from itertools import count
from pathlib import Path

import httpx
import pytest
from report_samples import typed
from whole_runs import Send, Silent, around, differences, only, session_over

from conformance.http.renewed_tokens import CommandToken
from conformance.model.errors import PassingFault
from conformance.model.exchange import ErrorKind, Operation, TransportError
from conformance.model.verdict import Exit, Outcome, Verdict
from conformance.reports.exit_code import exit_code
from conformance.run.check import check
from conformance.run.documents import Documents


@pytest.mark.parametrize("at", [1, 60])
def test_a_run_that_is_stopped_says_so_and_cleans_up(at: int) -> None:
    calls = count(1)

    def stopping(request: httpx.Request, send: Send) -> httpx.Response:
        """Stop the run while one of its calls is under way, in whichever thread that is."""
        if next(calls) == at:
            session.stop()
        if given_up := request.extensions.get("given_up", str)():
            raise TransportError(ErrorKind.CLOSED, given_up)
        return send(request)

    with session_over(in_turn=False, wrap=around(stopping)) as session:
        before = threading.active_count()
        run = check(session, only("4", "8-limit-enforced-in-parallel"), Silent())
        asked = len(session.record)
        assert all(each.response is not None or each.error is not None for each in session.record.exchanges)

    assert [each.traceback for each in run.report.crashes] == []
    assert run.report.complete is False
    assert (run.report.outcome, exit_code(typed(Documents(run).data))) == (Outcome.INCONCLUSIVE, Exit.INCONCLUSIVE)
    assert run.report.summary.verdicts[Verdict.FAIL] == 0
    assert (session.journal.live, session.journal.pending, session.journal.left_behind) == ({}, 0, 0)
    assert run.report.summary.created == run.report.summary.deleted
    assert len(session.record) == asked
    made_at_the_end = [each for each in session.record.exchanges if each.check == "clean-up"]
    assert {each.operation for each in made_at_the_end} <= {Operation.DELETE}
    assert differences(run) == []
    assert threading.active_count() <= before + session.target.budget.concurrency + 6  # workers are kept for later


def test_a_token_command_ends_when_the_run_is_stopped(tmp_path: Path) -> None:
    ready = tmp_path / "ready"
    script = f"import pathlib, time; pathlib.Path({str(ready)!r}).touch(); time.sleep(3600)"
    token = CommandToken(f'{sys.executable} -c "{script}"')
    raised: list[Exception] = []

    def wanted() -> None:
        try:
            token.current()
        except PassingFault as fault:
            raised.append(fault)

    thread = threading.Thread(target=wanted)
    thread.start()
    while not ready.exists():
        thread.join(0.01)
    token.stop()
    thread.join()

    assert "was ended by signal 9" in str(raised[0])
