"""Clause 3: the states of a data request, and what a deletion does."""

from __future__ import annotations

import contextlib
from collections.abc import Callable
from functools import partial
from typing import Final

from conformance import expect
from conformance.caller import OTHER_USER, USER, Caller, Created
from conformance.check import Observe, asks, first, last, requirement
from conformance.courses import Turn, course, deletion, for_one
from conformance.expect import Broken, Undecided, answer_of, not_applicable
from conformance.service import Service, is_limit_refusal
from conformance.traffic.exchange import Exchange, Operation, state_of
from conformance.traffic.record import request_id_of
from conformance.trials.chance import demand_missing_again
from conformance.trials.completion import completed_requests, left_alone
from conformance.trials.limit import accepted, trial


@asks(for_one)
@requirement("3-in-progress-no-completedAt")
def test_a_request_in_progress_has_no_completedAt(service: Service) -> None:  # noqa: N802 - the field's name
    """While isCompleted is false, completedAt is absent, on creation and on reading."""
    created, read = service.created_and_read()
    if created.completed:
        raise not_applicable("This target completes requests at once, so none is seen in progress.", created.exchange)

    service.demand(created.exchange, "3-in-progress-no-completedAt")
    if answer_of(read).status == 200:
        service.demand(read, "3-in-progress-no-completedAt")


@first
@requirement("3-deletes-no-other")
def test_a_deletion_removes_no_other_request(service: Service) -> None:
    """A deletion leaves other requests where they are: older and newer ones, and those of another user."""
    _nothing_went_instead(service)
    try:
        _removes_no_other(service)
    except Broken as error:
        demand_missing_again(service, partial(_removes_another, service), *error.exchanges)
        raise


_LOOKS: Final = 3
"""So often all are read where nothing is deleted: as many calls as come between a creation and the last look."""


def _removes_another(service: Service) -> bool:
    """Tell whether another request is missing after a deletion, and none is after at least as many readings."""
    mine = _several(service)
    for _ in range(_LOOKS):
        if len(_those_there(service, mine)) < len(mine):
            raise Undecided("One was missing before anything was deleted.")
    service.session.clean_up()
    try:
        _removes_no_other(service)
    except Broken:
        return True
    return False


def _removes_no_other(service: Service) -> None:
    mine = _several(service)
    if len(mine) < 2:
        raise not_applicable("No two requests could be held at once, so there is no other one to lose.")
    doomed = mine[1] if mine[1].owner == USER else mine[0]
    others = _those_there(service, [one for one in mine if one is not doomed])
    if not others:
        raise not_applicable("No other request can be read, so none can be seen to stay.")

    deleted = service.delete(doomed.request_id)
    if not accepted(deleted):
        raise Undecided("The deletion was refused. See 4.3-answers-ok.", exchanges=[deleted])

    for other, after in zip(others, _readings(service, others), strict=True):
        _is_still_there(service, other, after, doomed, deleted)


def _nothing_went_instead(service: Service) -> None:
    """At the limit, a deleted request that can still be read, beside one that no longer can, says which one went."""
    with contextlib.suppress(Undecided):
        found = trial(service)
        alive = [read for read in found.ghosts if answer_of(read).status == 200]
        if alive and found.unread:
            raise Broken(
                "Deleting one request removed another: the one that was named can still be read, another cannot.",
                expected="the request that is named is removed, and no other",
                actual="status 200 to reading the deleted request, 404 to reading another",
                exchanges=[alive[0], found.unread[0]],
            )


def _several(service: Service) -> list[Created]:
    """Return up to three requests of the user, in the order of their creation, and one of the other user.

    Whoever holds requests already, or shares a limit, has room for fewer: these decide as well. Where something else
    than the limit leaves less than two, that is not known.
    """
    callers = [caller for caller in (USER, OTHER_USER) if caller.label in service.session.credentials]
    types = service.types()
    # The oldest is for more than the one that is deleted, which takes nothing from it.
    calls = [partial(_creation, service, each, types[: 2 if each == USER else 1]) for each in callers]
    first, *others = service.session.side_by_side(calls)
    creations = [first, *(_creation(service, USER, types[:1]) for _ in range(2)), *others]
    asked = [each for each in creations if isinstance(each, Exchange)]
    made = [one for one in map(service.created_if_possible, asked) if one is not None]
    if len(made) < 2:
        for each in creations:
            if isinstance(each, Undecided):
                raise each
            if not is_limit_refusal(each):
                service.created(each)
    return made


