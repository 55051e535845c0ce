"""Who makes a call, in which form of real clients, what it created, and how identifiers derive from an account."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Final
from urllib.parse import quote

from conformance.model.errors import NotDecided
from conformance.model.exchange import Exchange
from conformance.model.text import shorten


@dataclass(frozen=True, slots=True)
class Variation:
    """How a client writes a request; it changes nothing of what the request asks for."""

    headers: tuple[tuple[str, str], ...] = ()
    """Header fields in place of the usual ones."""
    lower_case: bool = False
    """The names of the fields are in lower case and in another order."""
    chunked: bool = False
    """The body is sent in chunks, without Content-Length."""
    pieces: int = 1
    """Number of pieces in which the body is sent, with a pause between them."""


PLAIN: Final = Variation()
AS_A_BROWSER: Final = Variation((("Accept", "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8"),))
COMPRESSED: Final = Variation((("Accept-Encoding", "gzip, deflate"),))
IN_LOWER_CASE: Final = Variation(lower_case=True)
EXPECTING: Final = Variation((("Expect", "100-continue"),))
CHUNKED: Final = Variation(chunked=True, pieces=2)
IN_PIECES: Final = Variation(pieces=2)

OF_CALLS: Final = (AS_A_BROWSER, COMPRESSED, IN_LOWER_CASE)
"""The variations that every call can have."""

OF_BODIES: Final = (CHUNKED, EXPECTING, IN_PIECES)
"""The variations of calls with a body."""


def cut(content: bytes, number: int) -> list[bytes]:
    """Cut a body in one piece or in two: within its first letter of more than one byte, or else in the middle."""
    middle = -(-len(content) // number)
    place = next((at for at, byte in enumerate(content) if byte >> 6 == 0b10 and number > 1), middle)
    return [piece for piece in (content[:place], content[place:]) if piece]


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


def created_by(creation: Exchange) -> Created | None:
    """Return the request that a POST created; None if its answer decides nothing, or shows none."""
    answer = creation.response
    value = answer.document.value if answer is not None and creation.counts and 200 <= answer.status < 300 else None
    if isinstance(value, dict) and isinstance(value.get("requestId"), str):
        return Created(value["requestId"], value, creation)
    return None


_SENDABLE: Final = re.compile(r"(?!\.{1,2}\Z)[^\x00-\x1f\x7f\ud800-\udfff]{1,512}")
"""What any server or gateway takes as a segment of a path."""


def segment(request_id: str) -> str:
    """Return an identifier as one path segment; raise NotDecided if that is impossible."""
    if not _SENDABLE.fullmatch(request_id):
        raise NotDecided(
            f"The target's identifier {shorten(repr(request_id), 40)} is not sent: a path takes 1 to 512 of its "
            "characters, no dots alone, and neither control characters nor half a character (a lone surrogate)."
        )
    return quote(request_id, safe="")


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
