"""Targets that are only slow: a run says early that its time does not suffice, ends in time, and fails no requirement.

Time passes by the clock that the service and the run share: none of these tests waits.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import count
from typing import Any

import httpx
import pytest
from hand_made import ONE, Scripted, Waits, created, json_answer, session_with
from report_samples import typed
from whole_runs import Send, Silent, around, notes_of, session_over

from conformance.generation import cases
from conformance.http.secrets import personal
from conformance.http.session import Session
from conformance.model.errors import NotDecided
from conformance.model.exchange import ErrorKind, TransportError
from conformance.model.target import Budget
from conformance.model.verdict import Blame, Exit, Outcome, Verdict
from conformance.reference.clock import SharedClock
from conformance.reports.exit_code import exit_code
from conformance.run.check import check
from conformance.run.documents import Documents
from conformance.run.options import Plan
from conformance.scenarios.api import Api

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


def test_a_search_for_calls_ends_with_the_time_and_gives_none_of_them(monkeypatch: pytest.MonkeyPatch) -> None:
    usual, drawn_cases = cases.call_of, list[str]()
    session, clock, _ = ticking(60, 0)

    def takes_long(case: Any, *which: Any) -> Any:
        drawn_cases.append(str(which))
        clock.moment += 4.0
        return usual(case, *which)

    cases.cases.cache_clear()
    monkeypatch.setattr(cases, "call_of", takes_long)
    with pytest.raises(NotDecided, match="The time of the run"):
        cases.drawn(Api(session), cases.OF_THE_PUBLIC)

    assert 1 < len(drawn_cases) < 20
    assert session.clock.is_over()


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
