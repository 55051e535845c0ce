"""Clause 3: the states of a data request, and what a deletion does."""

from __future__ import annotations

import contextlib
from functools import partial

from conformance.checks.marks import Observe, first, last, requirement
from conformance.client.user import UserClient, accepted, is_limit_refusal
from conformance.model.errors import NotDecided, NothingToAdd, RequirementViolated, answer_of, not_applicable
from conformance.model.exchange import MISSING, Exchange, Operation, request_id_of, state_of
from conformance.model.identity import OTHER_USER, USER, Created, Identity
from conformance.model.probe import must_answer
from conformance.model.text import count
from conformance.rules import expect
from conformance.scenarios.basic import CreationAndReading, Deletion, created_and_read, for_all_types
from conformance.scenarios.completion import LateResult, LeftAlone, completed_requests, completes_some
from conformance.scenarios.limit import limit


@requirement("3-in-progress-no-completedAt")
def test_a_request_in_progress_has_no_completedAt(service: UserClient, for_one_type: CreationAndReading) -> None:  # noqa: N802 - the field's name
    """While isCompleted is false, completedAt is absent, on creation and on reading."""
    created, read = created_and_read(service, for_one_type)
    if created.completed:
        created, read = created_and_read(service, for_all_types.result(service))
    if created.completed:
        message = "The service completes requests at once, so the run saw none in progress."
        raise not_applicable("completes-at-once", message, created.exchange)
    service.assert_holds(created.exchange, "3-in-progress-no-completedAt")
    if answer_of(read).status == 200:
        service.assert_holds(read, "3-in-progress-no-completedAt")


@first
@requirement("3-deletes-no-other")
def test_a_deletion_removes_no_other_request(service: UserClient) -> None:
    """A deletion removes no older or newer request, and none of another user."""
    _assert_none_lost_at_the_limit(service)
    mine = _several(service)
    doomed = mine[1] if mine[1].owner == USER else mine[0]
    others = [one for one in mine if one is not doomed]
    others = [
        one for one, read in zip(others, _readings(service, others), strict=True) if answer_of(read).status == 200
    ]
    if not others:
        if any(one.completed for one in mine):
            message = "Requests complete at once and then cannot be read: the check cannot see them remain."
            raise not_applicable("completes-at-once", message, mine[0].exchange)
        raise NotDecided(
            "No other request can be read, so the check cannot see whether it remains.",
            remedy="See 4.2-answers-200 and 4.3-answers-ok.",
        )

    deleted = service.delete(doomed.request_id)
    if not accepted(deleted):
        raise NotDecided("The deletion was refused. See 4.3-answers-ok.", exchanges=[deleted])

    for other, after in zip(others, _readings(service, others), strict=True):
        _is_still_there(service, other, after, doomed, deleted)


def _assert_none_lost_at_the_limit(service: UserClient) -> None:
    """At the limit: if a deleted request can still be read and another one cannot, the wrong one was removed."""
    with contextlib.suppress(NotDecided):
        found = limit.result(service)
        alive = [read for read in found.undeleted if answer_of(read).status == 200]
        if alive and found.unread:
            raise RequirementViolated(
                "Deleting one request removed another: the deleted one can still be read, another cannot.",
                expected="only the named request is removed",
                actual="status 200 to reading the deleted request, 404 to reading another",
                exchanges=[alive[0], found.unread[0]],
                probe=must_answer(404),
            )


def _several(service: UserClient) -> list[Created]:
    """Return up to three requests of the user, in the order of their creation, and one of the other user.

    Fewer, if the account has no room for more. Raise NotDecided, with the reason, if there are fewer than two.
    """
    callers = [caller for caller in (USER, OTHER_USER) if caller.label in service.session.credentials]
    types = service.types()
    # The oldest request names more types than the deleted one.
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
        if service.limit() == 1:
            raise not_applicable("limit-of-one", "maxNumberOfRequests is 1: there is no second request.")
        raise service.why_not_created(next(filter(is_limit_refusal, asked)))
    return made


