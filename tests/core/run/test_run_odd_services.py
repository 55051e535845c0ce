from __future__ import annotations

import asyncio
from typing import Any

import httpx
import pytest
from whole_runs import USERS, Send, Silent, around, bent, by_verdict, config, notes_of, only, run_over, session_over

from conformance.calibration.faults import FAULTS
from conformance.http.session import Session
from conformance.model.target import Budget
from conformance.model.verdict import Blame, Level, Outcome, Verdict
from conformance.reference.call import NO_ANSWER, Action, Call, ErrorCondition, RefusedError, Reply
from conformance.reference.service import Service
from conformance.run.check import check
from conformance.run.documents import Documents

ON_SIMULTANEOUS_CALLS = {
    "3-frees-the-limit-in-parallel",
    "3-removed-in-parallel",
    "4.1-creates-in-parallel",
    "4.2-answers-while-deleted",
    "8-limit-enforced-in-parallel",
}
UNDECIDED = (Verdict.FAIL, Verdict.WARN, Verdict.INCONCLUSIVE)


class _TokensForEverything(Service):
    """Asks for a token before it looks at the path, as a gateway may."""

    async def perform(self, call: Call) -> Reply:
        if self.authenticate(call) is None:
            raise RefusedError(ErrorCondition.UNAUTHORIZED)
        return await super().perform(call)


def test_public_operations_that_require_a_token_are_tested_with_it() -> None:
    run = run_over(config(), bent(_TokensForEverything), account_is_empty=True)

    assert set(by_verdict(run.report, *UNDECIDED)) == {"5.4-settings-without-token", "5.4-data-without-token"}
    said = [each.message for each in notes_of(run)]
    assert {f"GET /{path} requires a token, so later calls send it." for path in ("settings", "data")} <= set(said)


def test_a_public_operation_that_fails_with_the_token_ends_no_run() -> None:
    class LoginOrNothing(Service):
        async def perform(self, call: Call) -> Reply:
            if call.operation is not Action.SETTINGS:
                return await super().perform(call)
            return Reply(NO_ANSWER if self.authenticate(call) else 302, b"", {"location": "https://login.example/"})

    report = run_over(config(), bent(LoginOrNothing), plan=only("4.5", "5.4")).report

    assert by_verdict(report, Verdict.PASS)
    assert not by_verdict(report, Verdict.FAIL)


def test_what_refuses_a_token_as_well_is_not_called_with_it_again() -> None:
    class Closed(Service):
        async def perform(self, call: Call) -> Reply:
            closed = call.operation is Action.SETTINGS
            return Reply.json({"error": "Forbidden"}, 403) if closed else await super().perform(call)

    run = run_over(config(), bent(Closed), plan=only("4.4", "5.4"))

    assert set(by_verdict(run.report, Verdict.FAIL)) == {"5.4-settings-without-token"}
    assert not [each.message for each in notes_of(run) if "send it" in each.message]


def test_without_a_second_user_nothing_that_must_be_is_left_open() -> None:
    report = run_over(config(users=USERS[:1]), account_is_empty=True).report

    undecided = by_verdict(report, *UNDECIDED)
    assert {row.level for row in undecided.values()} <= {Level.OPEN}
    assert report.outcome is Outcome.CONFORMS


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


def test_a_409_to_simultaneous_calls_is_judged_only_by_the_rows_on_them() -> None:
    report = run_over(bend=FAULTS["second-deletion-conflicts"], in_turn=False).report

    failed = by_verdict(report, Verdict.FAIL)
    assert failed
    assert failed.keys() <= ON_SIMULTANEOUS_CALLS
    assert report.summary.left_behind == 0


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
