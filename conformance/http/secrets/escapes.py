"""Escapes of addresses, JSON, programs and HTML: what a text says, and how another text is written in their place.

A search in what a text says finds a value however its characters are escaped.
"""

from __future__ import annotations

import html
import re
import sys
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from typing import Final, NamedTuple

_HEX: Final = "[0-9A-Fa-f]"
_ZEROS: Final = "0{0,99}"
"""Zeros in front of a code: more than anybody writes, and few enough to remember the code."""


def _bytes(mark: str) -> list[str]:
    """Return the expressions for one character of several bytes in UTF-8, and for one byte."""
    more = f"{mark}[89abAB]{_HEX}"
    leads = ("[cCdD]", more), ("[eE]", more * 2), ("[fF]", more * 3)
    return [*(f"{mark}{lead}{_HEX}{rest}" for lead, rest in leads), mark + _HEX * 2]


_OF_JSON: Final = {
    "utf_16": [rf"\\u[dD][89abAB]{_HEX}{{2}}\\u[dD][c-fC-F]{_HEX}{{2}}", rf"\\u{_HEX}{{4}}"],
    "sign": [r"""\\["'/\\bfnrt]"""],
}
_ALL: Final = _OF_JSON | {
    "utf_16": [*_OF_JSON["utf_16"], f"%u{_HEX}{{4}}"],
    "bytes": [*_bytes("%"), *_bytes(r"\\x")],
    "hex": [rf"&\#[xX]{_ZEROS}{_HEX}{{1,8}};?", rf"\\[ux]\{{{_ZEROS}{_HEX}{{1,8}}\}}", rf"\\U{_HEX}{{8}}"],
    "decimal": [rf"&\#{_ZEROS}\d{{1,9}};?"],
    "octal": [r"\\[0-3][0-7]{2}"],
    "name": [r"&[A-Za-z]+\d*;"],
}
_KINDS: Final = re.compile("|".join(f"(?P<{kind}>{'|'.join(forms)})" for kind, forms in _ALL.items()).encode())


def _one_of(kinds: Mapping[str, Sequence[str]]) -> re.Pattern[bytes]:
    """Return a fast expression, to split a text at: each form begins with a character of its own, and in no group."""
    return re.compile(f"({'|'.join(form for forms in kinds.values() for form in forms)})".encode())


JSON: Final = _one_of(_OF_JSON)
"""The escapes in a string of JSON."""

ANY: Final = _one_of(_ALL)
"""The escapes of addresses, JSON, programs and HTML."""

_CODES: Final = {
    "utf_16": (re.compile(f"{_HEX}{{4}}".encode()), "x"),
    "bytes": (re.compile(f"{_HEX}{{2}}".encode()), "x"),
    "hex": (re.compile(f"{_HEX}+".encode()), "x"),
    "decimal": (re.compile(rb"\d+"), "d"),
    "octal": (re.compile(rb"\d+"), "o"),
}
"""The digits of each kind of escape, and their base."""

_TOGETHER: Final = 1 << 16
"""Escapes that are in memory at a time, each with 50 bytes."""

_BASES: Final = {"x": 16, "d": 10, "o": 8}
_SIGNS: Final = dict(zip(b"bfnrt", (b"\b", b"\f", b"\n", b"\r", b"\t"), strict=True))


class Edit(NamedTuple):
    """What replaces a part of a text."""

    start: int
    end: int
    new: bytes
    is_mark: bool = False
    """Whether it is a mark, which is written as it is; else it is as long as what it replaces."""


def chosen(edits: Iterable[Edit]) -> list[Edit]:
    """Return the edits, in the order of their starts or ends, without overlaps: of two the longer one stays."""
    stay: list[Edit] = []
    for each in edits:
        while stay and each.start < stay[-1].end and each.end - each.start > stay[-1].end - stay[-1].start:
            stay.pop()
        if not stay or each.start >= stay[-1].end:
            stay.append(each)
    return stay


def edited(data: bytes, edits: Sequence[Edit]) -> bytes:
    """Return a text with its parts replaced, by edits in their order and without overlaps."""
    pieces, end = [], 0
    for each in edits:
        pieces += [data[end : each.start], each.new]
        end = each.end
    return b"".join([*pieces, data[end:]])


