"""The identity that a call is made with, and the data request that a call created."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, Final

from conformance.model.exchange import Exchange


@dataclass(frozen=True, slots=True)
class Identity:
    """The client of a call: the label of a known credential, or raw Authorization headers or a query under a label.

    `language` is sent as Accept-Language; `accept` replaces the usual Accept.
    `closes`: each call has a connection of its own, so that it may reach another process of the service.
    """

    label: str
    authorization: str | tuple[str, ...] = ()
    query: str = ""
    language: str = ""
    accept: str = ""
    closes: bool = False


NOBODY: Final = Identity("no token")
USER: Final = Identity("user")
USER_CLOSING: Final = replace(USER, closes=True)
OTHER_USER: Final = Identity("other user")

ANYTHING: Final = "*/*"
"""The default Accept of most clients; the service sends JSON without being asked for it."""

BROWSING: Final = replace(NOBODY, accept=ANYTHING)
USER_BROWSING: Final = replace(USER, accept=ANYTHING)


@dataclass(frozen=True, slots=True)
class Created:
    """A data request that the run created, with the document that POST returned, and the exchange."""

    request_id: str
    document: dict[str, Any]
    exchange: Exchange

    @property
    def owner(self) -> Identity:
        """The identity that created the request."""
        return Identity(self.exchange.request.credential)

    @property
    def completed(self) -> bool:
        """Whether POST returned the request as completed."""
        return self.document.get("isCompleted") is True
