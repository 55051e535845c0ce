"""Collect, then judge: a run makes all its calls and cleans up before the first check judges."""

from __future__ import annotations

import httpx
import pytest
from whole_runs import Send, Silent, around, by_verdict, only, session_over

from conformance.model.findings import Crashes
from conformance.model.verdict import Verdict
from conformance.run.check import check
from conformance.run.check_results import CheckResults
from conformance.run.collect import Collection

call = CheckResults.call


def test_a_run_calls_nothing_once_the_first_check_judges(monkeypatch: pytest.MonkeyPatch) -> None:
    seen: set[tuple[int, int]] = set()
    """The numbers of calls and of requests that were left, when a check judged."""

    def judging(results: CheckResults, item: pytest.Function) -> None:
        seen.add((len(session.record), len(session.journal.live)))
        call(results, item)

    monkeypatch.setattr(CheckResults, "call", judging)
    with session_over() as session:
        check(session, only("4.3", "8-limit-enforced"), Silent())

    assert seen == {(len(session.record), 0)}


def test_a_run_that_is_stopped_judges_the_checks_whose_calls_it_made() -> None:
    def stopping(request: httpx.Request, send: Send) -> httpx.Response:
        answer = send(request)
        if (request.method, answer.status_code) == ("POST", 400):
            session.stop()
        return answer

    with session_over(wrap=around(stopping)) as session:
        report = check(session, only("2.2-type", "2.3-legalEntity", "8-limit-enforced"), Silent()).report

    assert report.complete is False
    assert by_verdict(report, Verdict.PASS).keys() == {"2.2-type", "2.3-legalEntity"}
    assert by_verdict(report, Verdict.INCONCLUSIVE).keys() == {"8-limit-enforced"}
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
