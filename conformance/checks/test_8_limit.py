"""Clause 8: never more than maxNumberOfRequests in progress, and up to that many."""

from __future__ import annotations

from conformance.checks.marks import Observe, first, last, requirement
from conformance.client.user import UserClient, accepted
from conformance.model.errors import NotDecided, NothingToAdd, RequirementViolated, answer_of, not_applicable
from conformance.model.exchange import Exchange, Operation, request_id_of, state_of
from conformance.model.text import count
from conformance.model.verdict import Blame
from conformance.scenarios.completion import LeftAlone, completes_some, late, refused_with_all_completed
from conformance.scenarios.confirmation import limit_refill
from conformance.scenarios.limit import LimitResult, never_met, still_holds
from conformance.scenarios.parallel import Filling, parallel


@first
@requirement("8-limit-enforced")
def test_no_more_than_the_limit_are_in_progress(service: UserClient, limit: LimitResult) -> None:
    """One more than maxNumberOfRequests is not accepted while they are all in progress."""
    if limit.stayed_full or (limit.refused is not None and not limit.held):
        return
    if len(limit.in_progress) > limit.limit:
        still_holds(service, limit.limit)
        raise RequirementViolated(
            f"{count(len(limit.in_progress), 'request')} in progress at once; maxNumberOfRequests is {limit.limit}.",
            expected=f"at most {count(limit.limit, 'request')} in progress",
            actual=f"{count(len(limit.in_progress), 'request')} read as in progress after the last creation",
            exchanges=[limit.held[-1].exchange, *limit.in_progress],
        )
    if limit.completed:
        raise never_met(service, limit)
    if len(limit.held) <= max(0, limit.limit):
        return
    _may_be_completed(service, limit.unread)
    raise NotDecided(
        "More requests than the limit were accepted, but they cannot be read to tell their state.",
        remedy="See 4.2-answers-200, 4.2-object and 2.1-isCompleted.",
        exchanges=limit.reads,
    )


@first
@requirement("8-limit-enforced")
def test_calls_that_change_nothing_make_no_room(service: UserClient) -> None:
    """At the limit, after refused creations, refused deletions and GET /data/me, there is no room for another."""
    try:
        found, number = limit_refill.result(service), service.limit()
    except NotDecided as error:
        raise NothingToAdd(f"The limit could not be met again: {error.message}") from None
    if len(found.in_progress) > number:
        still_holds(service, number)
        raise RequirementViolated(
            f"{count(len(found.in_progress), 'request')} in progress at once; maxNumberOfRequests is {number}. The "
            "last was accepted after calls that free no place: refused creations and deletions, GET /data/me.",
            expected=f"at most {count(number, 'request')} in progress",
            actual=f"{count(len(found.in_progress), 'request')} read as in progress after the last creation",
            exchanges=[*filter(accepted, found.beyond), *found.in_progress],
        )
    if any(map(accepted, found.beyond)) and not any(map(state_of, found.reads)):
        raise NotDecided(
            "A creation beyond the limit was accepted, but not all requests could be read to tell their state.",
            remedy="See 4.2-answers-200, 4.2-object and 2.1-isCompleted.",
            exchanges=[*filter(accepted, found.beyond), *found.reads],
        )


@first
@requirement("8-accepts-up-to-limit")
def test_as_many_as_the_limit_are_accepted(service: UserClient, limit: LimitResult) -> None:
    """No creation is refused for the limit before maxNumberOfRequests requests are in progress."""
    if limit.limit <= 0 and limit.refused is not None:
        raise never_met(service, limit)
    held = limit.held_when_refused
    if limit.replacements or limit.refused is None or held >= limit.limit:
        return  # replacements are made at the limit only
    if service.session.target.account_is_empty:
        still_holds(service, limit.limit)
        raise RequirementViolated(
            f"A creation was refused with {count(held, 'request')} in progress; "
            f"maxNumberOfRequests is {limit.limit}, and the account held no others.",
            expected=f"{count(limit.limit, 'request')} accepted",
            actual=f"{held} accepted",
            exchanges=[limit.refused],
        )
    if not held:
        service.created(limit.refused)
    unnamed = ", or made without being told of it" if service.session.journal.unnamed else ""
    raise NotDecided(
        f"A creation was refused with {count(held, 'request')} of this run in progress, short of the limit of "
        f"{limit.limit}: the account may hold requests that this run did not make{unnamed}.",
        blame=Blame.CONFIGURATION,
        remedy="Empty the account and say so with --empty-account, and run again.",
        exchanges=[limit.refused],
    )


