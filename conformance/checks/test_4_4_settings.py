"""Clause 4.4: GET /settings publishes the settings."""

from __future__ import annotations

from conformance.checks.marks import requirement
from conformance.client import expect
from conformance.client.public import PublicClient
from conformance.model.errors import NotDecided
from conformance.model.exchange import Exchange


@requirement("4.4-answers-200")
def test_settings_answer_200(public_client: PublicClient, settings_answers: list[Exchange]) -> None:
    """GET /settings always answers 200."""
    for exchange in settings_answers:
        if public_client.asks_for_a_token(exchange):
            message = "GET /settings is refused without a token. See 5.4-settings-without-token."
            raise NotDecided(message, exchanges=[exchange])
        expect.status(exchange, 200)


@requirement("4.4-object")
def test_settings_are_an_object(public_client: PublicClient, settings_answers: list[Exchange]) -> None:
    """The 200 of GET /settings is one JSON object."""
    public_client.assert_all_hold(settings_answers, "4.4-object")
