"""Which proxy leads to an address: the one that was named, or that of the environment, as HTTP clients read it."""

from __future__ import annotations

import os
import re
from contextlib import suppress
from ipaddress import ip_address, ip_network
from urllib.request import getproxies_environment, proxy_bypass_environment  # type: ignore[attr-defined]  # untyped

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
        """Whether NO_PROXY lists a host, as urllib reads an entry; * may stand among others, IPv6 in brackets."""
        host, port = url.raw_host.decode("ascii").rstrip("."), url.port or _PORTS[url.scheme]
        text = re.sub(r"[\[\]\s]|\*(?=\.)", "", self._of_environment.get("no", ""))
        entries = [each.rstrip(".") for each in text.split(",")]
        return any(_holds(each, host) or proxy_bypass_environment(f"{host}:{port}", {"no": each}) for each in entries)


def _holds(network: str, host: str) -> bool:
    """Whether a host is an address in a network (10.0.0.0/8, or one address); urllib compares texts alone."""
    with suppress(ValueError):
        return ip_address(host) in ip_network(network, strict=False)
    return False
