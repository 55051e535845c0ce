"""Requests that their own deletion does not find, and the violations that explain it."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

import pytest
from assembled import assembled, creation, failed, finding, gone, said
from hand_made import ONE, TWO, data_request, deletion, error, exchange

from conformance.facts.ledger import Ledger
from conformance.judge.requests import keeps_others
from conformance.model.error_table import NOT_FOUND, UNAUTHORIZED
from conformance.model.exchange import Exchange, Operation
from conformance.model.findings import CheckResult
from conformance.model.verdict import Verdict


def at(second: int, each: Exchange) -> Exchange:
    """Return the exchange, begun so many seconds after the first."""
    return replace(each, started=each.started + timedelta(seconds=second), seconds=0.5)


def rejected(number: int, request_id: str = ONE) -> Exchange:
    answer = error(UNAUTHORIZED)
    return deletion(401, answer, "application/json", number=number, request_id=request_id, credential="no token")


@pytest.mark.parametrize(
    "earlier",
    [
        deletion(number=2, credential="other user", request="foreign"),
        deletion(404, error(NOT_FOUND), "application/json", number=2, racing=True),
    ],
    ids=["deleted by another", "deleted in a race"],
)
def test_what_an_earlier_call_may_have_removed_is_not_lost(earlier: Exchange) -> None:
    run = [at(0, creation(1)), at(1, earlier), at(2, gone(3))]

    assert not any(each.actual == "status 404" for each in assembled([], run)["4.3-answers-ok"].findings)


def wrong(row: str, *shown: Exchange) -> CheckResult:
    return said(row, Verdict.FAIL, finding(Verdict.FAIL, "So it was.", *shown))


def made_beside(number: int) -> Exchange:
    return replace(creation(number, TWO), intent=replace(creation(number, TWO).intent, racing=True))


@pytest.mark.parametrize(
    ("row", "run"),
    [
        (
            "5.3-rejected-delete-deletes-nothing",
            [at(2, creation(3, TWO)), at(3, rejected(4, TWO)), at(4, gone(5, TWO))],
        ),
        ("4.1-creates-in-parallel", [at(2, made_beside(3)), at(4, gone(5, TWO))]),
    ],
)
def test_another_call_is_no_reason_of_a_loss_where_requests_are_lost_without_one(row: str, run: list[Exchange]) -> None:
    alone = [at(0, creation(1)), at(1, gone(2))]
    by_other = at(5, deletion(number=6, request_id=TWO, credential="other user", request="foreign"))

    assert row in failed(assembled([wrong(row, run[-1])], run))
    assert assembled([wrong(row, run[-1])], [*alone, *run])[row].verdict is Verdict.INCONCLUSIVE
    assert row in failed(assembled([wrong(row, run[-1], by_other)], [*alone, *run, by_other]))


@pytest.mark.parametrize(("owner", "shown"), [("user", True), ("other user", False)])
def test_only_the_removal_of_a_request_of_the_same_user_shows_that_others_remain(owner: str, *, shown: bool) -> None:
    two = creation(2, TWO)
    two = replace(two, request=replace(two.request, credential=owner))
    remaining = exchange(
        Operation.READ, 200, data_request(requestId=TWO), number=5, request_id=TWO, request="existing", credential=owner
    )
    run = [at(0, creation(1)), at(1, two), at(3, deletion(number=4)), at(4, remaining)]

    assert isinstance(keeps_others(Ledger.of(run)), Exchange) is shown
