"""Clause 4.5: GET /data publishes the data types."""

from __future__ import annotations

from conformance import expect
from conformance.check import REPEATS, requirement
from conformance.exchange import Operation
from conformance.expect import Undecided
from conformance.service import Visitor


@requirement("4.5-answers-200")
def test_data_answers_200(visitor: Visitor) -> None:
    """GET /data answers 200, every time it is asked."""
    while len(visitor.record.answered(Operation.DATA)) < REPEATS:
        visitor.data()
    for exchange in visitor.record.answered(Operation.DATA):
        if exchange.facts.get("language") is not None or exchange.facts.get("redirected_to"):
            continue
        if visitor.asks_for_a_token(exchange):
            raise Undecided("GET /data asks for a token. See 5.4-data-without-token.", exchanges=[exchange])
        expect.status(exchange, 200)


@requirement("4.5-array")
def test_data_is_an_array_of_objects(visitor: Visitor) -> None:
    """The 200 of GET /data is a JSON array of objects."""
    visitor.demand(visitor.data(), "4.5-array")
