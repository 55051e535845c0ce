"""Clause 4.1: a refused creation creates nothing, which the limit shows."""

from __future__ import annotations

from conformance.checks.marks import first, requirement, traces
from conformance.facts.answers import accepted, is_limit_refusal
from conformance.model.errors import NotDecided, must_answer
from conformance.model.text import count
from conformance.rules import expect
from conformance.rules.limit import limit_so_far
from conformance.rules.run import Run
from conformance.scenarios.limit import LimitResult
from conformance.scenarios.refill import LimitRefill


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
    if found.refused and is_limit_refusal(found.final):
        limit_so_far(run).assert_room(found.final)
        taken = len(found.held)
        raise expect.violated(
            f"A refused creation used up a place: {taken} of {taken + 1} places were taken, the service "
            f"refused {count(len(found.refused), 'creation')}, and then refused the next one because of "
            "the limit.",
            "200: a refused creation creates nothing",
            *(found.final, *found.refused),
            probe=must_answer(200),
        )
    if not accepted(found.final):
        raise run.why_not_created(found.final)


def _assert_nothing_kept_at_the_limit(run: Run, found: LimitResult) -> None:
    """If a deletion freed a place before the first refusal but not after it, the refused creation took the place."""
    swapped = bool(found.replacements) and all(accepted(created) for _, created in found.replacements)
    again = found.after_deletion
    if swapped and found.deleted and accepted(found.deleted) and again is not None and is_limit_refusal(again):
        limit_so_far(run).assert_room(again)
        raise expect.violated(
            "After a refusal because of the limit, a deletion made no room, although a deletion before the first "
            "refusal did: the service stores the creations that it refuses, or it remembers the refusal.",
            "200 after the deletion: a refused creation creates nothing",
            *(again, found.deleted, *found.later[:2]),
            probe=must_answer(200),
        )
