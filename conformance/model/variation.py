"""Variations of a call: the forms in which real clients write the same request."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final


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
