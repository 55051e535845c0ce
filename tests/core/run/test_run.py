"""What a run sends and when it judges, and what its report says where little could be asked."""

from __future__ import annotations

import random
import re
import time
from datetime import datetime, timedelta

import httpx
import pytest
from whole_runs import Send, Silent, Wrap, around, by_verdict, config, differences, only, row_of, run_over, session_over

from conformance.model.exchange import Operation
from conformance.model.target import Budget
from conformance.model.verdict import Blame, Outcome, Verdict
from conformance.reference.clock import SharedClock
from conformance.run import in_process
from conformance.run.check import check
from conformance.run.documents import Documents
from conformance.run.plan import Plan


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


def without_date(request: httpx.Request, send: Send) -> httpx.Response:
    answer = send(request)
    answer.headers.pop("date", None)
    return answer


@pytest.mark.parametrize("hours", [-1, 0.02])
def test_a_clock_that_is_set_during_the_run_decides_nothing(monkeypatch: pytest.MonkeyPatch, hours: float) -> None:
    """The wall clock of the tester is set once, after some calls; the clock of the service goes on."""

    class Set(SharedClock):
        readings = 0

        def now(self) -> datetime:
            self.readings += 1
            return super().now() + timedelta(hours=hours if self.readings > 4 else 0)

    monkeypatch.setattr(in_process, "SharedClock", Set)

    run = run_over(plan=only("2.1-createdAt-value", "2.1-createdAt-precise"), wrap=around(without_date))

    found = row_of(run.report, "2.1-createdAt-value")
    assert (found.verdict, found.findings[0].blame) == (Verdict.INCONCLUSIVE, Blame.CONFIGURATION)
    assert "monotonic clock" in found.findings[0].message
    assert differences(run) == []


Asked = tuple[str, str, str, tuple[tuple[str, str], ...], bytes]

_IDENTIFIER = re.compile(r"(?i)[0-9a-f]{8}(-?[0-9a-f]{4}){3}-?[0-9a-f]{11,12}")
"""An identifier, also one that is cut short."""
_OF_THE_SUITE = re.compile(r"drsi|conformance|no-such|x-none|q=0\.1", re.IGNORECASE)


def questions(wrap: Wrap = lambda transport: transport) -> list[Asked]:
    """Run every check anonymously and return what was asked: check, method, URL below base_url, headers and body."""
    with session_over(config(seed=7), seed=3, anonymous=True, wrap=wrap) as session:
        check(session, Plan(), Silent())
    base_url = session.target.base_url
    exchanges = session.record.in_order()
    together = {exchange.check for exchange in exchanges if exchange.operation is Operation.CREATE and exchange.beside}
    asked = []
    for exchange in exchanges:
        question, url = exchange.request, exchange.request.url.removeprefix(base_url)
        if exchange.check in together and (found := _IDENTIFIER.search(url.partition("?")[0])):
            url = url.replace(found.group(), "#")  # which of the creations at the same time gets it is the target's
        asked.append((exchange.check, question.method, url, tuple(question.headers), question.body))
    return asked


@pytest.fixture(scope="module")
def expected() -> list[Asked]:
    return questions()


def test_nothing_that_it_sends_names_the_suite(expected: list[Asked]) -> None:
    assert len(expected) > 300
    assert [asked for _, *asked in expected if _OF_THE_SUITE.search(str(asked))] == []


def test_a_slow_service_is_asked_the_same(expected: list[Asked]) -> None:
    def late(request: httpx.Request, send: Send) -> httpx.Response:
        time.sleep(random.choice((0.0, 0.0, 0.0, 0.002, 0.008)))  # never in the same rhythm twice
        return send(request)

    assert questions(around(late)) == expected
