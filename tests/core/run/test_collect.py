"""Collect, then judge: a run makes all its calls and cleans up before the first check judges."""

from __future__ import annotations

from collections import Counter

import httpx
import pytest
from whole_runs import Send, Silent, around, only, session_over

from conformance.calibration.faults import FAULTS
from conformance.http.session import Session
from conformance.model.findings import Crashes
from conformance.model.verdict import Verdict
from conformance.run.check import check
from conformance.run.check_results import CheckResults
from conformance.run.collect import Collection
from conformance.run.items import check_name
from conformance.run.options import Plan

call = CheckResults.call


class Judging:
    """Notes what a run had sent, and what it had left at the service, when each check judged."""

    def __init__(self, session: Session) -> None:
        self.calls: Counter[int] = Counter()
        self.left: set[str] = set()
        self.checks: list[str] = []
        self._session = session

    def call(self, results: CheckResults, item: pytest.Function) -> None:
        self.checks.append(check_name(item))
        self.calls[len(self._session.record)] += 1
        self.left |= self._session.journal.live.keys()
        call(results, item)


@pytest.mark.parametrize("fault", [None, "deletes-the-oldest", "types-split-at-commas"])
def test_a_run_calls_nothing_once_the_first_check_judges(monkeypatch: pytest.MonkeyPatch, fault: str | None) -> None:
    with session_over(bend=FAULTS[fault] if fault else None) as session:
        judging = Judging(session)
        monkeypatch.setattr(CheckResults, "call", lambda results, item: judging.call(results, item))
        run = check(session, Plan(), Silent())

        assert [each.traceback for each in run.report.crashes] == []
        assert [*judging.calls] == [len(session.record)]
        assert judging.left == set()


def test_a_run_that_is_stopped_judges_the_checks_whose_calls_it_made(monkeypatch: pytest.MonkeyPatch) -> None:
    def stopping(request: httpx.Request, send: Send) -> httpx.Response:
        if request.method == "DELETE":
            session.stop()
        return send(request)

    with session_over(wrap=around(stopping)) as session:
        judging = Judging(session)
        monkeypatch.setattr(CheckResults, "call", lambda results, item: judging.call(results, item))
        run = check(session, only("2.2-type", "2.3-legalEntity", "4.3-answers-ok"), Silent())

    assert run.report.complete is False
    assert not any("test_4_3" in each for each in judging.checks)
    assert {row.verdict for row in run.report.requirements if row.id == "4.3-answers-ok"} == {Verdict.INCONCLUSIVE}
    assert session.journal.live == {}


def test_an_interrupt_of_the_clean_up_ends_it(monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupt(**_: object) -> None:
        raise KeyboardInterrupt

    with session_over() as session:
        session.send("POST", "/requests", credential="user")
        collection = Collection(session, Crashes(), Silent())
        monkeypatch.setattr(session, "clean_up", interrupt)
        trace = collection.collect([])

        assert len(trace.exchanges) == 1
        assert trace.conditions.interrupted is True
        assert session.journal.left_behind == 1