def _creation(service: Service, caller: Caller, types: list[str]) -> Exchange | Undecided:
    try:
        return service.post(types or None, caller)
    except Undecided as error:
        return error


def _readings(service: Service, requests: list[Created]) -> list[Exchange]:
    return service.session.side_by_side([partial(service.read, one.request_id, one.owner) for one in requests])


def _those_there(service: Service, requests: list[Created]) -> list[Created]:
    readings = zip(requests, _readings(service, requests), strict=True)
    return [one for one, read in readings if answer_of(read).status == 200]


def _is_still_there(service: Service, other: Created, after: Exchange, doomed: Created, deleted: Exchange) -> None:
    if answer_of(after).status != 404:
        return
    # It might have completed and be hidden for that: only what cannot be deleted either is gone for certain.
    instead = service.read(doomed.request_id, doomed.owner, open=True)
    gone = service.delete(other.request_id, other.owner, open=True)
    if answer_of(gone).status == 404 or answer_of(instead).status == 200:
        raise Broken(
            "Deleting one request removed another: the other can no longer be read"
            + (", nor deleted." if answer_of(gone).status == 404 else ", and the one that was named still can."),
            expected="the other request still exists",
            actual=f"status {answer_of(after).status} to reading it, {answer_of(gone).status} to deleting it",
            exchanges=[deleted, after, gone],
        )


@asks(deletion)
@requirement("3-removed")
def test_a_deleted_request_is_gone(service: Service) -> None:
    """After a deletion, reading and deleting the request both answer 404."""
    deleted, looks = service.deletion()
    if not accepted(deleted):
        raise Undecided("The deletion was refused. See 4.3-answers-ok.", exchanges=[deleted])

    for exchange in looks:
        expect.status(exchange, 404)


@course(1, turn=Turn.AFTER)
def first_deleted(service: Service) -> Callable[[], Exchange | None]:
    """Reads what the run deleted first, when half of the run has passed."""
    deleted = next((each for each in service.record.answered(Operation.DELETE, 200) if _was_there(each)), None)

    def ask() -> Exchange | None:
        return deleted and service.read(request_id_of(deleted), request="deleted")

    return partial(service.once, "reading of what was deleted first", ask)


@asks(first_deleted)
@requirement("3-removed")
def test_a_deleted_request_stays_away(service: Service) -> None:
    """What was deleted early in the run is not there again later."""
    read = first_deleted.prepare(service)()
    if read is None:
        raise not_applicable("The run had deleted nothing by then.")
    expect.status(read, 404)


def _was_there(deletion: Exchange) -> bool:
    mine = deletion.question.credential == USER.label
    return mine and deletion.facts.get("request") == "existing" and not deletion.facts.get("racing")


@last
@asks(left_alone)
@requirement("3-deletes-completed")
def test_a_completed_request_can_be_deleted(service: Service) -> None:
    """A request that is completed is deleted just as one in progress is."""
    completed, *others = completed_requests(service)
    _is_deleted(service, completed)
    if others and accepted(service.post(service.types()[:1] or None, limit="freed")):
        # Now beside one that is in progress: an archive need not be looked into as long as there is anything else.
        read = service.read(others[0].request_id)
        if state_of(read):
            _is_deleted(service, others[0])


def _is_deleted(service: Service, completed: Created) -> None:
    deleted = service.delete(completed.request_id)
    if answer_of(deleted).status != 200:
        # One that is there afterwards had not ended by itself before.
        with contextlib.suppress(Undecided):
            service.read(completed.request_id, open=True)
    expect.status(deleted, 200)
    expect.status(service.read(completed.request_id, request="deleted"), 404)


@last
@requirement("3-transitions")
def test_requests_may_complete_at_any_time(service: Service, observe: Observe) -> None:
    """Shows whether any request of the run was seen completed."""
    completed = [
        exchange
        for exchange in service.record.in_order()
        if exchange.operation in (Operation.CREATE, Operation.READ)
        and exchange.answer is not None
        and isinstance(exchange.answer.document.value, dict)
        and exchange.answer.document.value.get("isCompleted") is True
    ]
    observe(f"{len(completed)} answers showed a completed request.", *completed[:1])
