"""Clause 3: the states of a data request, and what a deletion does."""

from __future__ import annotations

import contextlib

from conformance import expect
from conformance.check import Observe, first, last, requirement
from conformance.exchange import Operation
from conformance.expect import Broken, Undecided, answer_of, not_applicable
from conformance.limit import accepted, trial
from conformance.service import OTHER_USER, Created, Service


@requirement("3-in-progress-no-completedAt")
def test_a_request_in_progress_has_no_completedAt(service: Service) -> None:  # noqa: N802 - the field's name
    """While isCompleted is false, completedAt is absent, on creation and on reading."""
    created = service.create()
    read = service.read(created.request_id)
    if created.completed:
        raise not_applicable("This target completes requests at once, so none is seen in progress.", created.exchange)

    service.demand(created.exchange, "3-in-progress-no-completedAt")
    if answer_of(read).status == 200:
        service.demand(read, "3-in-progress-no-completedAt")


@first
@requirement("3-frees-the-limit")
def test_a_deletion_frees_the_limit_at_once(service: Service) -> None:
    """With the limit reached, a deletion is followed at once by a creation that is accepted."""
    found = trial(service)
    if found.refused is None:
        raise not_applicable("The limit was never met. See 8-limit-enforced.", *found.reads[:1])
    if not found.held:
        service.created(found.refused)
    if found.deleted is None or found.after_deletion is None:
        raise not_applicable("Requests complete so soon that the limit is free again at once.", found.refused)
    if not accepted(found.deleted):
        raise Undecided("The deletion was refused, so nothing was freed.", exchanges=[found.deleted])

    again = found.after_deletion
    if not accepted(again) and answer_of(again).status < 500:
        raise Broken(
            "After a deletion the user could not submit a new request immediately: "
            f"the next creation answered {answer_of(again).status}.",
            expected="200, right after the deletion",
            actual=f"status {answer_of(again).status}, body {expect.shorten(answer_of(again).text)}",
            exchanges=[found.deleted, again],
        )
    service.created(again)


@requirement("3-removed")
def test_a_deleted_request_is_gone(service: Service) -> None:
    """After a deletion, reading and deleting the request both answer 404."""
    for _ in range(3):
        created = service.create()
        deleted = service.delete(created.request_id)
        if not accepted(deleted):
            raise Undecided("The deletion was refused. See 4.3-answers-ok.", exchanges=[deleted])

        expect.status(service.read(created.request_id, request="deleted"), 404)
        expect.status(service.delete(created.request_id, request="deleted"), 404)
        expect.status(service.read(created.request_id, request="deleted"), 404)


@requirement("3-deletes-no-other")
def test_a_deletion_removes_no_other_request(service: Service) -> None:
    """A deletion leaves another request where it is: of the same user, and of another where one is known."""
    others = list(_others(service))
    doomed = service.create()
    kept = [other for other in others if answer_of(service.read(other.request_id, other.owner)).status == 200]
    if not kept:
        raise not_applicable("No other request could be held and read beside the one that is deleted.")

    deleted = service.delete(doomed.request_id)
    if not accepted(deleted):
        raise Undecided("The deletion was refused. See 4.3-answers-ok.", exchanges=[deleted])

    for other in kept:
        after = service.read(other.request_id, other.owner)
        if answer_of(after).status == 404:
            gone = service.delete(other.request_id, other.owner)
            if answer_of(gone).status == 404:
                raise Broken(
                    "Deleting one request removed another as well: it can neither be read nor deleted any more.",
                    expected="the other request still exists",
                    actual="404 to reading and to deleting it",
                    exchanges=[deleted, after, gone],
                )


def _others(service: Service) -> list[Created]:
    others = []
    if service.limit() >= 3:
        others = [service.create(), service.create()]
    elif service.limit() == 2:
        others = [service.create()]
    if OTHER_USER.label in service.session.credentials:
        # One user's requests are enough to decide, so the other's are a bonus.
        with contextlib.suppress(Undecided):
            others.append(service.create(None, OTHER_USER))
    return others


@last
@requirement("3-deletes-completed")
def test_a_completed_request_can_be_deleted(service: Service) -> None:
    """A request that is completed is deleted just as one in progress is."""
    completed = service.completed_request()

    deleted = service.delete(completed.request_id)

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
