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
    [(1, 1, True), (2, 2, False), (1, 3, None), (0, None, None)],
)
def test_a_comparison_answers_yes_no_or_unknown(certain: int, possible: int | None, below: bool | None) -> None:
    more = None if possible is None else possible - certain
    number = Range(certain, () if more == 0 else (Width(Doubt.COMPLETED, more),))

    assert number.is_below(2) is below


FAILED = exchange(Operation.CREATE, 500, b"", body="known types")
BY_ANOTHER = deletion(404, error(NOT_FOUND), "application/json", credential="other user", request="foreign")
FULL = (settings(1), made(), made(TWO, "other user"))

# The calls before a refusal and after it, the requests that count certainly and at most, and why not certainly.
COUNTS: dict[str, tuple[list[Exchange], list[Exchange], int, int, list[Doubt]]] = {
    "seen in progress later": ([made()], [seen()], 1, 1, []),
    "seen no more": ([made()], [], 0, 1, [Doubt.COMPLETED]),
    "deleted with a wrong status": ([made(), deletion(204, b"")], [], 0, 0, []),
    "deletion failed": ([made(), deletion(500, b"")], [], 0, 1, [Doubt.DELETION]),
    "an error with 200": ([made(), deletion(200, error(NOT_FOUND), "application/json")], [], 0, 1, [Doubt.DELETION]),
    "deletion by another user": ([made(), BY_ANOTHER], [], 0, 1, [Doubt.DELETION]),
    "deletion failed, but seen later": ([made(), deletion(500, b"")], [seen()], 1, 1, []),
    "creation failed": ([FAILED], [], 0, 1, [Doubt.UNNAMED]),
    "creation unanswered": ([replace(made(), response=None, error=ErrorKind.DEADLINE)], [], 0, 1, [Doubt.UNNAMED]),
    "made with a made-up token": ([made(credential="a made-up token")], [], 0, 1, [Doubt.TOKEN]),
    "one of two with one identifier deleted": ([made(), made(), deletion()], [], 0, 1, [Doubt.IDENTIFIER]),
    "both deleted": ([made(), made(), deletion(), deletion()], [], 0, 0, []),
    "of another user": ([*FULL], [seen()], 1, 2, [Doubt.USERS]),
    "of another user, with a limit of his own": ([*FULL, seen(), seen(TWO, "other user")], [], 0, 1, [Doubt.COMPLETED]),
}


@pytest.mark.parametrize("name", COUNTS)
def test_requests_count_for_certain_or_perhaps_when_a_creation_is_refused(name: str) -> None:
    before, after, certain, possible, doubts = COUNTS[name]

    found = held(*before, refused(), *after, at=len(before))

    assert (found.certain, found.possible, [each.doubt for each in found.widths]) == (certain, possible, doubts)


def test_a_creation_or_deletion_that_goes_on_beside_a_creation_may_count() -> None:
    for begun, doubt in ((FAILED, Doubt.UNNAMED), (made(), Doubt.COMPLETED)):
        first, last = one_after_another(begun, refused())
        run = [replace(first, seconds=5), last]

        assert [each.doubt for each in at_the_end(last, run).widths] == [doubt]

    creation, removing, last, shown = one_after_another(made(), deletion(), refused(), seen())
    found = at_the_end(last, [creation, replace(removing, seconds=5), last, shown])
    assert (found.certain, found.possible) == (0, 1)


def test_without_a_confirmed_account_any_number_is_possible() -> None:
    found = held(made(), refused(), seen(), empty=False, at=1)

    assert (found.certain, found.possible, found.widths[0].doubt) == (1, None, Doubt.ACCOUNT)


@pytest.mark.parametrize("number", ["3", 1e400, None, 2**70])
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
        ([settings(1), made(), refused(), seen()], State.FULL),
        ([settings(1), made(), refused()], State.EITHER),
        ([settings(0), refused()], State.FULL),
        ([settings(1), made(), seen(isCompleted=True), refused()], State.EITHER),
        ([settings(1), made(), deletion(500, b""), refused()], State.EITHER),
        ([settings(1), made(), deletion(), refused()], State.ROOM),
        ([settings(1), made(), refused(credential="other user")], State.ROOM),
    ],
)
def test_requests_of_the_run_decide_whether_there_is_room_for_a_creation(run: list[Exchange], room: State) -> None:
    exchanges = one_after_another(*run)
    creation = [each for each in exchanges if each.response is not None and each.response.status == 400][-1]

    assert Ledger.of(exchanges).room(creation.id) is room


def test_a_server_error_to_a_creation_beyond_the_limit_leaves_nothing() -> None:
    assert Ledger.of(one_after_another(settings(1), made(), FAILED)).unnamed == []
    assert len(Ledger.of(one_after_another(settings(2), made(), FAILED)).unnamed) == 1


@pytest.mark.parametrize(
    ("run", "stays"),
    [
        ([made(), deletion()], False),
        ([made(), deletion(404, error(NOT_FOUND), "application/json")], True),
        ([made(), deletion(500, b"")], True),
        ([made("17")], True),
        ([made(credential="a made-up token")], True),
        ([exchange(Operation.CREATE, 502, body="known types")], True),
    ],
)
def test_a_place_may_stay_taken_by_a_request_that_no_user_deletes_for_certain(run: list[Exchange], stays: bool) -> None:
    assert (Ledger.of(one_after_another(*run)).may_stay_taken is not None) is stays
