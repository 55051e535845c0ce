"""Hosts of addresses. Addresses of other people may name hosts that no version of IDNA permits; browsers open them."""

from __future__ import annotations

import httpx


def host_of(url: httpx.URL) -> str:
    """Return the host of an address as it is sent: lower case, ASCII, international names in their form with xn--.

    `url.host` decodes that form, and raises an exception for names such as xn--n3h.example.
    """
    return url.raw_host.decode("ascii")


def refused_name(host: str) -> str:
    """Return why IDNA refuses a host name, or "" if it does not; `host` may be an IP address."""
    try:
        for label in host.split("."):
            _ = label and httpx.URL(scheme="http", host=label).host
    except (httpx.InvalidURL, UnicodeError) as error:
        return str(error)
    return ""
