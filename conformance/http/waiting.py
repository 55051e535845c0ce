"""The time until a service answers, which a job of CI has just started."""

from __future__ import annotations

from typing import Final

import httpx

from conformance.http.clock import MACHINE, Clock
from conformance.model.exchange import TransportError

PAUSE: Final = 0.25
"""Seconds between two attempts."""

_NOT_READY: Final = 500
"""A status from here on means that the service, or a gateway before it, is not ready."""


def wait_for(
    url: str, seconds: float, *, headers: httpx.Headers, transport: httpx.BaseTransport, clock: Clock = MACHINE
) -> str:
    """Ask `url` until it answers with a status below 500, for `seconds` at most.

    Return "", or in words what the last attempt met. These calls carry no token and belong to no run: no record has
    them.
    """
    until = clock.seconds() + seconds
    while True:
        trouble = _trouble(url, headers, transport, max(until - clock.seconds(), PAUSE))
        if not trouble or clock.seconds() + PAUSE > until:
            return trouble
        clock.sleep(PAUSE)


def _trouble(url: str, headers: httpx.Headers, transport: httpx.BaseTransport, at_most: float) -> str:
    request = httpx.Request("GET", url, headers=headers, extensions={"at_most": (at_most, "the time to wait was over")})
    try:
        status = transport.handle_request(request).status_code
    except TransportError as error:
        return error.detail
    return f"the answer has the status {status}" if status >= _NOT_READY else ""
