"""Clause 4.1: POST /requests creates a data request."""

from __future__ import annotations

from conformance.checks.marks import Observe, first, last, requirement
from conformance.client import expect
from conformance.client.user import UserClient, accepted, is_limit_refusal
from conformance.model.errors import NotDecided, RequirementViolated, answer_of, describe
from conformance.model.exchange import Exchange
from conformance.model.text import count, shorten
from conformance.rules.run_context import RunContext
from conformance.scenarios.basic import CreationAndReading
from conformance.scenarios.confirmation import limit_refill
from conformance.scenarios.limit import LimitResult, still_holds


@requirement("4.1-answers-200")
def test_a_creation_answers_200(
    service: UserClient, for_one_type: CreationAndReading, for_all_types: CreationAndReading
) -> None:
    """POST /requests answers 200, with a list of types and without a body."""
    for exchange in (for_one_type.creation, for_all_types.creation):
        if service.may_be_limit_refusal(exchange):
            raise service.why_not_created(exchange)

        expect.status(exchange, 200)


@requirement("4.1-object")
def test_a_creation_returns_the_request(service: UserClient, for_one_type: CreationAndReading) -> None:
    """The 200 of a creation is one data request object."""
    service.demand(for_one_type.creation, "4.1-object")


@requirement("4.1-body-omitted")
def test_without_a_body_all_types_are_requested(service: UserClient, for_all_types: CreationAndReading) -> None:
    """dataRequested is, as a set, every available type when the body is omitted."""
    types = service.types()
    exchange = for_all_types.creation
    if not accepted(exchange) and not service.may_be_limit_refusal(exchange):
        expect.status(exchange, 200)

    given = service.created(exchange).document.get("dataRequested")

    if not isinstance(given, list):
        raise NotDecided("dataRequested is no array. See 2.1-dataRequested.", exchanges=[exchange])
    strings = {each for each in given if isinstance(each, str)}
    if strings != set(types):
        types = service.types_now()  # the list may have changed since it was first asked for
        known = RunContext.of(service.record.in_order())
        # What came or went in the course of the run may have been on offer at the creation, or not.
        types = sorted(strings & known.fleeting | set(types) - known.fleeting)
    expect.same_set(given, types, what="dataRequested of a request without a body", exchange=exchange)


@first
@requirement("4.1-refused-creates-nothing")
def test_a_refused_creation_creates_nothing(service: UserClient, limit: LimitResult) -> None:
    """With one place left, refused creations of every kind leave that place free, and the others taken."""
    _nothing_kept_at_the_limit(service, limit)
    found = limit_refill.result(service)
    if is_limit_refusal(found.final):
        still_holds(service, limit.limit)
        taken = len(found.held)
        raise RequirementViolated(
            f"A refused creation used up a place: of {taken + 1} places {taken} were taken, "
            f"{count(len(found.refused), 'creation')} refused, and the next was refused because the limit is reached.",
            expected="200: a refused creation creates nothing",
            actual=f"status {answer_of(found.final).status}, body {shorten(answer_of(found.final).text)}",
            exchanges=[found.final, *found.refused],
        )
    gone = [each for each in found.deletions if answer_of(each).status == 404]
    if gone:
        raise RequirementViolated(
            f"Refused creations removed what was there: {len(gone)} of {count(len(found.held), 'request')} could not "
            "be deleted any more, answered 404.",
            expected="a refused creation leaves every request where it is",
            actual="status 404 to deleting a request that nobody had deleted",
            exchanges=[*gone, *found.refused],
        )


def _nothing_kept_at_the_limit(service: UserClient, found: LimitResult) -> None:
    """A place that a deletion freed before any refusal, but not after refusals, was taken by what was refused."""
    swapped = bool(found.replacements) and all(accepted(created) for _, created in found.replacements)
    again = found.after_deletion
    if swapped and found.deleted and accepted(found.deleted) and again is not None and is_limit_refusal(again):
        still_holds(service, found.limit)
        raise RequirementViolated(
            "Creations that were refused because the limit is reached are kept: after a deletion there was no room, "
            "though the same deletion made room before anything had been refused.",
            expected="200 after the deletion: a refused creation creates nothing",
            actual=f"status {answer_of(again).status}, body {shorten(answer_of(again).text)}",
            exchanges=[again, found.deleted, *found.later[:2]],
        )


@last
@requirement("4.1-server-errors")
def test_server_errors_are_shown(service: UserClient, observe: Observe) -> None:
    """Shows which calls of the run were answered with a 5xx."""
    failed = [
        exchange
        for exchange in service.record.in_order()
        if exchange.response is not None and exchange.response.status >= 500
    ]
    for exchange in failed[:5]:
        observe(f"{describe(exchange)} was answered {answer_of_any(exchange)}.", exchange)
    if not failed:
        observe("No call of the run was answered with a server error.")


def answer_of_any(exchange: Exchange) -> int:
    """Return the status of an answer, whatever it is."""
    return exchange.response.status if exchange.response else 0
