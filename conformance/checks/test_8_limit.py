"""Clauses 3 and 8: maxNumberOfRequests are in progress, no more and no fewer, and a deletion makes room at once.

Libraries make series of calls of two users; the shortest one that shows a violation is kept.
"""

from __future__ import annotations

from dataclasses import replace

from conformance.checks.marks import last, needs, requirement, traces
from conformance.judge.exchanges import remaining
from conformance.judge.run import Run
from conformance.model.errors import NotDecided, NothingToAdd, describe, in_words
from conformance.model.exchange import Exchange
from conformance.scenarios.completion import Completed
from conformance.scenarios.limit import LimitRefill, LimitResult
from conformance.scenarios.races import Races


@last
@requirement("8-limit-enforced")
@traces("""
         GET /settings -> 200 limit 1
         POST [a]      -> 200 r1
    FAIL POST [a]      -> 200 r2
    PASS POST [a]      -> 400 MaximumAmountOfRequestsReached
         GET r1        -> 200 in progress
    FAIL GET r2        -> 200 in progress
""")
def test_no_more_than_the_limit_are_in_progress(
    run: Run,
    limit_or_reason: LimitResult | NotDecided,
    limit_refill_or_reason: LimitRefill | NotDecided,
    sequences_or_reason: list[Exchange] | NotDecided,
) -> None:
    """The service accepts no request beyond maxNumberOfRequests while as many are certainly in progress."""
    run.decide(run.limit_so_far().is_enforced(), limit_or_reason, limit_refill_or_reason, sequences_or_reason)


@last
@requirement("8-accepts-up-to-limit")
@traces("""
         --empty-account
         GET /settings -> 200 limit 1
    FAIL POST [a]      -> 400 MaximumAmountOfRequestsReached
    PASS POST [a]      -> 200 r1
    PASS GET r1        -> 200 in progress
""")
def test_as_many_as_the_limit_are_accepted(
    run: Run, limit_or_reason: LimitResult | NotDecided, sequences_or_reason: list[Exchange] | NotDecided
) -> None:
    """The service refuses no creation because of the limit before maxNumberOfRequests requests can be in progress."""
    run.decide(run.limit_so_far().accepts_up_to_limit(), limit_or_reason, sequences_or_reason)


@last
@requirement("8-completed-do-not-count")
@traces("""
         --empty-account
         GET /settings -> 200 limit 1
         POST [a]      -> 200 r1
         GET r1        -> 200 completed
    FAIL POST [a]      -> 400 MaximumAmountOfRequestsReached
    PASS POST [a]      -> 200 r2
""")
def test_completed_requests_do_not_count(run: Run, completion_or_reason: Completed | NotDecided) -> None:
    """A completed request takes no place: with fewer than the limit in progress, creations are accepted."""
    found = completion_or_reason
    ended = found.unfilled or found if isinstance(found, Completed) else found
    run.decide(run.limit_so_far().ignores_completed(), ended)


@requirement("8-limit-enforced-in-parallel")
@traces("""
         GET /settings -> 200 limit 1
         | POST [a]    -> 200 r1
    FAIL | POST [a]    -> 200 r2
    PASS | POST [a]    -> 400 MaximumAmountOfRequestsReached
         GET r1        -> 200 in progress
    FAIL GET r2        -> 200 in progress
""")
def test_the_limit_holds_for_creations_at_the_same_time(
    run: Run, limit_or_reason: LimitResult | NotDecided, races_or_reason: Races | NotDecided
) -> None:
    """With one place left, no simultaneous creations are accepted beyond the limit, in several rounds."""
    run.decide(run.limit_so_far().holds_in_parallel(), limit_or_reason, _at_the_limit(races_or_reason))


@last
@requirement("3-frees-the-limit")
@traces("""
         --empty-account
         GET /settings -> 200 limit 1
         POST [a]      -> 200 r1
    PASS GET r1        -> 200 in progress
         DELETE r1     -> 200 OK
    PASS POST [a]      -> 200 r2
    PASS GET r2        -> 200 in progress
         POST [a]      -> 400 MaximumAmountOfRequestsReached
""")
def test_a_deletion_frees_the_limit_at_once(
    run: Run,
    limit_or_reason: LimitResult | NotDecided,
    sequences_or_reason: list[Exchange] | NotDecided,
) -> None:
    """With the limit reached, the service accepts a creation right after a deletion, and after several as many."""
    run.decide(run.limit_so_far().is_freed(), limit_or_reason, sequences_or_reason)


@requirement("3-frees-the-limit-in-parallel")
@traces("""
         --empty-account
         GET /settings -> 200 limit 1
         POST [a]      -> 200 r1
         | DELETE r1   -> 200 OK
         | DELETE r1   -> 404
    PASS POST [a]      -> 200 r2
         POST [a]      -> 400 MaximumAmountOfRequestsReached
""")
def test_deletions_at_the_same_time_free_one_place(
    run: Run, limit_or_reason: LimitResult | NotDecided, races_or_reason: Races | NotDecided
) -> None:
    """At the limit, several simultaneous deletions of one request make room for exactly one creation."""
    run.decide(run.limit_so_far().is_freed_in_parallel(), limit_or_reason, _at_the_limit(races_or_reason))


def _at_the_limit(result: Races | NotDecided) -> Races | NotDecided:
    """Return the result of the simultaneous calls, or why there were none at the limit."""
    return result.beyond_budget or result if isinstance(result, Races) else result


@last
@needs("sequences_or_reason", "linked_calls_or_reason")
@requirement("3-removed")
@traces("""
         sequences[0]: DELETE r1 -> 200 OK
    FAIL sequences[1]: GET r1    -> 200
    PASS sequences[1]: GET r1    -> 404
""")
def test_no_sequence_shows_a_deleted_request(run: Run, sequences_or_reason: list[Exchange] | NotDecided) -> None:
    """No sequence of creations, readings and deletions shows a deleted request; a finding has the shortest one."""
    calls = sequences_or_reason if isinstance(sequences_or_reason, list) else []
    found = remaining(calls[-1:], run.record.in_order())
    if found is None:
        raise NothingToAdd("No sequence of this run shows a deleted request.")
    violation, decisive = found
    said = violation.message.removesuffix(".")
    message = f"{said}. Calls of the shortest sequence that shows it: {len(calls)}."
    steps = [(f"{describe(each)}: {in_words(each)}", each) for each in calls]
    raise replace(violation, message=message, exchanges=[decisive], steps=steps)


@last
@requirement("4.2-answers-200")
@needs("sequences_or_reason")
@traces("""
         --empty-account
         GET /settings -> 200 limit 1
         POST [a]      -> 200 r1
    FAIL GET r1        -> 404
    PASS GET r1        -> 200
         POST [a]      -> 400 MaximumAmountOfRequestsReached
""")
def test_a_request_that_counts_is_found(run: Run) -> None:
    """A request that takes a place of the limit is in progress, so a reading finds it, in every sequence of calls."""
    if (hidden := run.limit_so_far().hides_what_counts()) is not None:
        raise hidden
    raise NothingToAdd("No request that counts was missing when it was read.")
