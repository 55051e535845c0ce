"""The ledger: which requests exist, and how many count against the limit, in runs in the notation of docs/traces.md."""

from __future__ import annotations

from dataclasses import replace

import pytest
from notation import request_id, trace_in

from conformance.facts.ledger import Ledger
from conformance.facts.life import Doubt, Life, Range, Width
from conformance.model.exchange import Exchange
from conformance.spec.kinds import State

MADE = "POST [a] -> 200 r1"
REFUSED = "POST [a] -> 400 MaximumAmountOfRequestsReached"
BY_ANOTHER = "GET /settings -> 200 limit 1; POST [a] -> 200 r1; other POST [a] -> 200 r2"
NOT_FOUND = """'{"error": "Not Found", "message": "Could not find a data request with this id."}'"""


def run_of(*steps: str) -> list[Exchange]:
    return list(trace_in("; ".join(each for each in steps if each)).exchanges)


def held(call: Exchange, run: list[Exchange], *, empty: bool = True) -> Range:
    """Return what the user holds when a call of a run is answered."""
    return Ledger.of(run, empty=empty).held("user", call.sent, call.over)


def life_in(run: str, name: str = "r1") -> Life:
    life = Ledger.of(run_of(run)).life(request_id(name))
    assert life is not None
    return life


@pytest.mark.parametrize(
    ("certain", "possible", "below"),
    [(1, 1, True), (2, 2, False), (1, 3, None), (0, None, None)],
)
def test_a_comparison_answers_yes_no_or_unknown(certain: int, possible: int | None, below: bool | None) -> None:
    more = None if possible is None else possible - certain
    number = Range(certain, () if more == 0 else (Width(Doubt.COMPLETED, more),))

    assert number.is_below(2) is below


@pytest.mark.parametrize(
    ("before", "after", "certain", "possible", "doubts"),
    [
        (MADE, "GET r1 -> 200", 1, 1, []),
        (MADE, "", 0, 1, [Doubt.COMPLETED]),
        (f"{MADE}; DELETE r1 -> 204", "", 0, 0, []),
        (f"{MADE}; DELETE r1 -> 500", "", 0, 1, [Doubt.DELETION]),
        (f"{MADE}; DELETE r1 -> closed", "", 0, 1, [Doubt.DELETION]),
        (f"{MADE}; DELETE r1 -> 200 {NOT_FOUND}", "", 0, 1, [Doubt.DELETION]),
        (f"{MADE}; other DELETE r1 -> 404", "", 0, 1, [Doubt.DELETION]),
        (f"{MADE}; DELETE r1 -> 500", "GET r1 -> 200", 1, 1, []),
        ("POST [a] -> 500", "", 0, 1, [Doubt.UNNAMED]),
        ("POST [a] -> 200 'null'", "", 0, 1, [Doubt.UNNAMED]),
        ("POST [a] -> deadline", "", 0, 1, [Doubt.UNNAMED]),
        ('"a made-up token" POST [a] -> 200 r1', "", 0, 1, [Doubt.TOKEN]),
        # several with one identifier
        (f"{MADE}; {MADE}; DELETE r1 -> 200", "", 0, 1, [Doubt.IDENTIFIER]),
        (f"{MADE}; {MADE}; DELETE r1 -> 200; DELETE r1 -> 200", "", 0, 0, []),
        # of another user, who may have a limit of his own
        (BY_ANOTHER, "GET r1 -> 200", 1, 2, [Doubt.USERS]),
        (f"{BY_ANOTHER}; GET r1 -> 200; other GET r2 -> 200", "", 0, 1, [Doubt.COMPLETED]),
    ],
)
def test_requests_count_for_certain_or_perhaps_when_a_creation_is_refused(
    before: str, after: str, certain: int, possible: int, doubts: list[Doubt]
) -> None:
    run = run_of(before, REFUSED, after)

    found = held(run[len(run_of(before))], run)

    assert (found.certain, found.possible, [each.doubt for each in found.widths]) == (certain, possible, doubts)


def test_a_creation_or_deletion_that_goes_on_beside_a_creation_may_count() -> None:
    for begun, doubt in (("POST [a] -> 500", Doubt.UNNAMED), (MADE, Doubt.COMPLETED)):
        first, last = run_of(begun, REFUSED)
        assert [each.doubt for each in held(last, [replace(first, seconds=5), last]).widths] == [doubt]

    creation, removing, last, shown = run_of(MADE, "DELETE r1 -> 200", REFUSED, "GET r1 -> 200")
    found = held(last, [creation, replace(removing, seconds=5), last, shown])
    assert (found.certain, found.possible) == (0, 1)


def test_without_a_confirmed_account_any_number_is_possible() -> None:
    run = run_of(MADE, REFUSED, "GET r1 -> 200")
    found = held(run[1], run, empty=False)

    assert (found.certain, found.possible, found.widths[0].doubt) == (1, None, Doubt.ACCOUNT)


