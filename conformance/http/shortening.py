"""Large bodies, shortened as they are received: the run judges, and the evidence holds, what is left.

Only what no rule reads is cut out: the rest of a very long text in a JSON document, and of a body that does not begin
like JSON. In its place stand its length and its digest, so that different bodies stay different.
"""

from __future__ import annotations

import codecs
import hashlib
import re
from typing import Final

from conformance.model.bodies import LARGE

LONG: Final = 64 * 1024
"""Bytes of a text in JSON beyond which it is cut. No text that the interface defines is as long."""

_KEPT: Final = 4 * 1024
"""Bytes that are left at most of what is cut."""

_BLANK: Final = b" \t\r\n"
_BOM: Final = b"\xef\xbb\xbf"
_JSON: Final = b'{["-0123456789tfn'
"""How a JSON document begins."""

_STRING: Final = re.compile(rb'"((?:[^"\\\x00-\x1f]++|\\(?:["\\/bfnrt]|u[0-9A-Fa-f]{4}))*+)("?)')
"""A text of JSON. It has no second group where it is not closed, or not well-formed from there on."""

_URI: Final = re.compile(rb"[A-Za-z][A-Za-z0-9+.-]*:")


def shortened(body: bytes) -> bytes:
    """Return `body`, or the body that the run takes in its place. A shortened body stays as it is."""
    if len(body) <= LARGE:
        return body
    head = body[:LARGE]
    start = head.removeprefix(_BOM).lstrip(_BLANK)[:1]
    if (start and start not in _JSON) or not _is_utf_8(head, whole=False):
        return _cut(body, _KEPT)
    return _with_short_texts(body) if len(body) > LONG else body


def _with_short_texts(body: bytes) -> bytes:
    pieces, end = [], 0
    for text in _STRING.finditer(body):
        # An address would be none any more.
        if text.end() - text.start() > LONG and text[2] and not _URI.match(body, text.start(1)):
            inside = text[1]
            if _is_utf_8(inside, whole=True):
                pieces += [body[end : text.start(1)], _cut(inside, _KEPT)]
                end = text.end(1)
    return b"".join([*pieces, body[end:]])


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
