"""The questions of the interface, each answered as it should be unless told otherwise."""

from __future__ import annotations

from typing import Any, Final

from hand_made import SETTINGS, data_request, error, exchange

from conformance.model.error_table import (
    INVALID_DATA_TYPES,
    LANGUAGE_NOT_SUPPORTED,
    LIMIT_REACHED,
    NOT_FOUND,
    UNAUTHORIZED,
)
from conformance.model.exchange import Exchange, Operation


def settings(status: int = 200, answer: Any = None, **more: Any) -> Exchange:
    """GET /settings without a token."""
    return exchange(
        Operation.SETTINGS, status, SETTINGS if answer is None else answer, **{"credential": "no token", **more}
    )


def creation(status: int = 200, answer: Any = None, **more: Any) -> Exchange:
    """A creation for one known type."""
    facts = {"body": "known types", "types": ["orders"], **more}
    return exchange(Operation.CREATE, status, data_request() if answer is None else answer, **facts)


def reading(status: int = 200, answer: Any = None, **more: Any) -> Exchange:
    """The reading of a request that exists."""
    return exchange(
        Operation.READ, status, data_request() if answer is None else answer, **{"request": "existing", **more}
    )


def unauthorized(operation: Operation = Operation.READ, status: int = 401, answer: Any = None, **more: Any) -> Exchange:
    """A call for a request that exists, without a token."""
    facts = {"credential": "no token", "request": "existing", **more}
    return exchange(operation, status, error(UNAUTHORIZED) if answer is None else answer, **facts)


def missing(operation: Operation = Operation.READ, status: int = 404, answer: Any = None, **more: Any) -> Exchange:
    """A call for a request that does not exist."""
    return exchange(operation, status, error(NOT_FOUND) if answer is None else answer, **{"request": "unknown", **more})


def unknown_type(status: int = 400, answer: Any = None, **more: Any) -> Exchange:
    """A creation for an unknown type."""
    facts = {"body": "unknown type", "types": ["no-such"], **more}
    return creation(status, error(INVALID_DATA_TYPES) if answer is None else answer, **facts)


AT_THE_LIMIT: Final = (settings(answer={**SETTINGS, "maxNumberOfRequests": 1}), creation())
"""A limit of one, and the one request: a creation after them is beyond the limit."""


def full(status: int = 400, answer: Any = None, **more: Any) -> Exchange:
    """The refusal of a creation beyond the limit."""
    return creation(status, error(LIMIT_REACHED) if answer is None else answer, **more)


def foreign_tongue(status: int = 400, answer: Any = None) -> Exchange:
    """GET /data in an unsupported language."""
    return exchange(
        Operation.DATA, status, error(LANGUAGE_NOT_SUPPORTED) if answer is None else answer, language="unsupported"
    )
