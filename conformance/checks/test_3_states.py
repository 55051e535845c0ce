"""Clause 3: the states of a data request, and what a deletion does."""

from __future__ import annotations

from conformance.checks.marks import Observe, first, last, requirement, traces
from conformance.judge import expect
from conformance.judge.requests import keeps_others
from conformance.judge.run import Run
from conformance.model.errors import NotDecided, answer_of, describe
from conformance.model.exchange import is_missing_again
from conformance.scenarios.completion import Completed


@first
@requirement("3-deletes-no-other")
@traces("""
    PASS POST [a]  -> 200 r2
         POST [a]  -> 200 r1
    FAIL GET r1    -> 200
         DELETE r2 -> 200 OK
    FAIL DELETE r1 -> 404
    PASS GET r1    -> 200 in progress
""")
def test_a_deletion_removes_no_other_request(run: Run, one_deleted_or_reason: NotDecided | None) -> None:
    """A deletion removes no older or newer request, and none of another user."""
    run.decide(keeps_others(run.ledger_so_far()), one_deleted_or_reason)


@last
@requirement("3-deletes-completed")
@traces("""
    FAIL completion.deletions[0]: DELETE r1 -> 404
    PASS completion.deletions[0]: DELETE r1 -> 200 OK
""")
def test_a_completed_request_can_be_deleted(completion: Completed) -> None:
    """A completed request can be deleted."""
    for deleted, after in completion.deletions:
        if is_missing_again(deleted):
            message = f"{describe(deleted)} was sent twice: the first one may have removed the request."
            raise NotDecided(message, exchanges=[deleted])
        expect.status(deleted, 200)
        # 3-removed judges any other answer, which does not show the request.
        if after is not None and answer_of(after).status == 200 and isinstance(after.member("requestId"), str):
            expect.status(after, 404)


@last
@requirement("4.2-completed-request")
def test_a_completed_request_may_be_read(completion: Completed, observe: Observe) -> None:
    """Shows whether a completed request can be read."""
    assert completion.read is not None
    observe(f"Reading a completed request answers {answer_of(completion.read).status}.", completion.read)
