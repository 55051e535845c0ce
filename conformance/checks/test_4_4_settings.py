"""Clause 4.4: GET /settings publishes the settings."""

from __future__ import annotations

from conformance.checks.marks import requirement
from conformance.model.errors import NotDecided
from conformance.model.exchange import Exchange
from conformance.rules import expect
from conformance.rules.run import Run


@requirement("4.4-answers-200")
def test_settings_answer_200(run: Run, settings_answers: list[Exchange]) -> None:
    """GET /settings always answers 200."""
    for exchange in settings_answers:
        if run.was_refused_without_a_token(exchange):
            message = "GET /settings is refused without a token."
            raise NotDecided(message, exchanges=[exchange])
        expect.status(exchange, 200)


@requirement("4.4-object")
def test_settings_are_an_object(run: Run, settings_answers: list[Exchange]) -> None:
    """The 200 of GET /settings is one JSON object."""
    run.assert_all_hold(settings_answers, "4.4-object")
