"""Clause 8: at most maxNumberOfRequests requests are in progress, and no fewer are accepted."""

from __future__ import annotations

from functools import partial

from conformance.checks.marks import Observe, first, last, requirement
from conformance.client.user import UserClient, accepted
from conformance.model.errors import (
    NotDecided,
    NothingToAdd,
    RequirementViolated,
    answer_of,
    describe,
    in_words,
    not_applicable,
)
from conformance.model.exchange import Exchange, Operation, is_missing, request_id_of, state_of
from conformance.model.probe import must_answer
from conformance.model.text import count
from conformance.scenarios.completion import LeftAlone, completes_some, late, none_completes, refused_with_all_completed
from conformance.scenarios.confirmation import limit_refill
from conformance.scenarios.limit_findings import (
    if_nothing_else_counts,
    never_met,
    published,
    still_holds,
    too_many,
    too_soon,
)
from conformance.scenarios.limit_result import LimitResult
from conformance.scenarios.parallel import Filling, parallel


@first
@requirement("8-limit-enforced")
def test_no_more_than_the_limit_are_in_progress(service: UserClient, limit: LimitResult) -> None:
    """The service does not accept a request beyond maxNumberOfRequests while all others are in progress."""
    if limit.stayed_full or (limit.refused is not None and not limit.held):
        return
    if len(limit.in_progress) > limit.limit:
        last = limit.held[-1].exchange
        raise too_many(service, limit.limit, len(limit.in_progress), "", last, *limit.in_progress)
    if limit.completed:
        raise never_met(service, limit)
    if len(limit.held) <= max(0, limit.limit):
        return
    if limit.shared:
        raise never_met(service, limit)
    _may_be_completed(service, limit.unread)
    raise _state_unknown([limit.held[-1].exchange], limit.reads)


def _state_unknown(beyond: list[Exchange], reads: list[Exchange]) -> NotDecided:
    unread = [read for read in reads if state_of(read) is None]
    example = f" ({describe(unread[0])} was answered {in_words(unread[0])})" if unread else ""
    return NotDecided(
        f"The service accepted a creation beyond the limit, but the run could not read each request to see whether it "
        f"is still in progress{example}.",
        remedy="Correct the failures of clauses 2.1, 3, 4.2 and 5 first, and run again.",
        exchanges=[*beyond, *unread],
    )


@first
@requirement("8-limit-enforced")
def test_calls_that_change_nothing_make_no_room(service: UserClient) -> None:
    """At the limit, refused creations, refused deletions and GET /data/me make no room for another request."""
    try:
        found, number = limit_refill.result(service), service.limit()
    except NotDecided as error:
        raise NothingToAdd(f"The run could not reach the limit again: {error.message}") from None
    beyond = list(filter(accepted, found.beyond))
    if len(found.in_progress) > number:
        why = "It accepted the last after calls that free no place: refused creations and deletions, GET /data/me."
        raise too_many(service, number, len(found.in_progress), why, *beyond, *found.in_progress)
    # All are read as in progress, and no more than the limit: the account held fewer of them than was thought.
    all_seen = bool(found.reads) and len(found.in_progress) == len(found.reads)
    if beyond and not all_seen and not any(map(state_of, found.reads)):
        _may_be_completed(service, list(filter(is_missing, found.reads)))
        raise _state_unknown(beyond, found.reads)


@first
@requirement("8-accepts-up-to-limit")
def test_as_many_as_the_limit_are_accepted(service: UserClient, limit: LimitResult) -> None:
    """The service refuses no creation because of the limit before maxNumberOfRequests requests are in progress."""
    if limit.limit <= 0 and limit.refused is not None:
        raise never_met(service, limit)
    held = limit.held_when_refused
    if limit.replacements or limit.refused is None or held >= limit.limit:
        return  # replacements happen only at the limit
    if not held and not service.session.target.account_is_empty:
        service.created(limit.refused)
    message = f"The service refused a creation with {count(held, 'request')} of this run in progress, although "
    message += f"maxNumberOfRequests is {limit.limit}."
    raise RequirementViolated(
        if_nothing_else_counts(service, limit.limit, message, limit.refused),
        expected=f"{count(limit.limit, 'request')} accepted",
        actual=f"{held} accepted",
        exchanges=[
            limit.refused,
            *(one.exchange for one in limit.held[:held]),
            *published(service, limit.refused),
        ],
        probe=must_answer(200),
    )


