"""Clause 5: what is refused for want of a token, or told that there is nothing, changes nothing."""

from __future__ import annotations

from functools import partial
from typing import Final

from conformance.caller import OTHER_USER
from conformance.check import asks, requirement
from conformance.conditions import KNOWN_CREDENTIALS
from conformance.expect import Broken, Undecided, answer_of, not_applicable
from conformance.judging.lifetimes import is_missing
from conformance.service import Service
from conformance.traffic.exchange import Exchange, Operation
from conformance.trials.another import by_another
from conformance.trials.chance import demand_missing_again
from conformance.trials.credentials import deletions_alone, of_requests, refusals, refused_readings, unharmed
from conformance.trials.limit import accepted
from conformance.trials.withdrawn import withdrawn


@asks(of_requests)
@requirement("5.3-rejected-delete-deletes-nothing")
def test_a_rejected_deletion_deletes_nothing(service: Service) -> None:
    """A request is still there after deletions with no token and with bad ones."""
    deletions = service.record.answered(Operation.DELETE)
    if not any(accepted(each) for each in deletions if each.question.credential in KNOWN_CREDENTIALS):
        control = service.delete(service.create().request_id)
        if not accepted(control):
            raise Undecided("A deletion with the token was refused. See 4.3-answers-ok.", exchanges=[control])

    found = refusals(service, Operation.DELETE)
    if found.afterwards is not None and answer_of(found.afterwards).status == 404:
        found = deletions_alone(service)  # what went on meanwhile may have removed it
    rejected, gone = found.without[::2] + found.bad[:-1], found.afterwards

    if gone is not None and answer_of(gone).status == 404:
        stays = unharmed(service, rejected, gone)
        if not accepted(stays):
            raise Undecided(
                "A request that deletions without an accepted token were asked for was gone afterwards, but so is one "
                "that was only read so often.",
                exchanges=[gone, stays],
            )
        demand_missing_again(service, partial(_removes, service), gone)
        raise Broken(
            "A deletion without an accepted token removed the request: deleting it with the token answered 404.",
            expected="the request is still there",
            actual=f"statuses {', '.join(str(answer_of(each).status) for each in rejected)}, then 404 with the token",
            exchanges=[gone, *rejected],
        )


def _removes(service: Service) -> bool:
    """Tell whether deletions that are refused remove a request once more, and as many readings none."""
    found = deletions_alone(service)
    gone = found.afterwards
    return gone is not None and is_missing(gone) and accepted(unharmed(service, found.without + found.bad, gone))


_REFUSALS: Final = (401, 403, 404)
"""What says that nothing was done: other statuses leave open whether something was."""


@asks(of_requests)
@requirement("4.2-answers-200")
def test_a_rejected_reading_leaves_the_request_where_it_is(service: Service) -> None:
    """A request is still there after readings with no token and with bad ones."""
    found = refusals(service, Operation.READ)
    if found.afterwards is None or answer_of(found.afterwards).status != 404:
        return
    rounds = withdrawn(service, refused_readings(service), _REFUSALS)
    raise Broken(
        "A reading without an accepted token removed the request: reading it with the token answered 404.",
        expected="the request is still there",
        actual="status 404 with the token, after readings that were refused; requests that were left alone were there",
        exchanges=[each for asked in rounds for each in asked[-2:]],
    )


@asks(by_another)
@requirement("4.2-answers-200")
def test_a_refused_deletion_of_another_leaves_the_request_where_it_is(service: Service) -> None:
    """A request is still there after another user was told that it could not be deleted."""
    if OTHER_USER.label not in service.session.credentials:
        raise not_applicable("There is no second user.")
    _, deleted, after = by_another.prepare(service)()
    status = answer_of(deleted).status
    if status not in _REFUSALS or answer_of(after).status != 404:
        return

    def delete(request_id: str) -> list[Exchange]:
        return [service.delete(request_id, OTHER_USER, request="foreign", open=True)]

    rounds = withdrawn(service, delete, [status])
    raise Broken(
        f"A deletion by another user that answered {status} removed the request: its user was answered 404 to reading.",
        expected="the request is still there",
        actual=f"status 404 to its user, after {status} to another; requests that were left alone were there",
        exchanges=[each for asked in rounds for each in asked],
    )
