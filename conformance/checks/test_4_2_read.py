"""Clause 4.2: GET /requests/{requestId} reads a data request."""

from __future__ import annotations

import contextlib
from collections.abc import Callable
from functools import partial
from typing import Final

from conformance.check import Observe, asks, last, requirement
from conformance.client import expect
from conformance.client.expect import json_body, shorten
from conformance.client.user import UserClient
from conformance.courses import course, for_all, for_one, for_two
from conformance.model.errors import NotDecided, RequirementViolated, answer_of, not_applicable
from conformance.model.exchange import Exchange, Operation
from conformance.model.identity import NOBODY, USER, Created
from conformance.rules.consistency import disagreements
from conformance.rules.statuses import MISSING
from conformance.trials.completion import completed_request, left_alone
from conformance.trials.late import late
from conformance.trials.limit import trial

FEWEST: Final = 3
"""Readings of one request in a row, however often others were read before."""


@course(lambda service: service.repeats + 3)
def readings(service: UserClient) -> Callable[[], tuple[Created, list[Exchange], Exchange | None]]:
    """Reads a request again and again, then without a token, and once more where it was not found."""
    enough = max(FEWEST, service.repeats - 1 - _read_before(service))

    def ask() -> tuple[Created, list[Exchange], Exchange | None]:
        created = service.create()
        reading = partial(service.read, created.request_id)
        # What is kept for having been read so often must not be given to who shows no token: every answer is judged.
        *answers, _ = service.session.side_by_side([*[reading] * enough, partial(reading, NOBODY)])
        missing = any(read.response is not None and _is_missing(read) for read in answers)
        again = service.read(created.request_id) if missing else None
        service.session.remove(created.request_id)
        return created, answers, again

    return partial(service.once, "readings of one request", ask)


@asks(readings)
@requirement("4.2-answers-200")
def test_reading_a_request_answers_200(service: UserClient) -> None:
    """Reading a request in progress answers 200, every time."""
    _nothing_at_the_limit_is_missing(service)
    created, answers, again = readings.prepare(service)()
    closed = [exchange for exchange in answers if answer_of(exchange).status != 200]
    if created.completed and closed:
        raise _completes_at_once(closed[0])
    missing = [exchange for exchange in closed if _is_missing(exchange)]

    for exchange in answers:
        if not _is_missing(exchange):
            expect.status(exchange, 200)
    if again is not None and answer_of(again).status == 200:
        expect.status(missing[0], 200)  # what can be read again was not gone
    if missing:
        raise NotDecided(
            f"Reading a new request answered {answer_of(missing[0]).status}. It may have been completed at once, and a "
            "completed one need not be readable; the limit could not be met to tell.",
            exchanges=missing[:1],
        )


def _completes_at_once(read: Exchange) -> NotDecided:
    message = "This target completes requests at once, and completed ones cannot be read."
    return not_applicable("completes-at-once", message, read)


def _is_missing(read: Exchange) -> bool:
    return answer_of(read).status in MISSING


def _read_before(service: UserClient) -> int:
    """Return how often the run has read a request of its own: every answer is judged, whichever check asked for it."""
    return sum(
        exchange.facts.get("request") == "existing" and not exchange.facts.get("racing")
        for exchange in service.record.answered(Operation.READ)
        if exchange.request.credential == USER.label
    )


def _nothing_at_the_limit_is_missing(service: UserClient) -> None:
    """A request that still counts against the limit is in progress, so reading it has to answer 200."""
    with contextlib.suppress(NotDecided):
        found = trial(service)
        if found.unread and found.stayed_full:
            raise RequirementViolated(
                "Reading a request that counts against the limit, so is in progress, answered 404 instead of 200.",
                expected="status 200",
                actual="status 404",
                exchanges=[found.unread[0], found.later[0]],
            )


def _could_be_read(created: Created, read: Exchange) -> None:
    if created.completed and answer_of(read).status != 200:
        raise _completes_at_once(read)
    if answer_of(read).status != 200:
        raise NotDecided("The request could not be read. See 4.2-answers-200.", exchanges=[read])


@asks(for_one)
@requirement("4.2-object")
def test_reading_returns_the_request(service: UserClient) -> None:
    """The 200 of a reading is one data request object."""
    created, read = service.created_and_read()
    _could_be_read(created, read)

    service.demand(read, "4.2-object")


@asks(for_two, for_all)
@requirement("4.2-agrees-with-creation")
def test_what_is_read_is_what_was_created(service: UserClient) -> None:
    """requestId, createdAt and dataRequested are the same on reading, for two types and for all."""
    for creation, reading in (service.creation_for_two(), service.creation_for_all()):
        created = service.created(creation)
        read = reading if reading is not None else service.read(created.request_id)
        _could_be_read(created, read)
        body = json_body(read)
        if not isinstance(body, dict):
            raise NotDecided("What was read is no object. See 4.2-object.", exchanges=[read])
        for name, then, now in disagreements(created.document, body):
            raise RequirementViolated(
                f"{name} is {shorten(repr(now), 90)} on reading, but creation returned {shorten(repr(then), 90)}.",
                expected=shorten(repr(then)),
                actual=shorten(repr(now)),
                exchanges=[read, created.exchange],
            )


@last
@asks(left_alone)
@requirement("4.2-completed-request")
def test_a_completed_request_may_be_read(service: UserClient, observe: Observe) -> None:
    """Shows whether a completed request can be read."""
    kept = late(service)
    read = kept.read if kept is not None and kept.completed else _read_completed(service)
    observe(f"Reading a completed request is answered {answer_of(read).status}.", read)


def _read_completed(service: UserClient) -> Exchange:
    completed = completed_request(service)
    return service.read(completed.request_id, completed.owner)
