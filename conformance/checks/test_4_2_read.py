"""Clause 4.2: GET /requests/{requestId} reads a data request."""

from __future__ import annotations

from typing import Any

from conformance import expect
from conformance.check import REPEATS, Observe, last, requirement
from conformance.expect import Broken, Undecided, answer_of, json_body, not_applicable
from conformance.formats import is_date_time, parse_date_time
from conformance.limit import accepted, trial
from conformance.service import Service


@requirement("4.2-answers-200")
def test_reading_a_request_answers_200(service: Service) -> None:
    """Reading a request in progress answers 200, every time."""
    created = service.create()
    answers = [service.read(created.request_id) for _ in range(REPEATS)]
    missing = [exchange for exchange in answers if answer_of(exchange).status == 404]

    for exchange in answers:
        expect.status(exchange, 200, 404)
    if created.completed and missing:
        raise not_applicable("This target completes requests at once, and completed ones cannot be read.", missing[0])
    if 0 < len(missing) < REPEATS and answers.index(missing[0]) < REPEATS - 1 and answers[-1] not in missing:
        expect.status(missing[0], 200)
    if missing:
        _decide_by_the_limit(service)


def _decide_by_the_limit(service: Service) -> None:
    """A request that still counts against the limit is in progress, so reading it has to answer 200."""
    found = trial(service)
    unread = [read for read in found.reads if answer_of(read).status == 404]
    still_full = found.refused is not None and found.refused_again is not None and not accepted(found.refused_again)
    if unread and still_full:
        raise Broken(
            "Reading a request that counts against the limit, so is in progress, answered 404 instead of 200.",
            expected="status 200",
            actual="status 404",
            exchanges=[unread[0], *([found.refused_again] if found.refused_again else [])],
        )
    raise Undecided(
        "Reading a new request answered 404. It may have been completed at once, and a completed one need not be "
        "readable; the limit could not be met to tell."
    )


@requirement("4.2-object")
def test_reading_returns_the_request(service: Service) -> None:
    """The 200 of a reading is one data request object."""
    created = service.create()
    read = service.read(created.request_id)
    if answer_of(read).status == 404:
        raise Undecided("The request could not be read. See 4.2-answers-200.", exchanges=[read])

    service.demand(read, "4.2-object")


@requirement("4.2-agrees-with-creation")
def test_what_is_read_is_what_was_created(service: Service) -> None:
    """requestId, createdAt and dataRequested are the same on reading, for one type, two, and all."""
    types = service.types()
    for wanted in (types[:1] or None, types[:2] or None, None):
        created = service.created(service.post(wanted))
        for _ in range(2):
            read = service.read(created.request_id)
            if answer_of(read).status == 404:
                raise Undecided("The request could not be read. See 4.2-answers-200.", exchanges=[read])
            body = json_body(read)
            if not isinstance(body, dict):
                raise Undecided("What was read is no object. See 4.2-object.", exchanges=[read])
            for name in ("requestId", "createdAt", "dataRequested"):
                if _meaning(name, body.get(name)) != _meaning(name, created.document.get(name)):
                    raise Broken(
                        f"{name} is {expect.shorten(repr(body.get(name)), 100)} on reading, but creation returned "
                        f"{expect.shorten(repr(created.document.get(name)), 100)}.",
                        expected=expect.shorten(repr(created.document.get(name))),
                        actual=expect.shorten(repr(body.get(name))),
                        exchanges=[read, created.exchange],
                    )
        service.session.clean_up()


def _meaning(name: str, value: Any) -> Any:
    """Return what a field says, without what may differ between two ways of saying it."""
    if name == "requestId" and isinstance(value, str):
        return value.lower()
    if name == "createdAt" and isinstance(value, str) and is_date_time(value):
        return round(parse_date_time(value).timestamp(), 3)
    if name == "dataRequested" and isinstance(value, list):
        return {item if isinstance(item, str) else repr(item) for item in value}
    return value


@last
@requirement("4.2-completed-request")
def test_a_completed_request_may_be_read(service: Service, observe: Observe) -> None:
    """Shows whether a completed request can be read."""
    completed = service.completed_request()
    read = service.read(completed.request_id)
    observe(f"Reading a completed request is answered {answer_of(read).status}.", read)