@last
@requirement("8-completed-do-not-count")
def test_completed_requests_do_not_count(service: UserClient, limit: LimitResult, left_alone: LeftAlone) -> None:
    """A completed request takes no place: its deletion does not change which creations the service accepts."""
    if limit.limit <= 0 and limit.refused is not None:
        raise never_met(service, limit)
    if not limit.completed:
        _none_counts_later(service, left_alone)
        return
    if limit.freed_was_completed and limit.freed_a_place and limit.stayed_full:
        still_holds(service, limit.limit)
        exchanges = (limit.completed[0].exchange, limit.later[0], limit.deleted, limit.after_deletion)
        raise _counts(
            "The service refused a creation until a completed request was deleted", limit.later[0], *exchanges
        )


def _counts(what: str, refused: Exchange, *exchanges: Exchange | None) -> RequirementViolated:
    return RequirementViolated(
        f"{what}: completed requests count against the limit.",
        expected="only requests in progress count",
        actual=f"status {answer_of(refused).status} before the deletion, accepted after it",
        exchanges=[exchange for exchange in exchanges if exchange is not None],
    )


def _none_counts_later(service: UserClient, left_alone: LeftAlone) -> None:
    """Check the early request, or create up to the limit again and wait until all requests are completed."""
    kept = late.result(service)
    if kept is not None and kept.refused is not None and kept.again is not None and accepted(kept.again):
        still_holds(service, service.limit())
        held = f"{count(len(kept.held), 'request')} in progress and a completed one"
        what = f"The service refused a creation with {held}, until the completed one was deleted"
        raise _counts(what, kept.refused, kept.read, kept.refused, kept.deleted, kept.again)
    if kept is not None and kept.completed:
        if kept.unfilled is not None:
            raise kept.unfilled
        return
    if not completes_some(service, left_alone):
        raise none_completes(service)
    found = refused_with_all_completed(service)
    if found is not None and accepted(found.again):
        what = "The service refused a creation while every request was completed, until one of them was deleted"
        raise _counts(what, found.later[0], *found.reads, found.later[0], found.deleted, found.again)


@requirement("8-limit-enforced-in-parallel")
def test_the_limit_holds_for_creations_at_the_same_time(service: UserClient, limit: LimitResult) -> None:
    """With one place left, no simultaneous creations are accepted beyond the limit, in several rounds."""
    if not limit.is_enforced:
        raise never_met(service, limit)
    raced = parallel.result(service)
    for burst in raced.bursts:
        if len(burst.accepted) > 1:
            raise _why_accepted(service, limit.limit, burst)
    if raced.beyond_budget is not None:
        raise raced.beyond_budget
    if not raced.bursts:
        raise NotDecided("The run could not reach the limit again. See 3-frees-the-limit-in-parallel.")


def _why_accepted(service: UserClient, limit: int, burst: Filling) -> Exception:
    if burst.in_progress > limit:
        why = (
            f"The service accepted {len(burst.accepted)} of {len(burst.exchanges)} creations at the same time; one "
            "after another it refused those beyond the limit."
        )
        return too_many(service, limit, burst.in_progress, why, *burst.accepted, *burst.reads)
    if burst.completed:
        return too_soon(burst.completed[0], some_stay=burst.in_progress > 0)
    _may_be_completed(service, burst.unread)
    return NotDecided(
        "The service accepted more creations at the same time than one after another, but the requests of this run "
        "alone do not exceed maxNumberOfRequests.",
        exchanges=burst.exchanges,
    )


def _may_be_completed(service: UserClient, unread: list[Exchange]) -> None:
    """Raise not-applicable if requests could not be read and later were deleted, as completed ones may be (3)."""
    deletions = service.record.answered(Operation.DELETE, 200)
    if unread and all(any(map(partial(_deletes_later, read), deletions)) for read in unread):
        raise not_applicable(
            "completes-at-once",
            "The run did not reach the limit: the service accepted requests beyond it, but other requests "
            "could only be deleted, not read, so they may be completed.",
            *unread[:1],
        )


def _deletes_later(read: Exchange, deletion: Exchange) -> bool:
    return deletion.is_after(read) and request_id_of(deletion).lower() == request_id_of(read).lower()


@last
@requirement("8-other-limits")
def test_other_limits_are_shown(service: UserClient, observe: Observe) -> None:
    """Shows whether the service asked the client to retry later."""
    slowed = [each for each in service.record.in_order() if each.response and each.response.status in (429, 503)]
    calls = count(len(service.record), "call")
    observe(f"{len(slowed)} of {calls} so far were answered 429 or 503: try again later.", *slowed[:1])
