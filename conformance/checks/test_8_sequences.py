"""Clauses 3, 4 and 8: series of calls of two users, which libraries make; the shortest one that shows a violation."""

from __future__ import annotations

from dataclasses import replace

from conformance.checks.marks import by_requirement, last, needs, requirement, traces
from conformance.generation.shortest import WANTED, violations_of
from conformance.model.errors import NotDecided, NothingToAdd, describe, in_words
from conformance.model.exchange import Exchange
from conformance.rules.limit import limit_so_far
from conformance.rules.run import Run


@last
@by_requirement("requirement_id", {name: name for name in WANTED})
@traces(
    """
         sequences[0]: DELETE r1 -> 200 OK
    FAIL sequences[1]: GET r1    -> 200
    PASS sequences[1]: GET r1    -> 404
    """,
    of="3-removed",
)
@traces(
    """
         linked_calls[0]: POST [a]  -> 200 r1
    FAIL linked_calls[1]: DELETE r1 -> 400 {"error": "No"}
    PASS linked_calls[1]: DELETE r1 -> 200 OK
    """,
    of="4.3-answers-ok",
)
def test_sequences_keep(
    run: Run,
    sequences_or_reason: list[Exchange] | NotDecided,
    linked_calls_or_reason: list[Exchange] | NotDecided,
    requirement_id: str,
) -> None:
    """No series of creations, readings and deletions violates the requirement; a finding shows the shortest one."""
    for series in (sequences_or_reason, linked_calls_or_reason):
        calls = series if isinstance(series, list) else []
        for violation, decisive in violations_of(calls[-1:], run.record.in_order()):
            if violation.requirement == requirement_id:
                said = violation.message.removesuffix(".")
                message = f"{said}. Calls of the shortest series that shows it: {len(calls)}."
                steps = [(f"{describe(each)}: {in_words(each)}", each) for each in calls]
                raise replace(violation, message=message, exchanges=[decisive], steps=steps)
    raise NothingToAdd("No series of this run violates this.")


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
    if (hidden := limit_so_far(run).hides_what_counts()) is not None:
        raise hidden
    raise NothingToAdd("No request that counts was missing when it was read.")
