from __future__ import annotations

import asyncio
from typing import Any

import httpx
import pytest
from whole_runs import Send, Silent, around, bent, by_verdict, config, only, run_over, session_over

from conformance.http.session import Session
from conformance.model.target import Budget
from conformance.model.verdict import Blame, Outcome, Verdict
from conformance.reference.call import Call, Reply
from conformance.reference.service import Service
from conformance.run.check import check
from conformance.run.documents import Documents


@pytest.mark.parametrize(
    ("limit", "remedy"),
    [
        (500, "Raise --max-created to 2100, perhaps --max-time as well, and run again."),
        (2_000_000, "Check an instance of the service that sets a lower maxNumberOfRequests, such as 10."),
    ],
)
def test_a_limit_beyond_the_budget_is_not_met_and_says_what_to_do(limit: int, remedy: str) -> None:
    report = run_over(config(max_requests=limit), plan=only("4.1", "7-limit-reached", "8")).report

    undecided = by_verdict(report, Verdict.INCONCLUSIVE)
    assert report.outcome is Outcome.INCONCLUSIVE
    assert "8-limit-enforced" in undecided
    assert by_verdict(report, Verdict.FAIL, Verdict.WARN) == {}
    for row in undecided.values():
        assert {each.blame for each in row.findings} == {Blame.CONFIGURATION}
        assert {each.remedy for each in row.findings} == {remedy}


@pytest.mark.parametrize("budget", [Budget(max_created=5), Budget(max_requests=50)])
def test_what_a_budget_held_back_was_not_sent_and_is_no_fault_of_the_target(budget: Budget) -> None:
    sent: list[httpx.Request] = []

    def counting(request: httpx.Request, send: Send) -> httpx.Response:
        sent.append(request)
        return send(request)

    run = run_over(budget=budget, wrap=around(counting))

    assert run.report.outcome is Outcome.INCONCLUSIVE
    assert by_verdict(run.report, Verdict.FAIL, Verdict.WARN) == {}
    assert run.report.summary.created <= budget.max_created
    assert run.report.summary.left_behind == 0
    assert run.report.summary.exchanges == len(sent)
    held_back = [entry for entry in Documents(run).evidence["log"]["entries"] if entry["_trouble"] == "budget"]
    assert held_back
    assert len(Documents(run).evidence["log"]["entries"]) == len(sent) + len(held_back)


def test_requests_that_the_run_did_not_make_are_left_alone_and_no_fault() -> None:
    with session_over() as session:
        # What the account holds already: one of three places.
        others = Session(session.target, transport=session.record._inner)
        kept = others.send("POST", "/requests", credential="user")
        report = check(session, only("4", "8"), Silent()).report
        assert kept.response is not None
        name = kept.response.document.value["requestId"]
        still = others.send("GET", f"/requests/{name}", credential="user")

    assert still.response is not None
    assert still.response.status == 200
    assert by_verdict(report, Verdict.FAIL, Verdict.WARN) == {}
    assert report.outcome is Outcome.INCONCLUSIVE
    assert by_verdict(report, Verdict.INCONCLUSIVE)["8-accepts-up-to-limit"].findings[0].blame is Blame.CONFIGURATION


def test_a_service_that_refuses_calls_at_the_same_time_is_asked_one_after_another() -> None:
    class OneCallOfAUser(Service):
        def __init__(self, *args: Any, **named: Any) -> None:
            super().__init__(*args, **named)
            self.busy: set[str] = set()

        async def perform(self, call: Call) -> Reply:
            user = self.authenticate(call)
            if user is None:
                return await super().perform(call)
            if user.name in self.busy:
                return Reply.json({"error": "Conflict", "message": "Another call is in progress."}, 409)
            self.busy.add(user.name)
            try:
                await asyncio.sleep(0.002)
                return await super().perform(call)
            finally:
                self.busy.discard(user.name)

    run = run_over(bend=bent(OneCallOfAUser), in_turn=False)
    failed = by_verdict(run.report, Verdict.FAIL)

    # Which of the simultaneous calls meet each other is a matter of chance, so no row on them has to fail.
    assert any(each.response is not None and each.response.status == 409 for each in run.exchanges)
    assert not failed.keys() & {"2.1-requestId", "3-removed", "4.1-answers-200", "4.2-answers-200", "7-not-found"}
