"""A last look at files before they are published: none may contain a token."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Final

from conformance.http.secrets.redaction import Redactor
from conformance.http.secrets.words import why_short

_PIECE: Final = 1 << 20
"""Bytes of a file that are read at a time."""

_OVERLAP: Final = 1 << 18
"""More than the longest form of a token: no server takes a header field of 20,000 bytes, and an escape has 12."""


def kind_in(path: Path, tokens: Iterable[tuple[str, str]]) -> str:
    """Return the kind of the first form in which a file contains a token; "" if it contains none.

    `tokens` are pairs of label and value. A short one, or one that is a word of the suite's pages, is not looked for.
    """
    sought = [(label, value) for label, value in tokens if not why_short(value)]
    redactor, before = Redactor(sought), b""
    with path.open("rb") as file:
        while piece := file.read(_PIECE):
            if redactor.finds(before + piece):
                is_plain = any(value.lower().encode() in (before + piece).lower() for _, value in sought)
                return "plain text" if is_plain else "escapes or base64"
            # A form may begin in one piece and end in the next.
            before = (before + piece)[-_OVERLAP:]
    return ""
