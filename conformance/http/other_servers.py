"""Calls to servers that are not the target: of a register, a time-stamping authority, or an OAuth server."""

from __future__ import annotations

from contextlib import closing
from typing import Final

import httpx

from conformance.http.wire.exchange_limits import MIB, Limits
from conformance.http.wire.proxies import Proxies
from conformance.http.wire.transport import BoundedTransport
from conformance.model.errors import ConfigurationFault
from conformance.model.hosts import host_of, is_loopback

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


def is_private(url: httpx.URL) -> bool:
    """Tell whether what is sent to an address cannot be read on the way: by https, or on this machine by http."""
    return url.scheme == "https" or (url.scheme == "http" and is_loopback(host_of(url)))
