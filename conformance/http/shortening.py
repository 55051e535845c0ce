"""Large bodies, shortened as they are received: the run judges, and the evidence holds, what is left.

Only what no rule reads is cut out: the rest of a very long text in a JSON document, unless the run sends or compares it
as a whole, and of a body that does not begin like JSON. In its place stand its length and its digest, so that different
bodies stay different.
"""

from __future__ import annotations

import codecs
import hashlib
import json
import re
from typing import Final

from conformance.model.bodies import LARGE

LONG: Final = 64 * 1024
"""Bytes of a text in JSON beyond which it is cut."""

WHOLE: Final = frozenset(
    {
        *("type", "dataRequested", "requestId", "supportedLanaguages"),
        *("createdAt", "expectedCompletion", "completedAt"),
        *("context", "forgotPasswordLink", "oAuthUrl", "privacyPolicy", "termsOfService"),
    }
)
"""Members that keep their texts: the run sends or compares identifiers, and half an address or time is none."""

_COUNTED: Final = 1024
"""Bytes of a text in such a member beyond which it counts, and most of the name of such a member."""

MOST_WHOLE: Final = 512 * _COUNTED
"""Bytes of those texts in a document: the run sends and stores them in each call again."""

BEYOND_WHOLE: Final = "its identifiers, times and addresses exceed the suite's published limit of 512 KiB together"

_KEPT: Final = 4 * 1024
"""Bytes that are left at most of what is cut."""

_BLANK: Final = b" \t\r\n"
_BOM: Final = b"\xef\xbb\xbf"
_JSON: Final = b'{["-0123456789tfn'
"""How a JSON document begins."""

_STRING: Final = re.compile(rb'"((?:[^"\\\x00-\x1f]++|\\(?:["\\/bfnrt]|u[0-9A-Fa-f]{4}))*+)("?)(?:[ \t\r\n]*+(:))?')
"""A text in JSON. It has no second group where it is not closed or well-formed from there on. A name has a third."""


def shortened(body: bytes, *, most: int = MOST_WHOLE) -> bytes | None:
    """Return `body`, or the body that the run takes in its place. A shortened body stays as it is.

    None if it is JSON, and the texts that must not be cut have more than `most` bytes together.
    """
    if len(body) <= LARGE:
        return body
    head = body[:LARGE]
    start = head.removeprefix(_BOM).lstrip(_BLANK)[:1]
    if (start and start not in _JSON) or not _is_utf_8(head, whole=False):
        return _cut(body, _KEPT)
    return _with_short_texts(body, most) if len(body) > LONG else body


def _with_short_texts(body: bytes, most: int) -> bytes | None:
    pieces, end, name = [], 0, b""
    for text in _STRING.finditer(body):
        if text[3]:
            name = text[1]
        size = text.end(1) - text.start(1)
        if size > _COUNTED and not text[3] and _stays_whole(name):
            if (most := most - size) < 0:
                return None
        elif size > LONG and text[2]:
            inside = text[1]
            if _is_utf_8(inside, whole=True):
                pieces += [body[end : text.start(1)], _cut(inside, _KEPT)]
                end = text.end(1)
    return b"".join([*pieces, body[end:]])


def _stays_whole(name: bytes) -> bool:
    """Whether the texts in the member with this name, as JSON writes it, are not cut."""
    return len(name) <= _COUNTED and json.loads(f'"{name.decode("utf-8", "replace")}"') in WHOLE


def _cut(text: bytes, most: int) -> bytes:
    """Return the beginning of `text`, up to a white space: no token is cut into pieces that nothing recognises."""
    words = re.match(rb"(?s).*\s", text[:most])
    left = words[0].rstrip() if words else b""
    number, digest = len(text) - len(left), hashlib.sha256(text).hexdigest()
    return left + f" [{number} bytes cut out by the suite, SHA-256 of the whole {digest[:32]}]".encode()


def _is_utf_8(text: bytes, *, whole: bool) -> bool:
    """Whether text is UTF-8; unless it is `whole`, a character may be cut at its end."""
    try:
        codecs.utf_8_decode(text, "strict", whole)
    except UnicodeDecodeError:
        return False
    return True
