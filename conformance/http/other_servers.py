"""One call to a server that is not the target: a register, or a time-stamping authority."""

from __future__ import annotations

from contextlib import closing
from typing import Final

import httpx

from conformance.http.wire.exchange_limits import MIB, Limits
from conformance.http.wire.proxies import Proxies
from conformance.http.wire.transport import BoundedTransport
from conformance.model.errors import ConfigurationFault

LIMITS: Final = Limits(deadline=30.0, first_byte=30.0, wire=MIB, decoded=MIB)


def answer_to(request: httpx.Request, limits: Limits = LIMITS) -> httpx.Response:
    """Return the answer with its body, within the limits; no redirect is followed.

    Raise TransportError, and ConfigurationFault for an address that is not one of http, or a variable without a proxy.
    """
    if request.url.scheme not in ("http", "https") or not request.url.raw_host:
        raise ConfigurationFault("expected an http or https address")
    with closing(BoundedTransport(bounds=limits, proxies=Proxies(None))) as transport:
        response = transport.handle_request(request)
        response.read()
        return response
