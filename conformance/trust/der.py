"""The certificates of a time stamp in the order of DER, which not every authority uses, such as 'openssl ts'."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

_SEQUENCE: Final = 0x30
_TAGGED: Final = 0xA0
"""The tag of a member with the number 0, which is constructed."""


def in_order(stamp: bytes) -> bytes:
    """Return an RFC 3161 response with its certificates in the order of DER, as a strict reader demands it.

    No signature covers this order. Bytes that are no such response are returned as they are.
    """
    try:
        start, end = _certificates(stamp)
        certificates = sorted(stamp[one:other] for _, one, _, other in _parts(stamp, start, end))
        return stamp[:start] + b"".join(certificates) + stamp[end:]
    except (IndexError, LookupError, ValueError):
        return stamp


def _certificates(stamp: bytes) -> tuple[int, int]:
    """Return where the certificates of a response begin and end; raise LookupError or ValueError for another text."""
    (response,) = _parts(stamp, 0, len(stamp))
    content = _part(stamp, response, 1, _SEQUENCE)
    signed = _part(stamp, _part(stamp, content, 1, _TAGGED), 0, _SEQUENCE)
    _, _, start, end = _part(stamp, signed, 3, _TAGGED)
    return start, end


_Part = tuple[int, int, int, int]
"""A value: its tag, and where it, its content and what follows it begin."""


def _part(text: bytes, whole: _Part, place: int, tag: int) -> _Part:
    part = [*_parts(text, *whole[2:])][place]
    if part[0] != tag:
        raise ValueError(f"expected the tag {tag}, received {part[0]}")
    return part


def _parts(text: bytes, start: int, end: int) -> Iterator[_Part]:
    """Yield each value between two places."""
    while start < end:
        content, size = start + 2, text[start + 1]
        if size & 0x80:
            content += size & 0x7F
            size = int.from_bytes(text[start + 2 : content])
        if content + size > end:
            raise ValueError("a value ends behind the one that holds it")
        yield text[start], start, content, content + size
        start = content + size
