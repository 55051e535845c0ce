"""The ledger: which requests exist, and how many count against the limit."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hand_made import ONE, SETTINGS, THREE, TWO, deletion, error, exchange
from lives import made, one_after_another, refused, seen, settings

from conformance.facts.ledger import Ledger
from conformance.facts.life import Doubt, Range, Width
from conformance.model.error_table import NOT_FOUND, UNAUTHORIZED
from conformance.model.exchange import ErrorKind, Exchange, Operation
from conformance.spec.kinds import State


def held(*run: Exchange, empty: bool = True, at: int = -1) -> Range:
    """Return what the user holds when the last of some exchanges is answered, or another one."""
    exchanges = one_after_another(*run)
    return at_the_end(exchanges[at], exchanges, empty=empty)


def at_the_end(call: Exchange, run: list[Exchange], *, empty: bool = True) -> Range:
    return Ledger.of(run, empty=empty).held("user", call.sent, call.over)


@pytest.mark.parametrize(
    ("certain", "possible", "below"),
    [(1, 1, True), (2, 2, False), (3, 3, False), (1, 3, None), (0, None, None)],
)
def test_a_comparison_answers_yes_no_or_unknown(certain: int, possible: int | None, below: bool | None) -> None:
    more = None if possible is None else possible - certain
    number = Range(certain, () if more == 0 else (Width(Doubt.COMPLETED, more),))

    assert number.is_below(2) is below


def test_a_request_that_is_seen_in_progress_later_counts_for_certain() -> None:
    assert held(made(), refused(), seen(), at=1) == Range(1)


def test_a_request_that_nothing_shows_in_progress_later_may_be_completed() -> None:
    found = held(made(), refused())

    assert (found.certain, found.possible, [each.doubt for each in found.widths]) == (0, 1, [Doubt.COMPLETED])


def test_a_confirmed_deletion_removes_a_request_even_with_a_wrong_status() -> None:
    for removing in (deletion(), deletion(204, b"")):
        assert held(made(), removing, refused()) == Range(0)


@pytest.mark.parametrize(
    "removing",
    [
        deletion(500, b""),
        replace(deletion(), response=None, error=ErrorKind.CLOSED),
        deletion(200, error(NOT_FOUND), "application/json"),
        deletion(404, error(NOT_FOUND), "application/json", credential="other user", request="foreign"),
    ],
    ids=["500", "no answer", "an error with 200", "by another user"],
)
def test_a_deletion_that_was_not_certainly_refused_leaves_a_doubt(removing: Exchange) -> None:
    found = held(made(), removing, refused())

    assert (found.certain, found.possible, [each.doubt for each in found.widths]) == (0, 1, [Doubt.DELETION])


def test_what_is_seen_later_was_not_removed() -> None:
    assert held(made(), deletion(500, b""), refused(), seen(), at=2) == Range(1)


@pytest.mark.parametrize(
    "creation",
    [
        exchange(Operation.CREATE, 500, b"", body="known types"),
        exchange(Operation.CREATE, 200, b"null", body="known types"),
        replace(made(), response=None, error=ErrorKind.DEADLINE),
    ],
    ids=["500", "no identifier", "no answer"],
)
def test_a_creation_that_may_have_made_an_unnamed_request_is_one_more_possible(creation: Exchange) -> None:
    found = held(creation, refused())

    assert (found.certain, found.possible, [each.doubt for each in found.widths]) == (0, 1, [Doubt.UNNAMED])


def test_what_goes_on_beside_a_creation_may_count() -> None:
    failed = exchange(Operation.CREATE, 500, body="known types")
    for begun, doubt in ((failed, Doubt.UNNAMED), (made(), Doubt.COMPLETED)):
        first, last = one_after_another(begun, refused())
        run = [replace(first, seconds=5), last]

        assert [each.doubt for each in at_the_end(last, run).widths] == [doubt]


def test_a_request_that_is_being_deleted_may_count() -> None:
    creation, removing, last, shown = one_after_another(made(), deletion(), refused(), seen())
    run = [creation, replace(removing, seconds=5), last, shown]

    found = at_the_end(last, run)
    assert (found.certain, found.possible) == (0, 1)


def test_without_a_confirmed_account_any_number_is_possible() -> None:
    found = held(made(), refused(), seen(), empty=False, at=1)

    assert (found.certain, found.possible, found.widths[0].doubt) == (1, None, Doubt.ACCOUNT)


def test_a_creation_with_a_token_that_has_to_be_refused_may_count_for_each_user() -> None:
    found = held(made(credential="a made-up token"), refused())

    assert (found.certain, found.possible, [each.doubt for each in found.widths]) == (0, 1, [Doubt.TOKEN])


def test_a_shared_identifier_is_a_multiset() -> None:
    assert held(made(), made(), refused()).possible == 2
    assert held(made(), made(), deletion(), refused()).possible == 1
    assert held(made(), made(), deletion(), deletion(), refused()).possible == 0


def test_requests_of_all_users_are_possible_until_one_fills_the_limit_while_another_holds_a_request() -> None:
    full = (settings(1), made(), made(TWO, "other user"))

    assert held(*full, refused(), seen(), at=3).possible == 2
    assert held(*full, seen(), seen(TWO, "other user"), refused()).possible == 1


@pytest.mark.parametrize("number", ["3", 1e400, True, None, [], -1, 2**70])
def test_a_limit_in_any_form_is_read(number: object) -> None:
    run = one_after_another(exchange(Operation.SETTINGS, 200, SETTINGS | {"maxNumberOfRequests": number}), made())

    assert all(isinstance(each, int) for each in Ledger.of(run).limits("user"))


def test_a_life_has_what_showed_the_request_and_what_removed_it() -> None:
    run = one_after_another(
        made(), seen(), seen(isCompleted=True), exchange(Operation.READ, 404, error(NOT_FOUND), request="existing")
    )
    removed = one_after_another(made(TWO), deletion(request_id=TWO), seen(TWO))
    life, gone = Ledger.of(run).life(ONE), Ledger.of(removed).life(TWO.upper())

    assert life is not None
    assert gone is not None
    assert ([len(each) for each in (life.in_progress, life.completed, life.missing)], life.deleted) == ([2, 1, 1], [])
    assert (len(gone.deleted), len(gone.in_progress)) == (1, 1)  # what is shown after the deletion is no state
    assert Ledger.of(run).life(THREE) is None


def test_a_deletion_that_finds_nothing_shows_a_lost_request_unless_something_may_have_removed_it() -> None:
    missing = deletion(404, error(NOT_FOUND), "application/json")
    refusal = deletion(401, error(UNAUTHORIZED), "application/json", credential="no token")

    for before, is_lost in (((), True), ((refusal,), True), ((deletion(500, b""),), False), ((deletion(),), False)):
        life = Ledger.of(one_after_another(made(), *before, missing)).life(ONE)
        assert life is not None
        assert (life.lost is not None) is is_lost


def test_a_request_that_only_its_deletion_finds_had_completed_unseen() -> None:
    unread = exchange(Operation.READ, 404, error(NOT_FOUND), request="existing")

    for run, is_unreadable in (
        ((made(), seen(), unread, deletion(), refused()), True),
        ((made(), unread, seen(), deletion(), refused()), False),
        ((made(), seen(), unread, refused()), False),
        ((made(), seen(), deletion(), unread, refused()), False),
    ):
        exchanges = one_after_another(*run)
        life = Ledger.of(exchanges).life(ONE)
        assert life is not None
        assert (life.unreadable is not None) is is_unreadable
    at = one_after_another(made(), unread, refused(), deletion())
    assert len(Ledger.of(at).unreadable_before("user", at[2].sent, at[2].over)) == 1
    assert Ledger.of(at).unreadable_before("user", at[3].sent, at[3].over) != []


@pytest.mark.parametrize(
    ("run", "room"),
    [
        ([made(), refused()], State.ROOM),
        ([settings(2), made(), refused()], State.ROOM),
        ([settings(1), made(), refused(), seen()], State.FULL),
        ([settings(1), made(), refused()], State.EITHER),
        ([settings(0), refused()], State.FULL),
        ([settings(1), made(), seen(isCompleted=True), refused()], State.EITHER),
        ([settings(1), made(), deletion(500, b""), refused()], State.EITHER),
        ([settings(1), made(), deletion(), refused()], State.ROOM),
        ([settings(1), made(credential="other user"), refused()], State.ROOM),
        ([settings(1), made(), refused(credential="other user")], State.ROOM),
    ],
)
def test_requests_of_the_run_decide_whether_there_is_room_for_a_creation(run: list[Exchange], room: State) -> None:
    exchanges = one_after_another(*run)
    creation = [each for each in exchanges if each.response is not None and each.response.status == 400][-1]

    assert Ledger.of(exchanges).room(creation.id) is room


def test_a_server_error_to_a_creation_beyond_the_limit_leaves_nothing() -> None:
    failed = exchange(Operation.CREATE, 500, body="known types")

    assert Ledger.of(one_after_another(settings(1), made(), failed)).unnamed == []
    assert len(Ledger.of(one_after_another(settings(2), made(), failed)).unnamed) == 1


@pytest.mark.parametrize(
    ("run", "stays"),
    [
        ([made(), deletion()], False),
        ([made(), seen()], False),
        ([made(), deletion(404, error(NOT_FOUND), "application/json")], True),
        ([made(), deletion(500, b"")], True),
        ([made("17")], True),
        ([made(credential="a made-up token")], True),
        ([exchange(Operation.CREATE, 502, body="known types")], True),
    ],
)
def test_a_place_may_stay_taken_by_a_request_that_no_user_deletes_for_certain(run: list[Exchange], stays: bool) -> None:
    assert (Ledger.of(one_after_another(*run)).may_stay_taken is not None) is stays
