"""Hosts of addresses. Addresses of other people may name hosts that no version of IDNA permits; browsers open them."""

from __future__ import annotations

from contextlib import suppress
from ipaddress import ip_address

import httpx


def host_of(url: httpx.URL) -> str:
    """Return the host of an address as it is sent: lower case, ASCII, international names in their form with xn--.

    `url.host` decodes that form, and raises an exception for names such as xn--n3h.example.
    """
    return url.raw_host.decode("ascii")


def is_loopback(host: str) -> bool:
    """Whether the name or number of a host means this machine."""
    with suppress(ValueError):
        return ip_address(host).is_loopback
    return host == "localhost" or host.endswith(".localhost")
