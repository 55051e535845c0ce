"""Clause 3: the states of a data request, and what a deletion does."""

from __future__ import annotations

import contextlib
from functools import partial

from conformance.checks.marks import Observe, first, last, requirement
from conformance.client import expect
from conformance.client.user import UserClient, accepted, is_limit_refusal
from conformance.model.errors import NotDecided, NothingToAdd, RequirementViolated, answer_of, not_applicable
from conformance.model.exchange import Exchange, Operation, request_id_of, state_of
from conformance.model.identity import OTHER_USER, USER, Created, Identity
from conformance.model.text import count
from conformance.model.verdict import Blame
from conformance.scenarios.basic import CreationAndReading, Deletion, created_and_read
from conformance.scenarios.completion import LateResult, LeftAlone, completed_requests, completes_some
from conformance.scenarios.limit import limit


@requirement("3-in-progress-no-completedAt")
def test_a_request_in_progress_has_no_completedAt(service: UserClient, for_one_type: CreationAndReading) -> None:  # noqa: N802 - the field's name
    """While isCompleted is false, completedAt is absent, on creation and on reading."""
    created, read = created_and_read(service, for_one_type)
    if created.completed:
        raise not_applicable(
            "completes-at-once", "This target completes requests at once: none is seen in progress.", created.exchange
        )

    service.demand(created.exchange, "3-in-progress-no-completedAt")
    if answer_of(read).status == 200:
        service.demand(read, "3-in-progress-no-completedAt")


@first
@requirement("3-deletes-no-other")
def test_a_deletion_removes_no_other_request(service: UserClient) -> None:
    """A deletion leaves other requests where they are: older and newer ones, and those of another user."""
    _nothing_went_instead(service)
    mine = _several(service)
    if len(mine) < 2:
        if service.limit() == 1:
            raise not_applicable("limit-of-one", "maxNumberOfRequests is 1: there is no other request to lose.")
        raise NotDecided(
            "No two requests could be held at once, so there is no other one to lose.",
            blame=Blame.CONFIGURATION,
            remedy="Use an account without any requests, and run again.",
        )
    doomed = mine[1] if mine[1].owner == USER else mine[0]
    others = _those_there(service, [one for one in mine if one is not doomed])
    if not others:
        if any(one.completed for one in mine):
            message = "Requests complete at once and can then not be read, so none can be seen to stay."
            raise not_applicable("completes-at-once", message, mine[0].exchange)
        raise NotDecided(
            "No other request can be read, so none can be seen to stay.",
            remedy="See 4.2-answers-200 and 4.3-answers-ok.",
        )

    deleted = service.delete(doomed.request_id)
    if not accepted(deleted):
        raise NotDecided("The deletion was refused. See 4.3-answers-ok.", exchanges=[deleted])

    for other, after in zip(others, _readings(service, others), strict=True):
        _is_still_there(service, other, after, doomed, deleted)


def _nothing_went_instead(service: UserClient) -> None:
    """At the limit, a deleted request that can still be read, beside one that no longer can, says which one went."""
    with contextlib.suppress(NotDecided):
        found = limit.result(service)
        alive = [read for read in found.undeleted if answer_of(read).status == 200]
        if alive and found.unread:
            raise RequirementViolated(
                "Deleting one request removed another: the one that was named can still be read, another cannot.",
                expected="the request that is named is removed, and no other",
                actual="status 200 to reading the deleted request, 404 to reading another",
                exchanges=[alive[0], found.unread[0]],
            )


def _several(service: UserClient) -> list[Created]:
    """Return up to three requests of the user, in the order of their creation, and one of the other user.

    Where the account holds requests already, or users share a limit, there is room for fewer: these decide as well.
    Where something else than the limit leaves less than two, that is not known.
    """
    callers = [caller for caller in (USER, OTHER_USER) if caller.label in service.session.credentials]
    types = service.types()
    # The oldest is for more than the one that is deleted, which takes nothing from it.
    calls = [partial(_creation, service, each, types[: 2 if each == USER else 1]) for each in callers]
    first, *others = service.session.parallel(calls)
    creations = [first, *(_creation(service, USER, types[:1]) for _ in range(2)), *others]
    asked = [each for each in creations if isinstance(each, Exchange)]
    made = [one for one in map(service.created_if_possible, asked) if one is not None]
    if len(made) < 2:
        for each in creations:
            if isinstance(each, NotDecided):
                raise each
            if not is_limit_refusal(each):
                service.created(each)
    return made