def _creation(service: UserClient, caller: Identity, types: list[str]) -> Exchange | NotDecided:
    try:
        return service.post(types or None, caller)
    except NotDecided as error:
        return error


def _readings(service: UserClient, requests: list[Created]) -> list[Exchange]:
    return service.session.parallel([partial(service.read, one.request_id, one.owner) for one in requests])


def _is_still_there(service: UserClient, other: Created, after: Exchange, doomed: Created, deleted: Exchange) -> None:
    if answer_of(after).status not in MISSING:
        return
    # The request may be completed and therefore hidden: it no longer exists only if it cannot be deleted either.
    instead = service.read(doomed.request_id, doomed.owner, open=True)
    gone = service.delete(other.request_id, other.owner, open=True)
    if answer_of(gone).status in MISSING or answer_of(instead).status == 200:
        raise RequirementViolated(
            "Deleting one request removed another: the other can no longer be read"
            + (", nor deleted." if answer_of(gone).status in MISSING else ", and the deleted request still can."),
            expected="the other request still exists",
            actual=f"status {answer_of(after).status} to reading it, {answer_of(gone).status} to deleting it",
            exchanges=[after, deleted, gone],
            probe=must_answer(200),
        )
    # An OK shows that the other request existed only if the service says OK to no deletion of nothing.
    again = service.delete(other.request_id, other.owner, request="deleted") if accepted(gone) else gone
    if answer_of(again).status not in MISSING:
        raise NotDecided(
            f"Another request could no longer be read after the deletion, and deleting it was answered "
            f"{answer_of(gone).status}, then {answer_of(again).status}: it may have completed, or be removed.",
            remedy="See 3-removed, 7-not-found and 4.3-answers-ok.",
            exchanges=[after, deleted, again],
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
    """A request that was deleted early in the run does not exist again later."""
    for each in service.record.answered(Operation.DELETE, 200):
        existed = each.intent.request == "existing" and not each.intent.racing
        if existed and each.request.credential == USER.label:
            expect.status(service.read(request_id_of(each), request="deleted"), 404)
            return
    raise NothingToAdd("No earlier call of the run deleted a request.")


@last
@requirement("3-deletes-completed")
def test_a_completed_request_can_be_deleted(
    service: UserClient, late: LateResult | None, left_alone: LeftAlone
) -> None:
    """A completed request can be deleted."""
    if late is not None and late.completed and late.deleted is not None:
        expect.status(late.deleted, 200)
        _is_gone(service, late.created)
        if not completes_some(service, left_alone):
            return
    completed, *others = completed_requests(service, left_alone)
    _is_deleted(service, completed)
    # Again with a request in progress: the service may search its archive only if there is no other request.
    again = others and accepted(service.post(service.first_types(1), limit="freed"))
    if again and state_of(service.read(others[0].request_id)):
        _is_deleted(service, others[0])


def _is_deleted(service: UserClient, completed: Created) -> None:
    expect.status(service.delete(completed.request_id, completed.owner), 200)
    _is_gone(service, completed)


def _is_gone(service: UserClient, completed: Created) -> None:
    after = service.read(completed.request_id, completed.owner, request="deleted")
    if answer_of(after).status == 200 and isinstance(expect.member(after, "requestId"), str):
        expect.status(after, 404)  # 3-removed judges any other answer, which does not show the request


@last
@requirement("3-transitions")
def test_requests_may_complete_at_any_time(service: UserClient, observe: Observe) -> None:
    """Shows whether the run saw a completed request."""
    answers = [each for each in service.record.in_order() if each.operation in (Operation.CREATE, Operation.READ)]
    completed = [each for each in answers if state_of(each)]
    observe(f"{count(len(completed), 'response')} showed a completed request.", *completed[:1])