def test_a_life_has_what_showed_the_request_and_what_removed_it() -> None:
    life = life_in(f"{MADE}; GET r1 -> 200; GET r1 -> 200 completed; GET r1 -> 404")
    gone = life_in("POST [a] -> 200 r2; DELETE r2 -> 200; GET r2 -> 200", request_id("r2").upper())

    assert ([len(each) for each in (life.in_progress, life.completed, life.missing)], life.deleted) == ([2, 1, 1], [])
    assert (len(gone.deleted), len(gone.in_progress)) == (1, 1)  # what is shown after the deletion is no state
    assert Ledger.of(run_of(MADE)).life(request_id("r3")) is None


def test_another_spelling_of_an_identifier_that_finds_nothing_says_nothing_about_the_request() -> None:
    in_capitals = request_id("r1").upper()

    life = life_in(f"{MADE}; GET {in_capitals} -> 404; DELETE {in_capitals} -> 404")

    assert (life.missing, life.lost) == ([], None)


@pytest.mark.parametrize(
    ("before", "is_lost"),
    [(MADE, True), (f"{MADE}; anonymous DELETE r1 -> 401", True), (f"{MADE}; DELETE r1 -> 500", False)],
)
def test_a_deletion_that_finds_nothing_shows_a_lost_request_unless_something_may_have_removed_it(
    before: str, is_lost: bool
) -> None:
    assert (life_in(f"{before}; DELETE r1 -> 404").lost is not None) is is_lost


@pytest.mark.parametrize(
    ("run", "is_unreadable"),
    [
        (f"{MADE}; GET r1 -> 200; GET r1 -> 404; DELETE r1 -> 200", True),
        (f"{MADE}; GET r1 -> 404; GET r1 -> 200; DELETE r1 -> 200", False),
        (f"{MADE}; GET r1 -> 200; GET r1 -> 404", False),
        (f"{MADE}; GET r1 -> 200; DELETE r1 -> 200; GET r1 -> 404", False),
    ],
)
def test_a_request_that_only_its_deletion_finds_had_completed_unseen(run: str, is_unreadable: bool) -> None:
    assert (life_in(run).unreadable is not None) is is_unreadable
    at = run_of(MADE, "GET r1 -> 404", REFUSED, "DELETE r1 -> 200")
    for call in at[2:]:
        assert len(Ledger.of(at).unreadable_before("user", call.sent, call.over)) == 1


@pytest.mark.parametrize(
    ("limit", "run", "room"),
    [
        (2, f"{MADE}; {REFUSED}", State.ROOM),
        (1, f"{MADE}; {REFUSED}; GET r1 -> 200", State.FULL),
        (1, f"{MADE}; {REFUSED}", State.EITHER),
        (0, REFUSED, State.FULL),
        (1, f"{MADE}; GET r1 -> 200 completed; {REFUSED}", State.EITHER),
        (1, f"{MADE}; DELETE r1 -> 500; {REFUSED}", State.EITHER),
        (1, f"{MADE}; DELETE r1 -> 200; {REFUSED}", State.ROOM),
        (1, f"{MADE}; other {REFUSED}", State.ROOM),
        (1, f"POST [a] -> 200 'null'; {REFUSED}", State.EITHER),
        (1, f"other POST [a] -> 200 'null'; {REFUSED}", State.ROOM),
    ],
)
def test_requests_of_the_run_decide_whether_there_is_room_for_a_creation(limit: int, run: str, room: State) -> None:
    exchanges = run_of(f"GET /settings -> 200 limit {limit}", run)
    creation = [each for each in exchanges if each.status == 400][-1]

    assert Ledger.of(exchanges).state_at(creation.id) is room


def test_a_server_error_to_a_creation_beyond_the_limit_leaves_nothing() -> None:
    assert Ledger.of(run_of("GET /settings -> 200 limit 1", MADE, "POST [a] -> 500")).unnamed == []
    assert len(Ledger.of(run_of("GET /settings -> 200 limit 2", MADE, "POST [a] -> 500")).unnamed) == 1


@pytest.mark.parametrize(
    ("run", "stays"),
    [
        (f"{MADE}; DELETE r1 -> 200", False),
        (f"{MADE}; DELETE r1 -> 404", True),
        (f"{MADE}; DELETE r1 -> 500", True),
        ("POST [a] -> 200 17", True),
        ('"a made-up token" POST [a] -> 200 r1', True),
        ("POST [a] -> 502", True),
    ],
)
def test_a_place_may_stay_taken_by_a_request_that_no_user_deletes_for_certain(run: str, stays: bool) -> None:
    assert (Ledger.of(run_of(run)).may_stay_taken is not None) is stays
