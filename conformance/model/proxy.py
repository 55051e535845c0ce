"""An HTTP proxy between the suite and the target."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Self

import httpx

from conformance.model.errors import ConfigurationFault


@dataclass(frozen=True)
class Proxy:
    """An HTTP proxy."""

    address: str
    """Scheme, host and port, without credentials."""
    user: str = field(default="", repr=False)
    password: str = field(default="", repr=False)
    source: str = field(default="--proxy", compare=False)
    """The option or the variable that names it."""

    @classmethod
    def parse(cls, text: str, source: str = "--proxy") -> Self:
        """Return the proxy at an address, which may lack http://; raise ConfigurationFault, without its credentials."""
        wanted = "Expected the address of an HTTP proxy, such as http://proxy.example:3128"
        text = text.strip()
        try:
            text.encode()  # a variable may hold bytes that are no UTF-8
            url = httpx.URL(text if "://" in text else f"http://{text}")
        except (ValueError, httpx.InvalidURL):
            raise ConfigurationFault(f"{wanted}; received another text.") from None
        if url.scheme != "http":
            raise ConfigurationFault(f"The suite speaks http to a proxy, not {url.scheme!r:.20}. {wanted}.")
        if not url.raw_host or url.path != "/" or url.query or url.fragment:
            raise ConfigurationFault(f"{wanted}, with a host, and without path and query.")
        address = f"http://{url.netloc.decode('ascii')}" + ("" if url.port else ":80")  # httpx leaves it out
        return cls(address, url.username, url.password, source)

    @property
    def secrets(self) -> tuple[tuple[str, str], ...]:
        """The credentials with their labels."""
        # Some proxies take a key as the name, without a password.
        pair = f"{self.user}:{self.password}" if self.user and self.password else self.user
        found = {"login of the proxy": pair, "password of the proxy": self.password}
        return tuple((label, value) for label, value in found.items() if value)