def unescaped(data: bytes, escapes: re.Pattern[bytes] = ANY) -> bytes:
    """Return what a text says, with one level of its escapes decoded."""
    said: list[bytes] = []
    rest = data
    while True:
        *parts, rest = escapes.split(rest, _TOGETHER)
        if not parts:
            return b"".join([*said, rest])
        parts[1::2] = map(_said, parts[1::2])
        said.append(b"".join(parts))


def edits_of(data: bytes, edits: Sequence[Edit], escapes: re.Pattern[bytes] = ANY) -> list[Edit]:
    """Return edits of what a text says as those of the text, written in its escapes."""
    units, begins, ends, shift = list[re.Match[bytes]](), list[int](), list[int](), 0
    left, reached = sorted(edits, reverse=True), 0
    for unit in escapes.finditer(data):
        said = _said(unit[0])
        if said == unit[0]:
            continue  # it is text as the rest, of which an edit may replace a part
        begin = unit.start() - shift
        end = begin + len(said)
        while left and left[-1].start < end:
            reached = max(reached, left.pop().end)
        if units and begins[-1] >= reached:
            # No edit is at the escape before, or between both. Of a million escapes few are kept.
            del units[-1], begins[-1], ends[-1]
        units.append(unit)
        begins.append(begin)
        ends.append(end)
        shift = unit.end() - end

    def source_of(edit: Edit) -> Edit:
        first, last = bisect_right(ends, edit.start), bisect_left(begins, edit.end)
        # The place of a character that no escape writes is as far behind the escape before it.
        start = edit.start + (units[first - 1].end() - ends[first - 1] if first else 0)
        end = edit.end + (units[last - 1].end() - ends[last - 1] if last else 0)
        if first < last:
            start, end = min(start, units[first].start()), max(end, units[last - 1].end())
        if edit.is_mark:
            return Edit(start, end, edit.new, is_mark=True)
        pieces, done = [], 0
        for unit, begin, finish in zip(units[first:last], begins[first:last], ends[first:last], strict=True):
            pieces += [edit.new[done : begin - edit.start]]
            done = finish - edit.start
            pieces += [_written(unit[0], edit.new[begin - edit.start : done])]
        return Edit(start, end, b"".join([*pieces, edit.new[done:]]))

    return [source_of(each) for each in edits]


@lru_cache(maxsize=4096)
def _said(unit: bytes) -> bytes:
    """Return the character that an escape says, in UTF-8; the escape itself if it says none; nothing of a separator."""
    found = _KINDS.fullmatch(unit)
    if found is None:
        return b""
    kind = str(found.lastgroup)
    if kind == "sign":
        return _SIGNS.get(unit[1], unit[1:])
    if kind == "name":
        said = html.unescape(unit.decode())
    else:
        digits, base = _CODES[kind]
        codes = [int(each, _BASES[base]) for each in digits.findall(unit)]
        if len(codes) > 1:
            written = bytes(codes) if kind == "bytes" else b"".join(each.to_bytes(2) for each in codes)
            said = written.decode("utf-8" if kind == "bytes" else "utf-16-be", "ignore")
        else:
            said = chr(codes[0]) if codes[0] <= sys.maxunicode else ""
    return said.encode("utf-8", "surrogatepass") if len(said) == 1 else unit


def _written(unit: bytes, new: bytes) -> bytes:
    """Return an escape of the same form and length that says `new`; a code that is too long loses its first digits."""
    found = _KINDS.fullmatch(unit)
    if found is None or new == _said(unit) or (kind := str(found.lastgroup)) == "sign":
        return unit
    said = new.decode("utf-8", "surrogatepass")
    if kind == "name":
        return b"&#%b;" % _digits(ord(said), unit[2:-1], "d")
    digits, base = _CODES[kind]
    count = len(digits.findall(unit))
    if count == 1:
        codes = [ord(said)]
    else:
        raw = new if kind == "bytes" else said.encode("utf-16-be", "surrogatepass")
        size = len(raw) // count
        codes = [int.from_bytes(raw[size * index : size * (index + 1)]) for index in range(count)]
    others = iter(codes)
    return digits.sub(lambda found: _digits(next(others), found[0], base), unit)


def _digits(code: int, before: bytes, base: str) -> bytes:
    digits = f"{code:0{len(before)}{base}}"[-len(before) :].encode()
    return digits.upper() if before.isupper() else digits
