"""The identity that makes a call, the data request that a call created, and how identifiers derive from an account."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Final
from urllib.parse import quote

from conformance.model.errors import NotDecided
from conformance.model.exchange import Exchange
from conformance.model.text import shorten
from conformance.model.variation import PLAIN, Variation
from conformance.model.verdict import Blame


@dataclass(frozen=True, slots=True)
class Identity:
    """The client of a call: the label of a known credential, or raw Authorization headers or a query under a label.

    `language` is sent as Accept-Language; `accept` replaces the usual Accept; `cookie` is sent as Cookie.
    `closes`: each call has a connection of its own, so that it may reach another process of the service.
    """

    label: str
    authorization: Sequence[str] = ()
    query: str = ""
    language: str = ""
    accept: str = ""
    cookie: str = ""
    closes: bool = False
    variation: Variation = PLAIN

    def recorded(self) -> Identity:
        """Return the identity as evidence has it: without the forms of a token, which its label names."""
        return replace(self, authorization=(), cookie="")


ANONYMOUS: Final = Identity("no token")
USER: Final = Identity("user")
USER_CLOSING: Final = replace(USER, closes=True)
OTHER_USER: Final = Identity("other user")

ANYTHING: Final = "*/*"
"""The default Accept of most clients; the service sends JSON without being asked for it."""

BROWSING: Final = replace(ANONYMOUS, accept=ANYTHING)
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


_LONGEST: Final = 512
_CONTROLS: Final = re.compile(r"[\x00-\x1f\x7f]")
_HALVES: Final = re.compile(r"[\ud800-\udfff]")


def segment(request_id: str) -> str:
    """Return an identifier as one path segment; raise NotDecided if that is impossible."""
    if why := _why_not(request_id):
        raise NotDecided(
            f"The target's identifier {shorten(repr(request_id), 40)} is not sent: {why}.",
            blame=Blame.TARGET,
        )
    return quote(request_id, safe="")


def _why_not(request_id: str) -> str:
    if request_id in ("", ".", ".."):
        return "it would change the path of the call"
    if len(request_id) > _LONGEST:
        return f"it has {len(request_id):,} characters, and a path can be expected to take {_LONGEST}"
    if _CONTROLS.search(request_id):
        return "it holds control characters, which servers and gateways refuse in a path"
    if _HALVES.search(request_id):
        return "it holds half a character (a lone surrogate), which has no form in a path"
    return ""


@dataclass(frozen=True)
class Derivation:
    """How an identifier derives from known data of the account, in words.

    `id` is empty if every identifier does, and `how` if none does. Evidence does not contain this data, so a finding
    that rests on it can be made again from this record only.
    """

    id: str = ""
    how: str = ""
    doubt: str = ""
    """Why this decides nothing, if it does not."""
