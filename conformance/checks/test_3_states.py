"""Clause 3: the states of a data request, and what a deletion does."""

from __future__ import annotations

from conformance.checks.marks import Observe, first, last, needs, requirement, traces
from conformance.facts.answers import accepted
from conformance.model.errors import NotDecided, RequirementViolated, answer_of, not_applicable
from conformance.model.exchange import MISSING, Exchange, Operation, state_of
from conformance.model.probe import must_answer
from conformance.model.text import count
from conformance.rules import expect
from conformance.rules.expect import member
from conformance.rules.limit import limit_so_far
from conformance.rules.run import Run
from conformance.scenarios.completion import Completed
from conformance.scenarios.deletions import Missing, OneDeleted
from conformance.scenarios.limit import LimitResult


@first
@requirement("3-deletes-no-other")
@traces("""
         one_deleted.readable: POST [a]          -> 200 r1
         one_deleted.deleted: DELETE r2          -> 200 OK
         one_deleted.missing[0].after: GET r1    -> 404
         one_deleted.missing[0].instead: GET r2  -> 404
    FAIL one_deleted.missing[0].gone: DELETE r1  -> 404
    PASS one_deleted.missing[0].gone: DELETE r1  -> 200 OK
         one_deleted.missing[0].again: DELETE r1 -> 404
""")
def test_a_deletion_removes_no_other_request(
    run: Run, limit_or_reason: LimitResult | NotDecided, one_deleted_or_reason: OneDeleted | NotDecided
) -> None:
    """A deletion removes no older or newer request, and none of another user."""
    if isinstance(limit_or_reason, LimitResult):
        _assert_none_lost_at_the_limit(run, limit_or_reason)
    found = one_deleted_or_reason
    if isinstance(found, NotDecided):
        raise found
    if not found.readable:
        if any(one.completed for one in found.made):
            message = "Requests complete at once and then cannot be read: the check cannot see them remain."
            raise not_applicable("completes-at-once", message, found.made[0].exchange)
        raise NotDecided(
            "No other request can be read, so the check cannot see whether it remains.",
        )
    assert found.deleted is not None
    if not accepted(found.deleted):
        raise NotDecided("The deletion was refused.", exchanges=[found.deleted])
    for each in found.missing:
        _assert_kept(each, found.deleted)


def _assert_none_lost_at_the_limit(run: Run, found: LimitResult) -> None:
    """At the limit: if a deleted request can still be read and another one cannot, the wrong one was removed."""
    alive = [read for read in found.undeleted if read.response is not None and read.response.status == 200]
    unread = limit_so_far(run).ledger.unread(found.reads)
    if alive and unread:
        raise RequirementViolated(
            "Deleting one request removed another: the deleted one can still be read, another cannot.",
            expected="only the named request is removed",
            actual="status 200 to reading the deleted request, 404 to reading another",
            exchanges=[alive[0], unread[0]],
            probe=must_answer(404),
        )


def _assert_kept(missing: Missing, deleted: Exchange) -> None:
    after, gone, again = missing.after, missing.gone, missing.again
    if missing.lost:
        raise RequirementViolated(
            "Deleting one request removed another: the other can no longer be read"
            + (", nor deleted." if answer_of(gone).status in MISSING else ", and the deleted request still can."),
            expected="the other request still exists",
            actual=f"status {answer_of(after).status} to reading it, {answer_of(gone).status} to deleting it",
            exchanges=[after, deleted, gone],
            probe=must_answer(200),
        )
    if missing.decides:
        raise NotDecided(
            f"Another request could no longer be read after the deletion, and deleting it was answered "
            f"{answer_of(gone).status}, then {answer_of(again).status}: it may have completed, or be removed.",
            exchanges=[after, deleted, again],
        )


@last
@requirement("3-deletes-completed")
@traces("""
    FAIL completion.deletions[0]: DELETE r1 -> 404
    PASS completion.deletions[0]: DELETE r1 -> 200 OK
""")
def test_a_completed_request_can_be_deleted(completion: Completed) -> None:
    """A completed request can be deleted."""
    if not completion.deletions:
        raise NotDecided("The run deleted no completed request.")
    for deleted, after in completion.deletions:
        expect.status(deleted, 200)
        # 3-removed judges any other answer, which does not show the request.
        if after is not None and answer_of(after).status == 200 and isinstance(member(after, "requestId"), str):
            expect.status(after, 404)


@last
@needs("user")
@requirement("3-transitions")
def test_requests_may_complete_at_any_time(run: Run, observe: Observe) -> None:
    """Shows whether the run saw a completed request."""
    answers = [each for each in run.record.in_order() if each.operation in (Operation.CREATE, Operation.READ)]
    completed = [each for each in answers if state_of(each)]
    observe(f"{count(len(completed), 'response')} showed a completed request.", *completed[:1])
