"""Who calls, and what a call may leave: a request of theirs."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, Final

from conformance.model.exchange import Exchange


@dataclass(frozen=True, slots=True)
class Identity:
    """Who calls: the label of a known credential, or raw Authorization headers or a query under a description.

    `language` is what their client says they read, in Accept-Language; `accept` what it takes, where it is not JSON
    that it asks for first.
    `closes`: each call has a new connection for itself, so it may reach another process of the service.
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
"""What most clients accept who are told nothing else: bodies are JSON without anybody asking for it."""

BROWSING: Final = replace(NOBODY, accept=ANYTHING)
USER_BROWSING: Final = replace(USER, accept=ANYTHING)


@dataclass(frozen=True, slots=True)
class Created:
    """A request that the run made: its identifier, what creation returned, and the exchange."""

    request_id: str
    document: dict[str, Any]
    exchange: Exchange

    @property
    def owner(self) -> Identity:
        """Whose request it is."""
        return Identity(self.exchange.request.credential)

    @property
    def completed(self) -> bool:
        """Whether creation already returned it as completed."""
        return self.document.get("isCompleted") is True
