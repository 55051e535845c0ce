"""Why an exchange has no answer that can be judged."""

from __future__ import annotations

from enum import StrEnum

import httpx


class Trouble(StrEnum):
    """Kinds of trouble on the way to the target and back."""

    DNS = "dns"
    CONNECT = "connect"
    TLS = "tls"
    DEADLINE = "deadline"
    CLOSED = "closed"
    TRUNCATED = "truncated"
    NOT_HTTP = "not-http"
    TOO_LARGE = "too-large"
    CODING = "coding"
    RATE_LIMITED = "rate-limited"
    UNAVAILABLE = "unavailable"
    BLOCKED = "blocked"
    BUDGET = "budget"


class NoAnswer(httpx.TransportError):
    """The exchange ended without an answer; `received` holds the bytes of the body that did arrive.

    `reused` says that the connection had served an earlier exchange: the target may have given it up before it saw the
    question, so a question without effects may be asked again.
    """

    def __init__(self, trouble: Trouble, detail: str, received: bytes = b"", *, reused: bool = False) -> None:
        """Say in `detail`, for a person, what happened."""
        super().__init__(detail)
        self.trouble = trouble
        self.detail = detail
        self.received = received
        self.reused = reused