def _creation(service: UserClient, caller: Identity, types: list[str]) -> Exchange | NotDecided:
    try:
        return service.post(types or None, caller)
    except NotDecided as error:
        return error


def _readings(service: UserClient, requests: list[Created]) -> list[Exchange]:
    return service.session.parallel([partial(service.read, one.request_id, one.owner) for one in requests])


def _those_there(service: UserClient, requests: list[Created]) -> list[Created]:
    readings = zip(requests, _readings(service, requests), strict=True)
    return [one for one, read in readings if answer_of(read).status == 200]


def _is_still_there(service: UserClient, other: Created, after: Exchange, doomed: Created, deleted: Exchange) -> None:
    if answer_of(after).status != 404:
        return
    # It might have completed and be hidden for that: only what cannot be deleted either is gone for certain.
    instead = service.read(doomed.request_id, doomed.owner, open=True)
    gone = service.delete(other.request_id, other.owner, open=True)
    if answer_of(gone).status == 404 or answer_of(instead).status == 200:
        raise RequirementViolated(
            "Deleting one request removed another: the other can no longer be read"
            + (", nor deleted." if answer_of(gone).status == 404 else ", and the one that was named still can."),
            expected="the other request still exists",
            actual=f"status {answer_of(after).status} to reading it, {answer_of(gone).status} to deleting it",
            exchanges=[deleted, after, gone],
        )


@requirement("3-removed")
def test_a_deleted_request_is_gone(deletion: Deletion) -> None:
    """After a deletion, reading and deleting the request both answer 404."""
    if not accepted(deletion.deleted):
        raise NotDecided("The deletion was refused. See 4.3-answers-ok.", exchanges=[deletion.deleted])

    for exchange in deletion.afterwards:
        expect.status(exchange, 404)


@requirement("3-removed")
def test_a_deleted_request_stays_away(service: UserClient) -> None:
    """What was deleted early in the run is not there again later."""
    deleted = next((each for each in service.record.answered(Operation.DELETE, 200) if _was_there(each)), None)
    if deleted is None:
        raise NothingToAdd("The run had deleted nothing by then.")
    expect.status(service.read(request_id_of(deleted), request="deleted"), 404)


def _was_there(deletion: Exchange) -> bool:
    mine = deletion.request.credential == USER.label
    return mine and deletion.intent.request == "existing" and not deletion.intent.racing


@last
@requirement("3-deletes-completed")
def test_a_completed_request_can_be_deleted(
    service: UserClient, late: LateResult | None, left_alone: LeftAlone
) -> None:
    """A request that is completed is deleted just as one in progress is."""
    if late is not None and late.completed and late.deleted is not None:
        expect.status(late.deleted, 200)
        if not completes_some(service, left_alone):
            return
    completed, *others = completed_requests(service, left_alone)
    _is_deleted(service, completed)
    if others and accepted(service.post(service.first_types(1), limit="freed")):
        # Now beside one that is in progress: an archive need not be looked into as long as there is anything else.
        read = service.read(others[0].request_id)
        if state_of(read):
            _is_deleted(service, others[0])


def _is_deleted(service: UserClient, completed: Created) -> None:
    expect.status(service.delete(completed.request_id, completed.owner), 200)
    after = service.read(completed.request_id, completed.owner, request="deleted")
    if answer_of(after).status == 200:
        expect.status(after, 404)  # any other status is left to 3-removed


@last
@requirement("3-transitions")
def test_requests_may_complete_at_any_time(service: UserClient, observe: Observe) -> None:
    """Shows whether any request of the run was seen completed."""
    completed = [
        exchange
        for exchange in service.record.in_order()
        if exchange.operation in (Operation.CREATE, Operation.READ)
        and exchange.response is not None
        and isinstance(exchange.response.document.value, dict)
        and exchange.response.document.value.get("isCompleted") is True
    ]
    observe(f"{count(len(completed), 'answer')} showed a completed request.", *completed[:1])