@last
@requirement("8-completed-do-not-count")
def test_completed_requests_do_not_count(service: UserClient, limit: LimitResult, left_alone: LeftAlone) -> None:
    """A completed request takes no place: deleting one changes nothing about what is accepted."""
    if limit.limit <= 0 and limit.refused is not None:
        raise never_met(service, limit)
    if not limit.completed:
        _none_counts_later(service, left_alone)
        return
    if limit.freed_was_completed and limit.freed_a_place and limit.stayed_full:
        still_holds(service, limit.limit)
        raise RequirementViolated(
            "A creation was refused until a completed request was deleted: completed requests count against the limit.",
            expected="only requests in progress count",
            actual=f"status {answer_of(limit.later[0]).status} before the deletion, accepted after it",
            exchanges=[limit.completed[0].exchange, limit.later[0], *_present(limit.deleted, limit.after_deletion)],
        )


def _none_counts_later(service: UserClient, left_alone: LeftAlone) -> None:
    """Look at the early request, or fill up again and wait until everything held is completed."""
    kept = late.result(service)
    if kept is not None and kept.refused is not None and kept.again is not None and accepted(kept.again):
        still_holds(service, service.limit())
        raise RequirementViolated(
            f"A creation was refused with {count(len(kept.held), 'request')} in progress beside a completed one, "
            f"until that was deleted: completed requests count against the limit of {service.limit()}.",
            expected="only requests in progress count",
            actual=f"status {answer_of(kept.refused).status} before the deletion, accepted after it",
            exchanges=[kept.read, kept.refused, *_present(kept.deleted, kept.again)],
        )
    if kept is not None and kept.completed:
        return
    if not completes_some(service, left_alone):
        raise not_applicable("none-completes", "No request was seen completed, so none could be counted wrongly.")
    found = refused_with_all_completed(service)
    if found is not None and accepted(found.again):
        raise RequirementViolated(
            "A creation was refused though everything held was completed, until one of them was deleted: completed "
            "requests count against the limit.",
            expected="only requests in progress count",
            actual=f"status {answer_of(found.later[0]).status} before the deletion, accepted after it",
            exchanges=[*found.reads, found.later[0], found.deleted, found.again],
        )


def _present(*exchanges: Exchange | None) -> list[Exchange]:
    return [exchange for exchange in exchanges if exchange is not None]


@requirement("8-limit-enforced-in-parallel")
def test_the_limit_holds_for_creations_at_the_same_time(service: UserClient, limit: LimitResult) -> None:
    """With one place left, creations released together are not accepted beyond the limit, in several rounds."""
    if not limit.is_enforced:
        raise never_met(service, limit)
    raced = parallel.result(service)
    for burst in raced.bursts:
        if len(burst.accepted) > 1:
            _prove_too_many(service, limit.limit, burst)
    if raced.beyond_budget is not None:
        raise raced.beyond_budget
    if not raced.bursts:
        raise NotDecided("The limit could not be met again. See 3-frees-the-limit-in-parallel.")


def _prove_too_many(service: UserClient, limit: int, burst: Filling) -> None:
    if burst.in_progress > limit:
        still_holds(service, limit)
        raise RequirementViolated(
            f"{count(burst.in_progress, 'request')} in progress after {len(burst.exchanges)} creations at the same "
            f"time; maxNumberOfRequests is {limit}. One after another they were refused.",
            expected=f"at most {count(limit, 'request')} in progress",
            actual=f"{count(burst.in_progress, 'request')} read as in progress",
            exchanges=burst.accepted,
        )
    if burst.completed:
        raise not_applicable(
            "completes-at-once", "Requests complete so soon here that the limit is not met.", *burst.completed[:1]
        )
    _may_be_completed(service, burst.unread)
    raise NotDecided(
        "Creations at the same time were accepted beyond what one after another was, but the requests "
        "of this run alone do not exceed maxNumberOfRequests.",
        exchanges=burst.exchanges,
    )


def _may_be_completed(service: UserClient, unread: list[Exchange]) -> None:
    """Raise not-applicable where what could not be read was deleted all the same, as completed requests are (3)."""
    deleted = {request_id_of(exchange).lower() for exchange in service.record.answered(Operation.DELETE, 200)}
    if unread and all(request_id_of(read).lower() in deleted for read in unread):
        raise not_applicable(
            "completes-at-once",
            "The limit is not met: requests beyond it were accepted, but others could no longer be read, only deleted, "
            "as where they are completed already.",
            *unread[:1],
        )


@last
@requirement("8-other-limits")
def test_other_limits_are_shown(service: UserClient, observe: Observe) -> None:
    """Shows whether the target asked to be left alone for a while."""
    slowed = [
        exchange
        for exchange in service.record.in_order()
        if exchange.response is not None and exchange.response.status in (429, 503)
    ]
    observe(f"{len(slowed)} of {count(len(service.record), 'call')} put off with 429 or 503.", *slowed[:1])
