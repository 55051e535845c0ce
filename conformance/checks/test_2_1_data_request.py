"""Clause 2.1: the fields of a data request, as creation and reading return it."""

from __future__ import annotations

import json
from contextlib import suppress
from datetime import timedelta
from typing import Final
from uuid import UUID

import pytest

from conformance.checks.marks import Observe, each_requirement, last, requirement
from conformance.client.expect import member
from conformance.client.user import UserClient
from conformance.model.date_time import is_date_time, parse_date_time
from conformance.model.errors import NotDecided, RequirementViolated, answer_of, describe, not_applicable
from conformance.model.exchange import Exchange, Operation
from conformance.model.formats import is_uuid
from conformance.model.probe import Probe
from conformance.model.text import shorten
from conformance.rules.consistency import APART, created_at, date_of, is_moment_of, shared_moment, sharing_all
from conformance.scenarios.basic import CreationAndReading, created_and_read

TOLERANCE: Final = timedelta(days=1)
"""How far completedAt may be in the future: clocks differ, and a service may keep only the day."""

_GATHERED_BEFORE: Final = timedelta(days=366)
"""How long before the request completedAt may be: a service may gather the data in advance."""


@each_requirement(
    "2.1-requestId",
    "2.1-createdAt",
    "2.1-expectedCompletion",
    "2.1-isCompleted",
    "2.1-completedAt",
    "2.1-dataRequested",
    "2.1-dataRequested-known",
    "2.1-date-time-form",
)
def test_field_of_a_data_request(service: UserClient, for_one_type: CreationAndReading, requirement_id: str) -> None:
    """The field has its type in the responses to creation and reading."""
    exchange, read = for_one_type.creation, for_one_type.reading

    service.assert_holds(exchange, requirement_id)
    if read is not None and answer_of(read).status == 200:
        service.assert_holds(read, requirement_id)


@last
@requirement("2.1-createdAt-value")
def test_createdAt_tells_when_the_request_was_made(  # noqa: N802 - the field's name
    service: UserClient,
    for_one_type: CreationAndReading,
) -> None:
    """createdAt is the moment of the creation, by the service's clock, and differs for creations seconds apart."""
    created, read = created_and_read(service, for_one_type)
    if created_at(created.exchange) is None:
        raise NotDecided("createdAt is no date-time. See 2.1-createdAt.", exchanges=[created.exchange])
    for creation, shown in ((created.exchange, read), *((each, each) for each in service.creations())):
        moment = created_at(shown)
        if moment is not None and not is_moment_of(creation, moment):
            clock = date_of(creation)
            given = member(shown, "createdAt")
            raise RequirementViolated(
                f"createdAt is {given} for a request made at {creation.started:%Y-%m-%dT%H:%M:%SZ}"
                + (f", and at {clock:%Y-%m-%dT%H:%M:%SZ} by the Date header of the service." if clock else "."),
                expected=f"createdAt near {clock or creation.started:%Y-%m-%dT%H:%M:%SZ}",
                actual=given,
                exchanges=[shown],
                probe=Probe(kind="recent", pointer="/createdAt", values=("600",)),
            )
    if sharing := sharing_all(service.creations()):
        # The run was too short to tell: create one more request, later than the unit of any clock.
        service.session.clock.sleep((APART - (sharing[-1].started - sharing[0].started)).total_seconds())
        service.create()
    if shared := shared_moment(service.creations()):
        given = member(shared[0], "createdAt")
        raise RequirementViolated(
            f"createdAt is {given} for {len(shared)} requests, which were not created at the same time but from "
            f"{shared[0].started:%H:%M:%S.%f} to {shared[-1].started:%H:%M:%S.%f}.",
            expected="for each request, the moment of its creation",
            actual=f"{given}, {len(shared)} times",
            exchanges=[*shared[:2], shared[-1]],
        )


