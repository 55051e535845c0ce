"""Symptoms: what in an answer may have another cause than a fault of the service."""

from __future__ import annotations

from enum import StrEnum

from conformance.model.error_table import KNOWN_CREDENTIALS, ON_DATA_REQUESTS
from conformance.model.exchange import Exchange


class Symptom(StrEnum):
    """What an answer shows; an exchange has at most one symptom."""

    UNAUTHORIZED = "unauthorized"
    """An operation on data requests answered 401 to a token of the configuration."""
    FORBIDDEN = "forbidden"
    """An operation on data requests answered 403 to a token of the configuration."""


def symptom_of(exchange: Exchange) -> Symptom | None:
    """Return the symptom of an exchange; None if its answer has none."""
    answer = exchange.response
    if answer is None:
        return None
    if exchange.operation in ON_DATA_REQUESTS and exchange.request.credential in KNOWN_CREDENTIALS:
        return {401: Symptom.UNAUTHORIZED, 403: Symptom.FORBIDDEN}.get(answer.status)
    return None
