"""What a run sends, and what its report says where little could be asked."""

from __future__ import annotations

import httpx
from whole_runs import Send, Silent, around, by_verdict, only, run_over, session_over

from conformance.http.session import Session
from conformance.model.target import Budget
from conformance.model.verdict import Blame, Outcome, Verdict
from conformance.run.check import check
from conformance.run.documents import Documents
from conformance.run.options import Plan


def test_the_public_profile_creates_nothing_and_sends_no_token() -> None:
    with session_over() as session:
        report = check(session, Plan(profile="public"), Silent()).report
        exchanges = session.record.exchanges

    assert exchanges
    assert {exchange.request.method for exchange in exchanges} == {"GET"}
    assert "authorization" not in {name.lower() for each in exchanges for name, _ in each.request.headers}
    assert report.summary.created == 0
    assert report.outcome is Outcome.CONFORMS_IN_PART
    assert "4.1-answers-200" in report.scope.left_out
    assert by_verdict(report, Verdict.FAIL, Verdict.WARN, Verdict.INCONCLUSIVE) == {}
    assert by_verdict(report, Verdict.PASS).keys() >= {"4.4-answers-200", "2.3-supportedLanaguages", "4.5-array"}


def test_what_a_budget_held_back_was_not_sent_and_is_no_fault_of_the_target() -> None:
    budget = Budget(max_created=5, max_requests=50)
    sent: list[httpx.Request] = []

    def counting(request: httpx.Request, send: Send) -> httpx.Response:
        sent.append(request)
        return send(request)

    run = run_over(plan=only("4", "5.3", "8"), budget=budget, wrap=around(counting))

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