@last
@pytest.mark.usefixtures("late")
@requirement("2.1-completedAt-value")
def test_completedAt_tells_when_the_request_was_completed(  # noqa: N802 - the field's name
    service: UserClient,
    for_one_type: CreationAndReading,
) -> None:
    """completedAt is neither long before the request was created nor in the future, in any response to its user."""
    created_and_read(service, for_one_type)
    readings = service.record.answered(Operation.READ, 200)
    seen = [*service.creations(), *(each for each in readings if each.intent.request == "existing")]
    moments = [(exchange, given) for exchange in seen if (given := _completed_at(exchange)) is not None]
    if not moments:
        raise not_applicable("none-completes", "No answer of the run has a completedAt that is a date-time.")
    first = min(exchange.started for exchange in seen)
    for exchange, given in moments:
        date, moment = date_of(exchange) or exchange.started, parse_date_time(given)
        earliest, latest = min(first, date), max(exchange.started, date)
        too_early, too_late = earliest - moment > _GATHERED_BEFORE, moment - latest > TOLERANCE
        if too_early or too_late:
            raise RequirementViolated(
                f"completedAt is {given} in an answer of {exchange.started:%Y-%m-%dT%H:%M:%SZ} about a request of this "
                f"run: {'more than a year before it was made' if too_early else 'more than a day in the future'}.",
                expected=f"completedAt near {latest:%Y-%m-%dT%H:%M:%SZ}",
                actual=given,
                exchanges=[exchange],
                probe=Probe(kind="recent", pointer="/completedAt", values=("86400",)),
            )


def _completed_at(exchange: Exchange) -> str | None:
    """Return completedAt of a completed request, if it is a moment that Python can hold (years 1 to 9999)."""
    given = member(exchange, "completedAt") if member(exchange, "isCompleted") is True else None
    with suppress(ValueError):
        if isinstance(given, str) and is_date_time(given) and parse_date_time(given):
            return given
    return None


@last
@requirement("2.1-requestId-version")
def test_requestId_is_a_version_4_uuid(service: UserClient) -> None:  # noqa: N802 - the field's name
    """Every identifier of the run has the version and variant of a version 4 UUID."""
    creations = service.creations()
    if not creations:
        raise NotDecided(
            "No creation was answered 200, and only such answers count here.", remedy="See 4.1-answers-200."
        )
    given = [(member(exchange, "requestId"), exchange) for exchange in creations]
    uuids = [(one, exchange) for one, exchange in given if isinstance(one, str) and is_uuid(one)]
    if not uuids:
        raise NotDecided("No requestId is a UUID. See 2.1-requestId.", exchanges=creations[:1])
    for one, exchange in uuids:
        version = UUID(one).version
        if version != 4:
            kind = f"version {version}" if version else "no known version"
            raise RequirementViolated(
                f"requestId {one} is a UUID of {kind}; version 4 is strongly recommended.",
                expected="a version 4 UUID",
                actual=one,
                exchanges=[exchange],
                probe=Probe(kind="format", pointer="/requestId", values=("uuid4",)),
            )


@last
@requirement("2.1-timestamp-form")
def test_date_times_end_in_an_offset_or_z(service: UserClient, observe: Observe) -> None:
    """Shows how date-times state their offset."""
    given = [(member(exchange, "createdAt"), exchange) for exchange in service.creations()]
    shown = [(text, exchange) for text, exchange in given if isinstance(text, str) and is_date_time(text)]
    if not shown:
        raise not_applicable("", "No creation was answered 200 with a createdAt that is a date-time.")
    forms = {"Z" if text[-1] in "Zz" else "a numeric offset" for text, _ in shown}
    text, exchange = shown[0]
    observe(f"createdAt ends with {' and '.join(sorted(forms))}, such as {shorten(text, 60)}.", exchange)


@requirement("3-initial-state")
def test_a_new_request_is_in_some_state(
    service: UserClient, for_one_type: CreationAndReading, observe: Observe
) -> None:
    """Shows the value of isCompleted after creation."""
    created, _ = created_and_read(service, for_one_type)
    observe(
        f"{describe(created.exchange)} returned isCompleted {json.dumps(created.document.get('isCompleted'))}.",
        created.exchange,
    )
