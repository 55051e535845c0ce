"""Clause 4.4: GET /settings publishes the settings."""

from __future__ import annotations

from conformance import expect
from conformance.check import REPEATS, requirement
from conformance.exchange import Operation
from conformance.expect import Undecided
from conformance.service import Visitor


@requirement("4.4-answers-200")
def test_settings_answer_200(visitor: Visitor) -> None:
    """GET /settings answers 200, every time it is asked."""
    while len(visitor.record.answered(Operation.SETTINGS)) < REPEATS:
        visitor.settings()
    for exchange in visitor.record.answered(Operation.SETTINGS):
        if exchange.facts.get("redirected_to"):
            continue
        if visitor.asks_for_a_token(exchange):
            raise Undecided("GET /settings asks for a token. See 5.4-settings-without-token.", exchanges=[exchange])
        expect.status(exchange, 200)


@requirement("4.4-object")
def test_settings_are_an_object(visitor: Visitor) -> None:
    """The 200 of GET /settings is one JSON object."""
    visitor.demand(visitor.settings(), "4.4-object")
