"""Clause 8: never more than maxNumberOfRequests in progress, and up to that many."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from conformance.check import first, requirement
from conformance.exchange import Exchange
from conformance.expect import Broken, Undecided, answer_of, not_applicable
from conformance.limit import accepted, still_holds, trial, within_budget
from conformance.service import Service
from conformance.verdict import Blame

AT_ONCE: Final = 8
"""Creations released together."""

ROUNDS: Final = 3


@first
@requirement("8-limit-enforced")
def test_no_more_than_the_limit_are_in_progress(service: Service) -> None:
    """One more than maxNumberOfRequests is not accepted while they are all in progress."""
    found = trial(service)
    if found.stayed_full or (found.refused is not None and not found.held):
        return
    if len(found.in_progress) > found.limit:
        still_holds(service, found.limit)
        raise Broken(
            f"{len(found.in_progress)} requests are in progress at once; maxNumberOfRequests is {found.limit}.",
            expected=f"at most {found.limit} requests in progress",
            actual=f"{len(found.in_progress)} requests read as in progress after the last creation",
            exchanges=[found.held[-1].exchange, *found.in_progress],
        )
    if found.completed:
        raise not_applicable("Requests complete so soon here that the limit is not met.", found.completed[0].exchange)
    if len(found.held) <= found.limit:
        return
    raise Undecided("More requests than the limit were accepted, but they cannot be read to tell their state.")


@first
@requirement("8-accepts-up-to-limit")
def test_as_many_as_the_limit_are_accepted(service: Service) -> None:
    """No creation is refused for the limit before maxNumberOfRequests requests are in progress."""
    found = trial(service)
    if found.swaps or found.refused is None or len(found.held) >= found.limit:
        return  # a swap is made at the limit only
    if service.session.target.account_is_empty:
        still_holds(service, found.limit)
        raise Broken(
            f"A creation was refused with {len(found.held)} requests in progress; "
            f"maxNumberOfRequests is {found.limit}, and the account held no others.",
            expected=f"{found.limit} requests are accepted",
            actual=f"{len(found.held)} were accepted",
            exchanges=[found.refused],
        )
    raise Undecided(
        f"A creation was refused with {len(found.held)} requests of this run in progress, short of the limit of "
        f"{found.limit}: the account may hold requests that this run did not make.",
        blame=Blame.CONFIGURATION,
        remedy="Empty the account and say so with --empty-account, and run again.",
        exchanges=[found.refused],
    )


@first
@requirement("8-completed-do-not-count")
def test_completed_requests_do_not_count(service: Service) -> None:
    """A completed request takes no place: deleting one changes nothing about what is accepted."""
    found = trial(service)
    if not found.completed:
        raise not_applicable("No request was seen completed, so none could be counted wrongly.")
    if found.freed_was_completed and found.freed_a_place and found.stayed_full:
        raise Broken(
            "A creation was refused until a completed request was deleted: completed requests count against the limit.",
            expected="only requests in progress count",
            actual=f"status {answer_of(found.later[0]).status} before the deletion, accepted after it",
            exchanges=[found.completed[0].exchange, found.later[0], *_present(found.deleted, found.after_deletion)],
        )


def _present(*exchanges: Exchange | None) -> list[Exchange]:
    return [exchange for exchange in exchanges if exchange is not None]


@requirement("8-limit-enforced-in-parallel")
def test_the_limit_holds_for_creations_at_the_same_time(service: Service) -> None:
    """Released together, creations are not accepted beyond the limit."""
    found = trial(service)
    if found.refused is None or not found.held:
        raise not_applicable("The limit is not met by one creation after another. See 8-limit-enforced.")
    places = min(len(found.held), 3)
    taken = len(found.held) - places
    # Of the creations asked for no more than the free places are made, so the rest of the run has its own.
    within_budget(service, taken + ROUNDS * AT_ONCE, f"Meeting the limit of {found.limit} in parallel", rest=0)
    held = [service.create().request_id for _ in range(taken)]

    for _ in range(ROUNDS):
        burst = service.session.together([_creation(service)] * AT_ONCE)
        made = [service.created(exchange) for exchange in burst if accepted(exchange)]
        if len(made) > places:
            _prove_too_many(service, held + [one.request_id for one in made], found.limit, burst)
        for one in made:
            service.delete(one.request_id)


def _creation(service: Service) -> Callable[[], Exchange]:
    types = service.types()[:1] or None
    return lambda: service.post(types, racing=True, limit="reached")


def _prove_too_many(service: Service, ids: list[str], limit: int, burst: list[Exchange]) -> None:
    reads = [service.read(one) for one in ids]
    values = [answer_of(read).document.value for read in reads]
    in_progress = sum(isinstance(value, dict) and value.get("isCompleted") is False for value in values)
    if in_progress > limit:
        still_holds(service, limit)
        raise Broken(
            f"{in_progress} requests are in progress after {len(burst)} creations at the same time; "
            f"maxNumberOfRequests is {limit}. One after another they were refused.",
            expected=f"at most {limit} requests in progress",
            actual=f"{in_progress} requests read as in progress",
            exchanges=[exchange for exchange in burst if accepted(exchange)],
        )
    raise Undecided(
        "Creations at the same time were accepted beyond what one after another was, but the requests "
        "of this run alone do not exceed maxNumberOfRequests.",
        exchanges=burst,
    )
