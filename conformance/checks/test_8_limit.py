"""Clause 8: never more than maxNumberOfRequests in progress, and up to that many."""

from __future__ import annotations

from conformance.check import Observe, asks, first, last, requirement
from conformance.client.user import UserClient, accepted
from conformance.model.errors import NotDecided, NothingToAdd, RequirementViolated, answer_of, not_applicable
from conformance.model.exchange import Exchange, Operation, request_id_of, state_of
from conformance.model.text import count
from conformance.model.verdict import Blame
from conformance.trials.completion import completes_some, left_alone, refused_with_all_completed
from conformance.trials.full_again import full_again
from conformance.trials.late import late
from conformance.trials.limit import never_met, still_holds, trial
from conformance.trials.races import Filling, is_enforced, races


@first
@requirement("8-limit-enforced")
def test_no_more_than_the_limit_are_in_progress(service: UserClient) -> None:
    """One more than maxNumberOfRequests is not accepted while they are all in progress."""
    found = trial(service)
    if found.stayed_full or (found.refused is not None and not found.held):
        return
    if len(found.in_progress) > found.limit:
        still_holds(service, found.limit)
        raise RequirementViolated(
            f"{count(len(found.in_progress), 'request')} in progress at once; maxNumberOfRequests is {found.limit}.",
            expected=f"at most {count(found.limit, 'request')} in progress",
            actual=f"{count(len(found.in_progress), 'request')} read as in progress after the last creation",
            exchanges=[found.held[-1].exchange, *found.in_progress],
        )
    if found.completed:
        raise never_met(service, found)
    if len(found.held) <= max(0, found.limit):
        return
    _may_be_completed(service, found.unread)
    raise NotDecided(
        "More requests than the limit were accepted, but they cannot be read to tell their state.",
        remedy="See 4.2-answers-200, 4.2-object and 2.1-isCompleted.",
        exchanges=found.reads,
    )


@first
@requirement("8-limit-enforced")
def test_calls_that_change_nothing_make_no_room(service: UserClient) -> None:
    """At the limit, after refused creations, refused deletions and GET /data/me, there is no room for another."""
    try:
        found, limit = full_again(service), service.limit()
    except NotDecided as error:
        raise NothingToAdd(f"The limit could not be met again: {error.message}") from None
    if len(found.in_progress) > limit:
        still_holds(service, limit)
        raise RequirementViolated(
            f"{count(len(found.in_progress), 'request')} in progress at once; maxNumberOfRequests is {limit}. The last "
            "was accepted after calls that free no place: refused creations and deletions, GET /data/me.",
            expected=f"at most {count(limit, 'request')} in progress",
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
def test_as_many_as_the_limit_are_accepted(service: UserClient) -> None:
    """No creation is refused for the limit before maxNumberOfRequests requests are in progress."""
    found = trial(service)
    if found.limit <= 0 and found.refused is not None:
        raise never_met(service, found)
    held = found.held_when_refused
    if found.swaps or found.refused is None or held >= found.limit:
        return  # a swap is made at the limit only
    if service.session.target.account_is_empty:
        still_holds(service, found.limit)
        raise RequirementViolated(
            f"A creation was refused with {count(held, 'request')} in progress; "
            f"maxNumberOfRequests is {found.limit}, and the account held no others.",
            expected=f"{count(found.limit, 'request')} accepted",
            actual=f"{held} accepted",
            exchanges=[found.refused],
        )
    if not held:
        service.created(found.refused)
    unnamed = ", or made without being told of it" if service.session.journal.unnamed else ""
    raise NotDecided(
        f"A creation was refused with {count(held, 'request')} of this run in progress, short of the limit of "
        f"{found.limit}: the account may hold requests that this run did not make{unnamed}.",
        blame=Blame.CONFIGURATION,
        remedy="Empty the account and say so with --empty-account, and run again.",
        exchanges=[found.refused],
    )


@last
@asks(left_alone)
@requirement("8-completed-do-not-count")
def test_completed_requests_do_not_count(service: UserClient) -> None:
    """A completed request takes no place: deleting one changes nothing about what is accepted."""
    found = trial(service)
    if found.limit <= 0 and found.refused is not None:
        raise never_met(service, found)
    if not found.completed:
        _none_counts_later(service)
        return
    if found.freed_was_completed and found.freed_a_place and found.stayed_full:
        still_holds(service, found.limit)
        raise RequirementViolated(
            "A creation was refused until a completed request was deleted: completed requests count against the limit.",
            expected="only requests in progress count",
            actual=f"status {answer_of(found.later[0]).status} before the deletion, accepted after it",
            exchanges=[found.completed[0].exchange, found.later[0], *_present(found.deleted, found.after_deletion)],
        )


def _none_counts_later(service: UserClient) -> None:
    """Look at the early request, or fill up again and wait until everything held is completed."""
    kept = late(service)
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
    if not completes_some(service):
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
def test_the_limit_holds_for_creations_at_the_same_time(service: UserClient) -> None:
    """With one place left, creations released together are not accepted beyond the limit, in several rounds."""
    found = trial(service)
    if not is_enforced(found):
        raise never_met(service, found)
    raced = races(service)
    for burst in raced.bursts:
        if len(burst.accepted) > 1:
            _prove_too_many(service, found.limit, burst)
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
