"""The errors of transport: why a call has no response that can be judged."""

from __future__ import annotations

from enum import StrEnum

import httpx


class ErrorKind(StrEnum):
    """What went wrong between the suite and the target."""

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


class TransportError(httpx.TransportError):
    """The call ended without a response. `received` holds the bytes of the body that arrived before.

    `reused` says that the connection had served an earlier call: the target may have closed it before it saw this
    request, so a request without effects may be sent again.
    """

    def __init__(self, kind: ErrorKind, detail: str, received: bytes = b"", *, reused: bool = False) -> None:
        """Describe in `detail`, for a person, what happened."""
        super().__init__(detail)
        self.kind = kind
        self.detail = detail
        self.received = received
        self.reused = reused
