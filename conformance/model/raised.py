"""What the code of a service raises, which is known of an application that the suite serves."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final
from urllib.parse import unquote, urlsplit

from conformance.model.exchange import Exchange

_APART: Final = 0.05
"""Seconds between the clocks of client and application at most: both read that of the machine."""


@dataclass(frozen=True)
class Raised:
    """An exception that a call raised inside of an application."""

    method: str
    path: str
    """Of the call, not percent-encoded."""
    began: float
    """When the application got the call, in seconds since 1970."""
    traceback: str


def assign(exchanges: Iterable[Exchange], raised: Iterable[Raised]) -> None:
    """Give each exchange that was answered with a 5xx, or not at all, the exception of its call."""
    left = sorted(raised, key=lambda each: each.began)
    for exchange in exchanges:
        failed = exchange.response is None or exchange.response.status >= 500
        known = next((each for each in left if failed and not exchange.raised and _is_of(each, exchange)), None)
        if known is not None:
            exchange.raised = known.traceback
            left.remove(known)


def _is_of(raised: Raised, exchange: Exchange) -> bool:
    path = unquote(urlsplit(exchange.request.url).path)
    after = raised.began - exchange.started.timestamp()
    is_then = -_APART <= after <= exchange.seconds + _APART
    return is_then and (raised.method, raised.path) == (exchange.request.method, path)
