"""Clause 4.5: GET /data publishes the data types."""

from __future__ import annotations

from conformance.checks.marks import requirement
from conformance.facts.answers import wants_a_language
from conformance.model.errors import NotDecided
from conformance.model.exchange import Exchange, Operation
from conformance.rules import expect
from conformance.rules.run import Run


@requirement("4.5-answers-200")
def test_data_answers_200(run: Run, data_answers: list[Exchange]) -> None:
    """GET /data always answers 200."""
    for exchange in data_answers:
        if run.was_refused_without_a_token(exchange):
            raise NotDecided("GET /data is refused without a token.", exchanges=[exchange])
        if all(map(wants_a_language, data_answers)) and not run.record.answered(Operation.DATA, 200):
            expect.assert_in_some_language(exchange)
        expect.status(exchange, 200)


@requirement("4.5-array")
def test_data_is_an_array_of_objects(run: Run, data_answers: list[Exchange]) -> None:
    """The 200 of GET /data is a JSON array of objects."""
    run.assert_all_hold(data_answers, "4.5-array")
