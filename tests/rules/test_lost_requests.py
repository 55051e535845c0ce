"""Requests that their own deletion does not find, and the violations that explain it."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

import pytest
from assembled import assembled, broken, creation, failed, finding, gone, read, said
from hand_made import ONE, TWO, data_request, deletion, error, exchange

from conformance.model.error_table import NOT_FOUND, UNAUTHORIZED
from conformance.model.exchange import Exchange, Operation
from conformance.model.verdict import Verdict


def at(second: int, each: Exchange) -> Exchange:
    """Return the exchange, begun so many seconds after the first."""
    return replace(each, started=each.started + timedelta(seconds=second), seconds=0.5)


def rejected(number: int, request_id: str = ONE) -> Exchange:
    answer = error(UNAUTHORIZED)
    return deletion(401, answer, "application/json", number=number, request_id=request_id, credential="no token")


def test_a_request_that_its_own_deletion_does_not_find_is_a_failure() -> None:
    found = assembled([], [at(0, creation(1)), at(1, gone(2))])

    assert failed(found) == {"4.3-answers-ok"}
    assert "POST had returned it (e1)" in found["4.3-answers-ok"].findings[0].message


def test_a_completed_request_that_its_deletion_does_not_find_is_one_of_its_own() -> None:
    run = [at(0, creation(1)), at(1, read(200, 2)), at(2, gone(3))]
    run[1].response = exchange(Operation.READ, 200, data_request(isCompleted=True), number=2).response

    assert failed(assembled([], run)) == {"3-deletes-completed"}


@pytest.mark.parametrize(
    "earlier",
    [
        deletion(number=2),
        deletion(number=2, credential="other user", request="foreign"),
        deletion(500, b"", number=2),
        deletion(404, error(NOT_FOUND), "application/json", number=2, racing=True),
    ],
    ids=["deleted", "deleted by another", "perhaps deleted", "deleted in a race"],
)
def test_what_an_earlier_call_may_have_removed_is_not_lost(earlier: Exchange) -> None:
    run = [at(0, creation(1)), at(1, earlier), at(2, gone(3))]

    assert not any(each.actual == "status 404" for each in assembled([], run)["4.3-answers-ok"].findings)


def test_a_rejected_deletion_that_removes_explains_the_loss() -> None:
    run = [at(0, creation(1)), at(1, rejected(2)), at(2, gone(3))]

    assert failed(assembled([broken("5.3-rejected-delete-deletes-nothing", run[2])], run)) == {
        "5.3-rejected-delete-deletes-nothing"
    }


@pytest.mark.parametrize(("status", "blamed"), [(404, "3-deletes-no-other"), (401, "4.3-answers-ok")])
def test_a_deletion_with_a_form_of_the_token_that_the_service_accepts_is_one_of_a_user(
    status: int, blamed: str
) -> None:
    answer = error(NOT_FOUND if status == 404 else UNAUTHORIZED)
    form = "the token with the scheme bearer in lower case"
    other = deletion(status, answer, "application/json", number=2, request_id=TWO, credential=form, open=True)
    run = [at(0, creation(1)), at(1, other), at(2, gone(3))]

    assert failed(assembled([broken("3-deletes-no-other", run[2])], run)) == {blamed}


def test_a_rejected_deletion_of_unknown_effect_can_explain_the_loss() -> None:
    row = "5.3-rejected-delete-deletes-nothing"
    run = [at(0, creation(1)), at(1, rejected(2)), at(2, gone(3))]

    found = assembled([said(row, Verdict.INCONCLUSIVE, finding(Verdict.INCONCLUSIVE))], run)

    assert failed(found) == set()
    assert found["4.3-answers-ok"].findings[0].remedy == f"See {row}."
    assert "they can explain this" in found["4.3-answers-ok"].findings[0].message


def test_a_rejected_deletion_of_unknown_effect_explains_no_other_loss() -> None:
    run = [at(0, creation(1)), at(1, rejected(2)), at(2, gone(3)), at(3, creation(4, TWO)), at(4, gone(5, TWO))]

    assert failed(
        assembled(
            [said("5.3-rejected-delete-deletes-nothing", Verdict.INCONCLUSIVE, finding(Verdict.INCONCLUSIVE))], run
        )
    ) == {"4.3-answers-ok"}


def test_a_loss_may_be_told_by_another_status() -> None:
    lost = deletion(410, error(NOT_FOUND), "application/json", number=2)
    run = [at(0, creation(1)), at(1, lost)]

    found = assembled([], run)

    assert failed(found) == {"4.3-answers-ok"}
    assert found["4.3-answers-ok"].findings[0].actual == "status 410"


def test_requests_lost_without_such_a_call_take_the_blame_from_it() -> None:
    run = [at(0, creation(1)), at(1, rejected(2)), at(2, gone(3)), at(3, creation(4, TWO)), at(4, gone(5, TWO))]

    found = assembled([broken("5.3-rejected-delete-deletes-nothing", run[2])], run)

    assert failed(found) == {"4.3-answers-ok"}
    assert found["5.3-rejected-delete-deletes-nothing"].findings[0].remedy == "See 4.3-answers-ok."


@pytest.mark.parametrize(("second", "to_blame"), [(0, "4.1-creates-in-parallel"), (1, "4.3-answers-ok")])
def test_a_creation_under_way_meanwhile_explains_the_loss_if_they_are_not_kept_apart(
    second: int, to_blame: str
) -> None:
    run = [at(0, creation(1)), at(second, creation(2, TWO)), at(3, gone(3))]

    assert failed(assembled([broken("4.1-creates-in-parallel", run[2])], run)) == {to_blame}


@pytest.mark.parametrize("row", ["4.2-answers-200", "4.3-answers-ok"])
def test_a_deletion_that_removes_another_request_explains_the_loss(row: str) -> None:
    run = [at(0, creation(1)), at(1, deletion(number=2, request_id=TWO)), at(2, gone(3))]

    found = assembled([broken("3-deletes-no-other", run[2]), broken(row, run[2])], run)

    assert failed(found) == {"3-deletes-no-other"}
    assert found[row].findings[0].remedy == "See 3-deletes-no-other."


def test_what_no_missing_request_shows_stands_whatever_deletions_remove() -> None:
    run = [
        at(0, creation(1)),
        at(1, deletion(number=2, request_id=TWO)),
        at(2, gone(3)),
        at(3, deletion(500, b"", number=4)),
    ]

    found = assembled([broken("3-deletes-no-other", run[2]), broken("4.3-answers-ok", run[3])], run)

    assert failed(found) == {"3-deletes-no-other", "4.3-answers-ok"}


@pytest.mark.parametrize(
    ("seen", "end", "verdict"),
    [
        (9, deletion(number=5), Verdict.INCONCLUSIVE),
        (2, deletion(number=5), Verdict.PASS),
        (9, deletion(number=5, credential="other user"), Verdict.PASS),
        (9, gone(5), Verdict.PASS),
    ],
    ids=["another was in progress for longer", "none was", "another user deleted it", "nothing was there to delete"],
)
def test_what_a_reading_misses_and_a_deletion_finds_may_have_been_in_progress(
    seen: int, end: Exchange, verdict: Verdict
) -> None:
    other = exchange(Operation.READ, 200, data_request(requestId=TWO), number=4, request_id=TWO, request="existing")
    run = [at(0, creation(1)), at(0, creation(2, TWO)), at(3, read(404, 3)), at(seen, other), at(10, end)]

    found = assembled([said("4.2-answers-200", Verdict.PASS)], run)["4.2-answers-200"]

    assert found.verdict is verdict
    assert [each.exchanges for each in found.findings] == [("e3",)] * (verdict is Verdict.INCONCLUSIVE)
