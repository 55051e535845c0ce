"""The list of data types of a run, which may change while the run lasts."""

from __future__ import annotations

from contextlib import suppress
from typing import Final

from conformance.client.public import PublicClient
from conformance.http.session import Session
from conformance.model.error_table import INVALID_DATA_TYPES, KNOWN_CREDENTIALS
from conformance.model.errors import NotDecided
from conformance.model.exchange import Exchange, Operation

_IN_VAIN: Final = 2
"""How often the list is requested again without a change. After that the list is not the cause."""


class DataTypes:
    """Keeps the list of data types up to date; it makes no call while every creation agrees with the list."""

    def __init__(self, session: Session) -> None:
        self._session = session
        self._seen = 0
        self._in_vain = 0

    def refresh(self, *, at_the_end: bool = False) -> None:
        """Request the list if a creation since the last time contradicts it (4.1, 4.5, 7); `at_the_end`, any."""
        exchanges = self._session.record.exchanges[0 if at_the_end else self._seen :]
        self._seen = len(self._session.record)
        types = frozenset(self._session.results.types or ())
        if not any(_contradicts(each, types) for each in exchanges) or (self._in_vain >= _IN_VAIN and not at_the_end):
            return
        self._in_vain += 1
        with suppress(NotDecided), self._session.attributed_to("data types"):
            client = PublicClient(self._session)
            self._in_vain -= client.types() != client.types_now()


def _contradicts(exchange: Exchange, types: frozenset[str]) -> bool:
    """Tell whether the response to a creation contradicts the list `types`."""
    answer, intent = exchange.response, exchange.intent
    if exchange.operation is not Operation.CREATE or exchange.request.credential not in KNOWN_CREDENTIALS:
        return False
    body = answer.document.value if answer is not None else None
    if answer is None or not isinstance(body, dict):
        return False
    if answer.status == 400:
        return body.get("error") == INVALID_DATA_TYPES.error and intent.body == "known types"
    given = body.get("dataRequested")
    if answer.status != 200 or intent.body != "omitted" or not isinstance(given, list):
        return False
    return types != {each for each in given if isinstance(each, str)}
