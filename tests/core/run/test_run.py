"""What a run sends, what it reports where little could be asked, and that one that ends early accuses no service."""

from __future__ import annotations

import random
import re
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from datetime import datetime, timedelta
from itertools import count
from pathlib import Path
from typing import Any

import httpx
import pytest
from hand_made import ONE, Scripted, Waits, created, json_answer, session_with
from report_samples import typed
from whole_runs import (
    Send,
    Silent,
    around,
    by_verdict,
    differences,
    notes_of,
    only,
    row_of,
    run_over,
    session_over,
)

from conformance.http.renewed_tokens import CommandToken
from conformance.http.secrets import personal
from conformance.http.session import Session
from conformance.model.errors import NotDecided, PassingFault
from conformance.model.exchange import ErrorKind, Operation, TransportError
from conformance.model.findings import Crashes
from conformance.model.target import Budget
from conformance.model.verdict import Blame, Exit, Outcome, Verdict
from conformance.reference.clock import SharedClock
from conformance.reports.exit_code import exit_code
from conformance.run import in_process
from conformance.run.all_checks import all_checks
from conformance.run.calls import Calls
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


def test_an_interrupt_of_the_clean_up_ends_it(monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupt(**_: object) -> None:
        raise KeyboardInterrupt

    with session_over() as session:
        session.send("POST", "/requests", credential="user")
        calls = Calls(session, Crashes(), Silent())
        monkeypatch.setattr(session, "clean_up", interrupt)
        trace = calls.make([])

        assert len(trace.exchanges) == 1
        assert trace.conditions.interrupted is True
        assert session.journal.left_behind == 1


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


_OF_THE_SUITE = re.compile(r"drsi|conformance|no-such|x-none|q=0\.1", re.IGNORECASE)


_IDENTIFIER = re.compile(r"(?i)[0-9a-f]{8}(-?[0-9a-f]{4}){3}-?[0-9a-f]{11,12}")
"""An identifier, also one that is cut short: which of the creations at the same time gets it is the target's."""


def slower(request: httpx.Request, send: Send) -> httpx.Response:
    time.sleep(random.choice((0.0, 0.0, 0.0, 0.002, 0.008)))  # never in the same rhythm twice
    return send(request)


def test_a_seed_sends_the_same_to_a_slow_service_and_an_anonymous_run_does_not_name_the_suite() -> None:
    sent = []
    for wrap in (around(lambda request, send: send(request)), around(slower)):
        with session_over(seed=3, anonymous=True, wrap=wrap) as session:
            check(session, Plan(), Silent())
        origin, calls = session.target.base_url, session.record.in_order()
        together = {each.check for each in calls if each.operation is Operation.CREATE and each.beside}
        urls = [_IDENTIFIER.sub("#" if one.check in together else r"\g<0>", one.request.url) for one in calls]
        asked = zip(urls, (one.request for one in calls), strict=True)
        sent.append([f"{one.method} {url.removeprefix(origin)} {one.headers} {one.body!r}" for url, one in asked])

    usual, slow = sent
    assert (len(usual) > 300, slow) == (True, usual)
    assert [each for each in usual if _OF_THE_SUITE.search(each)] == []


NAMES = """
from conformance.run.all_checks import all_checks
print([item.nodeid for item in all_checks()])
"""


def test_the_order_of_the_checks_is_the_same_in_another_process() -> None:
    """A check that reads an exchange is named in its evidence, and another process verifies it."""
    other = subprocess.run([sys.executable, "-c", NAMES], capture_output=True, text=True, check=True).stdout

    assert other == f"{[item.nodeid for item in all_checks()]}\n"


@pytest.mark.parametrize("at", [1, 150])
def test_a_run_that_is_stopped_says_so_and_cleans_up(at: int) -> None:
    calls = count(1)

    def stopping(request: httpx.Request, send: Send) -> httpx.Response:
        """Stop the run while one of its calls is under way, in any thread."""
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
    assert (run.report.summary.verdicts[Verdict.PASS] > 0) is (at == 150)  # of the checks whose calls were made
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


FIRST_BYTE = 10.0


def slow(inner: Any, seconds: Callable[[int], float]) -> httpx.BaseTransport:
    """Return a transport that takes `seconds(number of the call)`, as long as the run waits for the answer."""
    calls, clock = count(1), SharedClock(inner._app.state.service.clock)

    def answer(request: httpx.Request, send: Send) -> httpx.Response:
        takes = seconds(next(calls))
        given, why = min(request.extensions["at_most"], (FIRST_BYTE, "no answer in time"))
        clock.sleep(min(takes, given))
        if takes > given:
            raise TransportError(ErrorKind.DEADLINE, why)
        return send(request)

    return around(answer)(inner)


@pytest.mark.parametrize(
    ("seconds", "limit"),
    [(lambda _: 9.9, 600), (lambda number: 1e9 if number % 4 == 0 else 0.01, 300)],
    ids=["ten seconds for each answer", "every fourth call silent"],
)
def test_a_slow_target_ends_no_run_too_late_and_is_accused_of_nothing(
    seconds: Callable[[int], float], limit: float
) -> None:
    # One call at a time, as time passes here: for all calls together.
    budget = Budget(max_time=limit, concurrency=1)
    with session_over(wrap=lambda inner: slow(inner, seconds), budget=budget, account_is_empty=True) as session:
        before = session.clock.seconds()
        run = check(session, Plan(), Silent())
        assert session.clock.seconds() - before <= limit
    report = run.report

    assert [each.traceback for each in report.crashes] == []
    assert report.complete is False
    assert (report.outcome, exit_code(typed(Documents(run).data))) == (Outcome.INCONCLUSIVE, Exit.INCONCLUSIVE)
    assert report.summary.verdicts[Verdict.FAIL] == report.summary.verdicts[Verdict.WARN] == 0
    assert session.journal.live == {}
    (note,) = (each for each in notes_of(run) if "The time of the run" in each.message)
    assert note.blame is Blame.CONFIGURATION
    assert all(option in note.remedy for option in ("--max-time", "--deselect", "--concurrency"))
    over = [
        finding
        for row in report.requirements
        for finding in row.findings
        if row.verdict is Verdict.INCONCLUSIVE and "The time of the run" in finding.message
    ]
    assert over
    assert {each.blame for each in over} <= {Blame.CONFIGURATION, Blame.NETWORK}
    assert all("--max-time" in each.remedy for each in over)


@pytest.mark.parametrize(("largest", "is_read"), [(50_000, False), (500_000, True)])
def test_an_account_that_is_too_large_to_make_anonymous_is_not_read(
    monkeypatch: pytest.MonkeyPatch, largest: int, is_read: bool
) -> None:
    monkeypatch.setattr(personal, "_LARGEST", largest)
    account = Scripted(json_answer(200, [{"name": f"Annabella {number}"} for number in range(5_000)]))

    answer = session_with(account).send("GET", "/data/me", credential="user").response

    assert answer is not None
    assert answer.status == 200
    assert answer.document.unread is not is_read
    assert b"Annabella" not in answer.body
    assert answer.size > 80_000


class _Ticking(Waits):
    """A clock that a test sets."""

    moment = 0.0

    def seconds(self) -> float:  # type: ignore[override]
        return self.moment


def ticking(limit: float, takes: float, **budget: Any) -> tuple[Session, _Ticking, Scripted]:
    """Return a session whose every call takes so long."""
    clock = _Ticking()

    def answer(request: httpx.Request) -> Any:
        clock.moment += takes
        return created(ONE)() if request.method == "POST" else httpx.Response(200, text="OK")

    transport = Scripted(by=answer)
    return session_with(transport, budget=Budget(max_time=limit, **budget), clock=clock), clock, transport


def test_time_is_kept_for_deleting_what_was_created() -> None:
    session, clock, transport = ticking(100, 10)
    session.send("POST", "/requests", credential="user")
    clock.moment = 89

    with pytest.raises(NotDecided, match="The time of the run"):
        session.send("GET", "/settings")
    session.clean_up()

    assert transport.methods == ["POST", "DELETE"]
    assert session.journal.live == {}


def test_nothing_is_created_that_cannot_be_deleted_in_time() -> None:
    session, clock, transport = ticking(100, 10)
    session.send("GET", "/settings")
    clock.moment = 80

    with pytest.raises(NotDecided):
        session.send("POST", "/requests", credential="user")
    session.send("GET", "/settings")

    assert transport.methods == ["GET", "GET"]
    assert (session.journal.pending, session.journal.left_behind) == (0, 0)
