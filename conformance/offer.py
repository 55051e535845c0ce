"""What the organisation offers may change in the course of a run: then the suite asks once more before it judges."""

from __future__ import annotations

from contextlib import suppress

from conformance.conditions import INVALID_DATA_TYPES, KNOWN_CREDENTIALS
from conformance.exchange import Exchange, Operation
from conformance.expect import Undecided
from conformance.knowledge import Knowledge
from conformance.session import Session
from conformance.visitor import Visitor


def ask_again(session: Session) -> None:
    """Ask for the data types once more where a creation was answered as if their list had changed (4.1, 4.5, 7)."""
    exchanges = session.record.in_order()
    known = Knowledge.of(exchanges)
    if any(_contradicts(exchange, known) for exchange in exchanges):
        session.begin("data types at the end")
        with suppress(Undecided):
            Visitor(session).data()


def _contradicts(exchange: Exchange, known: Knowledge) -> bool:
    """Tell whether a creation was answered otherwise than every list that was seen has it."""
    answer, facts = exchange.answer, exchange.facts
    if exchange.operation is not Operation.CREATE or exchange.question.credential not in KNOWN_CREDENTIALS:
        return False
    body = answer.document.value if answer is not None else None
    if answer is None or not isinstance(body, dict):
        return False
    if answer.status == 400:
        return facts.get("body") == "known types" and body.get("error") == INVALID_DATA_TYPES.error
    given = body.get("dataRequested")
    if answer.status != 200 or facts.get("body") != "omitted" or not isinstance(given, list):
        return False
    return known.types is not None and known.types != {each for each in given if isinstance(each, str)}
