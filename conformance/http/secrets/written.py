"""A last look at files before they are published: none may contain a token."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Final

from conformance.http.secrets.redaction import Redactor
from conformance.http.secrets.words import why_short

_PIECE: Final = 1 << 16
"""Bytes of a file that are read at a time, at least: to look for escapes takes several times the memory."""

_OVERLAP: Final = 1 << 18
"""More than the longest form of a token: no server takes a header field of 20,000 bytes, and an escape has 12."""

_OF_A_CHARACTER: Final = 256
"""More than the bytes of a character in any form: of its two hexadecimal digits, an escape of an escape of each."""


def kind_in(path: Path, tokens: Iterable[tuple[str, str]]) -> str:
    """Return the kind of the first form in which a file contains a token; "" if it contains none.

    `tokens` are pairs of label and value. A short one, or one that is a word of the suite's pages, is not looked for.
    """
    sought = [(label, value) for label, value in tokens if not why_short(value)]
    redactor, before = Redactor(sought), b""
    overlap = min(_OVERLAP, _OF_A_CHARACTER * max((len(value) for _, value in sought), default=1))
    size = max(_PIECE, 4 * overlap)  # else most of what is read would be looked at several times
    with path.open("rb") as file:
        while piece := file.read(size):
            if redactor.finds(before + piece):
                is_plain = any(value.lower().encode() in (before + piece).lower() for _, value in sought)
                return "plain text" if is_plain else "escapes or base64"
            # A form may begin in one piece and end in the next.
            before = (before + piece)[-overlap:]
    return ""
