"""What the organisation offers may change in the course of a run: then the suite asks once more before it judges."""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import suppress
from typing import Final

from conformance.client.public import PublicClient
from conformance.model.error_table import INVALID_DATA_TYPES, KNOWN_CREDENTIALS
from conformance.model.errors import NotDecided
from conformance.model.exchange import Exchange, Operation
from conformance.traffic.session import Session

_IN_VAIN: Final = 2
"""Times that the list is asked for between checks and found the same: then the list is not what is behind it."""


class Offer:
    """Keeps what is known of the data types on offer up to date, where creations are answered as if they changed.

    A run in which every creation agrees with the list asks for nothing.
    """

    def __init__(self, session: Session) -> None:
        self._session = session
        self._seen = 0
        self._in_vain = 0

    def keep_up(self) -> None:
        """Ask for the data types anew where a creation since the last time contradicts them (4.1, 4.5, 7)."""
        new = self._session.record.exchanges[self._seen :]
        self._seen += len(new)
        if self._in_vain < _IN_VAIN and self._contradicted_by(new) and not self._ask():
            self._in_vain += 1

    def make_sure(self) -> None:
        """Ask once more at the end of a run in which any creation contradicted the list: all is judged by it."""
        if self._contradicted_by(self._session.record.exchanges):
            self._ask()

    def _ask(self) -> bool:
        with suppress(NotDecided), self._session.aside("data types"):
            visitor = PublicClient(self._session)
            return visitor.types() != visitor.types_now()
        return False

    def _contradicted_by(self, exchanges: Iterable[Exchange]) -> bool:
        types = frozenset(self._session.memory.get("types", ()))
        return any(_contradicts(exchange, types) for exchange in exchanges)


def _contradicts(exchange: Exchange, types: frozenset[str]) -> bool:
    """Tell whether a creation was answered otherwise than as if `types` were on offer."""
    answer, facts = exchange.response, exchange.facts
    if exchange.operation is not Operation.CREATE or exchange.request.credential not in KNOWN_CREDENTIALS:
        return False
    body = answer.document.value if answer is not None else None
    if answer is None or not isinstance(body, dict):
        return False
    if answer.status == 400:
        return body.get("error") == INVALID_DATA_TYPES.error and facts.get("body") == "known types"
    given = body.get("dataRequested")
    if answer.status != 200 or facts.get("body") != "omitted" or not isinstance(given, list):
        return False
    return types != {each for each in given if isinstance(each, str)}
