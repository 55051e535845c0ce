"""Clause 4.2: GET /requests/{requestId} reads a data request."""

from __future__ import annotations

import pytest

from conformance.checks.marks import Observe, last, requirement, traces
from conformance.facts.due import due
from conformance.facts.ranges import Doubt
from conformance.model.errors import NotDecided, answer_of, describe, in_words, not_applicable
from conformance.model.exchange import MISSING, Exchange
from conformance.model.identity import Created
from conformance.rules import expect
from conformance.rules.consistency import changes
from conformance.rules.expect import json_body, member
from conformance.rules.run import Run
from conformance.scenarios.basic import CreationAndReading, Readings, created_and_read


@requirement("4.2-answers-200")
@traces("""
         readings.created: POST [a] -> 200 r1
    FAIL readings.answers: GET r1   -> 404
    FAIL readings.again: GET r1     -> 200
    PASS readings.answers: GET r1   -> 200
""")
def test_reading_a_request_answers_200(readings: Readings) -> None:
    """Reading a request in progress always answers 200."""
    if not readings.answers:
        raise NotDecided("The request was not read.")
    closed = [exchange for exchange in readings.answers if answer_of(exchange).status != 200]
    if readings.created.completed and closed:
        raise _completes_at_once(closed[0])
    missing = [exchange for exchange in closed if answer_of(exchange).status in MISSING]
    for exchange in closed:
        if exchange not in missing:
            expect.status(exchange, 200)
    if missing and readings.again is not None and answer_of(readings.again).status == 200:
        expect.status(missing[0], 200)  # the request exists, because a later reading finds it
    if missing and not any(member(exchange, "isCompleted") is True for exchange in readings.answers):
        raise NotDecided(
            f"Reading a new request answered {answer_of(missing[0]).status} right after POST had shown it in progress. "
            "It may have completed in between, and a completed request need not be readable: no answer shows that this "
            "request was still in progress.",
            remedy=Doubt.COMPLETED.remedy,
            exchanges=missing[:1],
        )


def _completes_at_once(read: Exchange) -> NotDecided:
    message = "The service completes requests at once, and completed requests cannot be read."
    return not_applicable("completes-at-once", message, read)


def _need_reading(created: Created, read: Exchange) -> None:
    if answer_of(read).status != 200:
        if created.completed:
            raise _completes_at_once(read)
        message = f"The request could not be read: {describe(read)} was answered {in_words(read)}."
        raise NotDecided(message, exchanges=[read])


@requirement("4.2-object")
def test_reading_returns_the_request(run: Run, for_one_type: CreationAndReading) -> None:
    """The 200 of a reading is one data request object."""
    created, read = created_and_read(run, for_one_type)
    _need_reading(created, read)
    run.assert_holds(read, "4.2-object")


@requirement("4.2-agrees-with-creation")
@traces("""
         for_two_types.creation: POST [a, b] -> 200 r1
    FAIL for_two_types.reading: GET r1       -> 200 {"dataRequested": ["a"]}
    PASS for_two_types.reading: GET r1       -> 200
         for_all_types.creation: POST        -> 200 r2
    PASS for_all_types.reading: GET r2       -> 200
""")
def test_what_is_read_is_what_was_created(
    run: Run, for_two_types: CreationAndReading, for_all_types: CreationAndReading
) -> None:
    """requestId, createdAt and dataRequested are the same on reading as on creation, for two types and for all.

    A creation that the service refuses for its body is left out, if the other one is accepted.
    """
    both = for_two_types, for_all_types
    for found in [one for one in both if one.creation.error is not None or not due(one.creation).must_be_error] or both:
        created, read = created_and_read(run, found)
        _need_reading(created, read)
        body = json_body(read)
        if not isinstance(body, dict):
            raise NotDecided("The body of the reading is no object.", exchanges=[read])
        for violation in changes(created.document, body):
            raise violation.shown_by([read, created.exchange])


@last
@pytest.mark.usefixtures("late", "left_alone")
@requirement("4.2-completed-request")
def test_a_completed_request_may_be_read(completed_reading: Exchange, observe: Observe) -> None:
    """Shows whether a completed request can be read."""
    observe(f"Reading a completed request answers {answer_of(completed_reading).status}.", completed_reading)
