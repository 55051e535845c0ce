"""Clause 2.1: the fields of a data request, as creation and reading return it."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Final
from uuid import UUID

import pytest

from conformance.checks.marks import Observe, each_requirement, last, requirement
from conformance.client.user import UserClient
from conformance.model.errors import NotDecided, RequirementViolated, answer_of, describe, not_applicable
from conformance.model.exchange import Exchange, Operation
from conformance.model.formats import is_date_time, is_uuid, parse_date_time
from conformance.model.text import shorten
from conformance.rules.consistency import APART, created_at, date_of, is_moment_of, shared_moment, sharing_all
from conformance.scenarios.basic import CreationAndReading, created_and_read

TOLERANCE: Final = timedelta(days=1)
"""How far completedAt may be in the future: clocks differ, and a service may keep no more than the day."""

_GATHERED_BEFORE: Final = timedelta(days=366)
"""How long before its request something may have been completed: who gathers in advance may say when that was."""


@each_requirement(
    "2.1-requestId",
    "2.1-createdAt",
    "2.1-expectedCompletion",
    "2.1-isCompleted",
    "2.1-completedAt",
    "2.1-dataRequested",
    "2.1-dataRequested-known",
)
def test_field_of_a_data_request(service: UserClient, for_one_type: CreationAndReading, requirement_id: str) -> None:
    """The field has its type in what creation returns and in what reading returns."""
    exchange, read = for_one_type.creation, for_one_type.reading

    service.demand(exchange, requirement_id)
    if read is not None and answer_of(read).status == 200:
        service.demand(read, requirement_id)


@last
@requirement("2.1-createdAt-value")
def test_createdAt_tells_when_the_request_was_made(  # noqa: N802 - the field's name
    service: UserClient,
    for_one_type: CreationAndReading,
) -> None:
    """createdAt is the moment of the creation, by the target's own clock, and not shared by creations seconds apart."""
    created, read = created_and_read(service, for_one_type)
    if created_at(created.exchange) is None:
        raise NotDecided("createdAt is no date-time. See 2.1-createdAt.", exchanges=[created.exchange])
    for creation, shown in ((created.exchange, read), *((each, each) for each in service.creations())):
        moment = created_at(shown)
        if moment is not None and not is_moment_of(creation, moment):
            clock = date_of(creation)
            given = answer_of(shown).document.value["createdAt"]
            raise RequirementViolated(
                f"createdAt is {given} for a request made at {creation.started:%Y-%m-%dT%H:%M:%SZ}"
                + (f", and at {clock:%Y-%m-%dT%H:%M:%SZ} by the target's own Date header." if clock else "."),
                expected=f"createdAt near {clock or creation.started:%Y-%m-%dT%H:%M:%SZ}",
                actual=given,
                exchanges=[shown],
            )
    if sharing := sharing_all(service.creations()):
        # So short a run says nothing: one more creation, when each clock has gone on.
        service.session.clock.sleep((APART - (sharing[-1].started - sharing[0].started)).total_seconds())
        service.create()
    if shared := shared_moment(service.creations()):
        given = answer_of(shared[0]).document.value["createdAt"]
        raise RequirementViolated(
            f"createdAt is {given} for {len(shared)} requests, made from {shared[0].started:%H:%M:%S.%f} to "
            f"{shared[-1].started:%H:%M:%S.%f}: they were not made at the same time.",
            expected="createdAt of each request's own creation",
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
    """completedAt is neither long before the request was made nor yet to come, wherever its user saw one."""
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
            )


def _completed_at(exchange: Exchange) -> str | None:
    """Return completedAt of a completed request, where it is a moment that Python can hold (years 1 to 9999)."""
    value = answer_of(exchange).document.value
    given = value.get("completedAt") if isinstance(value, dict) and value.get("isCompleted") is True else None
    return given if isinstance(given, str) and _moment(given) is not None else None


def _moment(given: str) -> datetime | None:
    try:
        return parse_date_time(given) if is_date_time(given) else None
    except ValueError:
        return None


@last
@requirement("2.1-requestId-version")
def test_requestId_is_a_version_4_uuid(service: UserClient) -> None:  # noqa: N802 - the field's name
    """Every identifier of the run has the version and variant of a version 4 UUID."""
    given = [(_identifier(exchange), exchange) for exchange in service.creations()]
    uuids = [(each, exchange) for each, exchange in given if is_uuid(each)]
    if not uuids:
        raise NotDecided(
            "No requestId is a UUID. See 2.1-requestId.", exchanges=[exchange for _, exchange in given[:1]]
        )
    for one, exchange in uuids:
        version = UUID(one).version
        if version != 4:
            kind = f"version {version}" if version else "no known version"
            raise RequirementViolated(
                f"requestId {one} is a UUID of {kind}; version 4 is strongly recommended.",
                expected="a version 4 UUID",
                actual=one,
                exchanges=[exchange],
            )


def _identifier(creation: Exchange) -> str:
    value = answer_of(creation).document.value
    given = value.get("requestId") if isinstance(value, dict) else None
    return given if isinstance(given, str) else ""


@last
@requirement("2.1-timestamp-form")
def test_date_times_end_in_an_offset_or_z(service: UserClient, observe: Observe) -> None:
    """Shows in which form date-times come."""
    forms = set()
    shown = []
    for exchange in service.creations():
        value = answer_of(exchange).document.value
        given = value.get("createdAt") if isinstance(value, dict) else None
        if isinstance(given, str) and is_date_time(given):
            forms.add("Z" if given[-1] in "Zz" else "a numeric offset")
            shown.append(exchange)
    if not shown:
        raise not_applicable("", "No date-time was seen.")
    first = answer_of(shown[0]).document.value["createdAt"]
    observe(f"createdAt comes with {' and '.join(sorted(forms))}, such as {shorten(first, 60)}.", shown[0])


@requirement("3-initial-state")
def test_a_new_request_is_in_some_state(
    service: UserClient, for_one_type: CreationAndReading, observe: Observe
) -> None:
    """Shows what creation sets isCompleted to."""
    created, _ = created_and_read(service, for_one_type)
    observe(
        f"{describe(created.exchange)} returned isCompleted {created.document.get('isCompleted')!r}.", created.exchange
    )
