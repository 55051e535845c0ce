"""Clause 4.1: POST /requests creates a data request."""

from __future__ import annotations

from conformance.checks.marks import requirement, traces
from conformance.facts.answers import accepted
from conformance.model.errors import NotDecided, NothingToAdd, answer_of, describe
from conformance.model.exchange import is_missing_again
from conformance.model.probe import must_answer
from conformance.rules import expect
from conformance.scenarios.parallel import BesideAnother


@requirement("4.1-creates-in-parallel")
@traces("""
         two_users[0].creation: POST [a]        -> 200 r1
    FAIL two_users[0].deleted: DELETE r1        -> 404
    FAIL two_users[0].by_other: other DELETE r1 -> 200 OK
    PASS two_users[0].deleted: DELETE r1        -> 200 OK
""")
def test_creations_of_two_users_at_the_same_time_are_kept_apart(two_users: list[BesideAnother]) -> None:
    """A creation beside one of another user makes a request that its own user can delete."""
    if not two_users:
        raise NothingToAdd("No other user created a request at the same time.")
    for one in two_users:
        answer_of(one.deleted)
        if is_missing_again(one.deleted):
            message = f"{describe(one.deleted)} was sent twice: the first one may have removed the request."
            raise NotDecided(message, exchanges=[one.deleted])
        if one.by_other is None:
            continue
        other = "the other user could delete it" if accepted(one.by_other) else "the other user could not delete it"
        raise expect.violated(
            f"Two users created a request at the same time, and one of them could not delete it: {other}.",
            "every request that a creation returned exists for its user",
            *(one.deleted, one.creation, one.by_other),
            probe=must_answer(200),
            remedy="Keep the user of a call in the call, not in a global variable or a field that calls share.",
        )
