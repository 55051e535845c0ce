"""Clauses 3, 4 and 8: sequences of calls, compared with a model that predicts each answer."""

from __future__ import annotations

from conformance.checks.marks import each_requirement, last, needs, requirement, traces
from conformance.generation.sequences import Sequences, assert_not_violated
from conformance.model.errors import NothingToAdd
from conformance.rules.limit import limit_so_far
from conformance.rules.run import Run


@last
@needs("hypothesis_at_hand")
@each_requirement("3-removed", "3-deletes-no-other", "4.2-agrees-with-creation", "4.3-answers-ok")
@traces(
    """
         DELETE r1                  -> 200 OK
    FAIL sequences.decisive: GET r1 -> 200
    PASS sequences.decisive: GET r1 -> 404
         sequences.requirement = "3-removed"
    """,
    of="3-removed",
)
@traces(
    """
         POST [a]                      -> 200 r1
         DELETE r9                     -> 404
    FAIL sequences.decisive: DELETE r1 -> 404
    PASS sequences.decisive: DELETE r1 -> 200 OK
         sequences.requirement = "3-deletes-no-other"
    """,
    of="3-deletes-no-other",
)
@traces(
    """
         POST [a]                   -> 200 r1
    FAIL sequences.decisive: GET r1 -> 200 {"dataRequested": ["b"]}
    PASS sequences.decisive: GET r1 -> 200
         sequences.requirement = "4.2-agrees-with-creation"
    """,
    of="4.2-agrees-with-creation",
)
@traces(
    """
         POST [a]                      -> 200 r1
    FAIL sequences.decisive: DELETE r1 -> 404
    PASS sequences.decisive: DELETE r1 -> 200 OK
         sequences.requirement = "4.3-answers-ok"
    """,
    of="4.3-answers-ok",
)
def test_sequences_keep(run: Run, sequences: Sequences, requirement_id: str) -> None:
    """No sequence of creations, readings and deletions violates the requirement; a finding shows the shortest one."""
    assert_not_violated(sequences, requirement_id, run.record.in_order())


@last
@requirement("4.2-answers-200")
@needs("sequences")
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
