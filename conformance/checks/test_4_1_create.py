"""Clause 4.1: POST /requests creates a data request; a refused creation creates nothing, which the limit shows."""

from __future__ import annotations

from collections.abc import Collection

from conformance.checks.marks import first, requirement, traces
from conformance.facts.answers import accepted, is_limit_refusal, succeeded
from conformance.generation.meaning import alike, types_in_body
from conformance.judge import expect
from conformance.judge.expect import received
from conformance.judge.run import Run
from conformance.model.errors import (
    NotDecided,
    NothingToAdd,
    RequirementViolated,
    answer_of,
    describe,
    must_answer,
    not_applicable,
)
from conformance.model.exchange import Exchange, Operation, is_missing_again
from conformance.model.text import count, in_json
from conformance.scenarios.limit import LimitRefill, LimitResult


@requirement("4.1-creates-in-parallel")
@traces("""
         two_users[0]: POST [a]        -> 200 r1
    FAIL two_users[0]: DELETE r1       -> 404
    FAIL two_users[0]: other DELETE r1 -> 200 OK
    PASS two_users[0]: DELETE r1       -> 200 OK
""")
def test_creations_of_two_users_at_the_same_time_are_kept_apart(two_users: list[list[Exchange]]) -> None:
    """A creation beside one of another user makes a request that its own user can delete."""
    if not two_users:
        raise NothingToAdd("No other user created a request at the same time.")
    for creation, deleted, *by_other in two_users:
        answer_of(deleted)
        if is_missing_again(deleted):
            message = f"{describe(deleted)} was sent twice: the first one may have removed the request."
            raise NotDecided(message, exchanges=[deleted])
        if not by_other:
            continue
        could = "could" if accepted(by_other[0].response) else "could not"
        raise expect.violated(
            "Two users created a request at the same time, and one of them could not delete it: "
            f"the other user {could} delete it.",
            "every request that a creation returned exists for its user",
            *(deleted, creation, *by_other),
            probe=must_answer(200),
            remedy="Keep the user of a call in the call, not in a global variable or a field that calls share.",
        )


@requirement("4.1-similar-type")
@traces("""
    FAIL POST [A] -> 200 r1 {"dataRequested": ["a"]}
    PASS POST [A] -> 400 InvalidDataTypes
""")
def test_a_string_that_resembles_a_type_is_no_type(run: Run, generated_or_reason: NotDecided | None) -> None:
    """No string that differs from a type in letter case, white space, Unicode form or notation is taken for it."""
    listed = run.ever_listed or frozenset()
    shown = [(types_in_body(each.request.body) or [], each) for each in run.record.answered(Operation.CREATE)]
    shown = [(types, each) for types, each in shown if len(types) == 1 and _resembles(types[0], listed)]
    if not shown:
        raise generated_or_reason or not_applicable("", "The run had no occasion for such a call.")
    for types, exchange in shown:
        taken = exchange.member("dataRequested")
        if not succeeded(exchange):
            continue
        if not isinstance(taken, list) or len(taken) != 1 or not _resembles(types[0], taken):
            message = f"{describe(exchange)} was answered {exchange.status}, and dataRequested is not the type like it."
            raise NotDecided(message, exchanges=[exchange])
        raise RequirementViolated(
            f"{describe(exchange)} is accepted as the type {in_json(taken, 60)}.",
            expected="status 400 with InvalidDataTypes",
            actual=received(exchange),
            exchanges=[exchange],
            probe=must_answer(400),
        )


def _resembles(sent: str, types: Collection[object]) -> bool:
    """Tell whether a string is none of the types, but has the letters or the number of one."""
    # Another notation of a number has a zero before it.
    bare = {alike(each).lstrip("0") for each in types if isinstance(each, str)}
    return sent not in types and alike(sent).lstrip("0") in bare - {""}


@first
@requirement("4.1-refused-creates-nothing")
@traces("""
         --empty-account
         GET /settings                  -> 200 limit 1
         limit = {}
         limit_refill.refused: POST [x] -> 400 InvalidDataTypes
    FAIL limit_refill.final: POST [a]   -> 400 MaximumAmountOfRequestsReached
    PASS limit_refill.final: POST [a]   -> 200 r1
""")
def test_a_refused_creation_creates_nothing(
    run: Run, limit: LimitResult, limit_refill_or_reason: LimitRefill | NotDecided
) -> None:
    """With one place left, refused creations of every kind keep this place free."""
    _assert_nothing_kept_at_the_limit(run, limit)
    found = limit_refill_or_reason
    if isinstance(found, NotDecided):
        raise found
    if found.refused and is_limit_refusal(found.final.response):
        run.limit_so_far().assert_below_limit(found.final)
        taken = len(found.held)
        raise expect.violated(
            f"A refused creation used up a place: {taken} of {taken + 1} places were taken, the service "
            f"refused {count(len(found.refused), 'creation')}, and then refused the next one because of "
            "the limit.",
            "200: a refused creation creates nothing",
            *(found.final, *found.refused),
            probe=must_answer(200),
        )
    if not accepted(found.final.response):
        raise run.why_not_created(found.final)


def _assert_nothing_kept_at_the_limit(run: Run, found: LimitResult) -> None:
    """If a deletion freed a place before the first refusal but not after it, the refused creation took the place."""
    swapped = bool(found.replacements) and all(accepted(created.response) for _, created in found.replacements)
    again = found.after_deletion
    if (
        swapped
        and found.deleted
        and accepted(found.deleted.response)
        and again is not None
        and is_limit_refusal(again.response)
    ):
        run.limit_so_far().assert_below_limit(again)
        raise expect.violated(
            "After a refusal because of the limit, a deletion made no room, although a deletion before the first "
            "refusal did: the service stores the creations that it refuses, or it remembers the refusal.",
            "200 after the deletion: a refused creation creates nothing",
            *(again, found.deleted, *found.later[:2]),
            probe=must_answer(200),
        )
