"""Which proxy leads to an address: the one that was named, or that of the environment, as HTTP clients read it."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import suppress
from ipaddress import ip_address, ip_network
from urllib.request import getproxies_environment

import httpx

from conformance.model.errors import ConfigurationFault
from conformance.model.option_values import checked_proxy
from conformance.model.target import Proxy

_PORTS = {"http": 80, "https": 443}


class Proxies:
    """The proxy of each address."""

    def __init__(self, named: Proxy | None = None) -> None:
        """`named` leads to every address; without it the variables of the environment decide."""
        self._named = named
        self._of_environment = {} if named else getproxies_environment()

    def of(self, url: httpx.URL) -> Proxy | None:
        """Return the proxy that leads to `url`, if there is one; raise ConfigurationFault for another text."""
        if self._named is not None:
            return self._named
        for scheme in (url.scheme, "all"):
            if given := self._of_environment.get(scheme):
                if self._is_exempt(url):
                    return None
                name = f"{scheme}_proxy" if f"{scheme}_proxy" in os.environ else f"{scheme}_proxy".upper()
                try:
                    return checked_proxy(given, name)
                except ConfigurationFault as fault:
                    remedy = f"Correct {name}, or name the hosts that are reached without it in NO_PROXY."
                    raise ConfigurationFault(f"{name}: {fault}", remedy=remedy) from None
        return None

    def _is_exempt(self, url: httpx.URL) -> bool:
        host, port = url.raw_host.decode("ascii").lower().rstrip("."), url.port or _PORTS[url.scheme]
        return any(_matches(each, host, port) for each in _entries(self._of_environment.get("no", "")))


def _entries(text: str) -> Iterator[str]:
    return (each.strip().lower() for each in text.split(",") if each.strip())


def _matches(entry: str, host: str, port: int) -> bool:
    """Whether an entry of NO_PROXY names a host, at this port where it names one."""
    name, _, digits = entry.rpartition(":")
    return _names(entry, host) or (digits == str(port) and _names(name, host))


def _names(entry: str, host: str) -> bool:
    """Whether an entry without a port names a host: *, a name and all names below it, an address, or a network."""
    if entry == "*":
        return True
    with suppress(ValueError):
        return ip_address(host) in ip_network(entry.strip("[]"), strict=False)
    name = entry.removeprefix("*").lstrip(".").rstrip(".").strip("[]")
    return bool(name) and (host == name or host.endswith(f".{name}"))
