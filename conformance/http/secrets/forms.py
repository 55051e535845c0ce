"""The forms in which a secret or a personal value can appear, the search for them, and what is written in their place.

Escapes of JSON, addresses and HTML are decoded: a search in what a text says finds a value however it is escaped.
"""

from __future__ import annotations

import base64
import html
import json
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from itertools import islice
from string import ascii_uppercase
from typing import Final, NamedTuple

from ahocorasick_rs import BytesAhoCorasick, Implementation

from conformance.model.text import encode, fold

DISTINCTIVE: Final = 8
"""Characters from which a value is hardly ever part of an unrelated text."""

AUTHORIZATION: Final = "Authorization: "

_AS_CREDENTIAL: Final = ("access_token=", f"{AUTHORIZATION}Bearer ", f"{AUTHORIZATION}Token ")
"""What stands before a token where it is sent (RFC 6750, 2); no rule reads what follows."""

_DIGEST: Final = re.compile(r"[0-9a-f]{32}(?:[0-9a-f]{8}|[0-9a-f]{32})?")
"""MD5, SHA-1 or SHA-256 in hexadecimal digits, or an identifier without hyphens."""

_WORD_BEFORE: Final = re.compile(rb"[0-9A-Za-z]\Z|[0-9][.,:]\Z")
_WORD_GOES_ON: Final = re.compile(rb"[0-9A-Za-z]|[.,:][0-9]")
"""Numbers are no part of a number or a time either."""
_HEX: Final = "[0-9A-Fa-f]"
_ESCAPE: Final = re.compile(
    rf"""\\u[dD][89abAB]{_HEX}{{2}}\\u[dD][c-fC-F]{_HEX}{{2}}|\\u{_HEX}{{4}}|\\["/\\bfnrt]|%{_HEX}{{2}}|\\x{_HEX}{{2}}"""
    rf"|&\#\d{{1,8}};|&\#[xX]{_HEX}{{1,6}};|&[A-Za-z]+\d*;".encode()
)
"""The escapes of JSON, addresses and HTML, and bytes as programs write them.

Each alternative begins with a character and not with a group: a search takes a third of the time then.
"""


def in_case_of(pattern: str, text: str) -> str:
    """Return `text` with the case (ASCII) of the letters of `pattern`, which has the same length."""
    if pattern.islower():
        return text
    return "".join(
        other.upper() if other.isascii() and one in ascii_uppercase else other
        for one, other in zip(pattern, text, strict=True)
    )


def decode(data: bytes) -> str:
    """Return what `encode` was given."""
    return data.decode("utf-8", "surrogatepass")


class Edit(NamedTuple):
    """What replaces a part of a text."""

    start: int
    end: int
    new: bytes
    """As long as what it replaces, or a mark, which is written as it is."""


def chosen(edits: Iterable[Edit]) -> list[Edit]:
    """Return the edits, in the order of their starts or ends, without overlaps: of two the longer one stays."""
    stay: list[Edit] = []
    for each in edits:
        while stay and each.start < stay[-1].end and each.end - each.start > stay[-1].end - stay[-1].start:
            stay.pop()
        if not stay or each.start >= stay[-1].end:
            stay.append(each)
    return stay


def edited(data: bytes, edits: Iterable[Edit]) -> bytes:
    """Return a text with its parts replaced, by edits in their order and without overlaps."""
    pieces, end = [], 0
    for each in edits:
        pieces += [data[end : each.start], each.new]
        end = each.end
    return b"".join([*pieces, data[end:]])


def unescaped(data: bytes) -> bytes:
    """Return what a text says, with one level of its escapes decoded."""
    return _ESCAPE.sub(lambda unit: _meaning(unit[0]), data)


def edits_of(data: bytes, edits: Iterable[Edit]) -> Iterator[Edit]:
    """Yield edits of what a text says, in their order, as those of the text, written in its escapes."""
    units = (each for each in _ESCAPE.finditer(data) if _meaning(each[0]) != each[0])
    unit, shift = next(units, None), 0
    for edit in edits:
        start, end, pieces, done = edit.start + shift, 0, list[bytes](), 0
        keeps_length = len(edit.new) == edit.end - edit.start
        while unit is not None and (begin := unit.start() - shift) < edit.end:
            behind = begin + len(_meaning(unit[0]))
            shift = unit.end() - behind
            if behind <= edit.start:
                start = edit.start + shift
            else:
                start, end = min(start, unit.start()), unit.end()
                first, last = max(begin - edit.start, 0), behind - edit.start
                if keeps_length:
                    pieces += [edit.new[done:first], _written(unit[0], edit.new[first:last])]
                    done = last
            unit = next(units, None)
        yield Edit(start, max(end, edit.end + shift), b"".join([*pieces, edit.new[done:]]))


@lru_cache(maxsize=4096)
def _meaning(unit: bytes) -> bytes:
    """Return what an escape says, in UTF-8; the escape itself if it says nothing."""
    if unit[:1] == b"%" or unit[1:2] == b"x":
        return bytes.fromhex(unit[-2:].decode())
    text: str = json.loads(b'"%b"' % unit) if unit[:1] == b"\\" else html.unescape(unit.decode())
    return encode(text) if len(text) == 1 else unit


def _written(unit: bytes, new: bytes) -> bytes:
    """Return an escape of the same form and length that says `new`; a code that is too long loses its first digits."""
    if new == _meaning(unit):
        return unit
    if unit[:1] == b"%" or unit[1:2] == b"x":
        return b"%b%02X" % (unit[:-2], new[0])
    if unit[:1] == b"\\":
        return re.sub("....", r"\\u\g<0>", decode(new).encode("utf-16-be", "surrogatepass").hex()).encode()
    digits = len(unit) - len("&#;")
    return b"".join(b"&#%b;" % f"{ord(each):0{digits}}"[-digits:].encode() for each in decode(new))


@dataclass(frozen=True, slots=True)
class Copy:
    """One form of a secret or of a personal value, with what replaces it."""

    form: str
    shown: str
    value: str = ""
    """The personal value of which it is a form; empty for a secret, which a mark replaces."""
    before: int = 0
    """Characters at its begin that stay: it is replaced only as a credential that is sent."""
    bounded: bool = False
    """Whether it is replaced only where no word goes on."""

    def edit(self, data: bytes, start: int, end: int) -> Edit:
        """Return the replacement of the form that was found there."""
        if not self.value:
            return Edit(start + self.before, end, encode(self.shown))
        found = decode(data[start:end])
        return Edit(start, end, encode(self.shown if found == self.form else in_case_of(found, fold(self.shown))))


class Finder:
    """Finds copies in a text. Case (ASCII) does not count."""

    def __init__(self, copies: Iterable[Copy]) -> None:
        """Of two copies with the same form the first counts."""
        known: dict[bytes, Copy] = {}
        for each in copies:
            known.setdefault(encode(fold(each.form)), each)
        self._copies = [*known.values()]
        # It takes three times as long to search as another one, and a tenth of the time to make.
        self._automaton = BytesAhoCorasick([*known], implementation=Implementation.ContiguousNFA)
        self._longest = max(map(len, known), default=0)
        # Copies inside of others give many places. Only those of one piece are in memory at a time.
        self._piece = self._longest + 32 * 1024

    def places_in(self, data: bytes) -> Iterator[tuple[Copy, int, int]]:
        """Yield the copies that occur in `data`, each with the start and the end of the place."""
        for first in range(0, len(data) if self._copies else 0, self._piece):
            piece = data[first : first + self._piece + self._longest].lower()
            for index, begin, behind in self._automaton.find_matches_as_indexes(piece, overlapping=True):
                copy, start, end = self._copies[index], first + begin, first + behind
                goes_on = _WORD_BEFORE.search(data, max(0, start - 2), start) or _WORD_GOES_ON.match(data, end)
                if begin < self._piece and not (copy.bounded and goes_on):
                    yield copy, start, end


def copies_of_secret(secret: str, mark: str, *, is_short: bool) -> list[Copy]:
    """Return the forms of a secret: of a short one as it is sent. Elsewhere it is a word, which a rule may read."""
    if is_short:
        return [Copy(before + secret, mark, before=len(before), bounded=True) for before in _AS_CREDENTIAL]
    return [Copy(form, mark) for form in _forms(secret)]


def copies_of_values(pseudonyms: Mapping[str, str]) -> Iterator[Copy]:
    """Yield the forms of personal values. A short one in base64 or hex would be found in unrelated text.

    One that is long, and no digest, is replaced also inside of words.
    """
    for value, pseudonym in pseudonyms.items():
        is_long = len(value) >= DISTINCTIVE and not _DIGEST.fullmatch(value)
        forms = zip(_forms(value), _forms(pseudonym), strict=True)
        for form, shown in forms if is_long else islice(forms, 2):
            yield Copy(form, shown, value, bounded=not is_long)


def _forms(text: str) -> Iterator[str]:
    """Yield a text in common encodings, always as many: as it is, as in a form, in hex, in base64, in UTF-16 and 32.

    `unescaped` decodes what writes single characters otherwise.
    """
    plain = encode(text)
    yield text
    yield text.replace(" ", "+")
    yield plain.hex()
    for before in range(3):  # the characters of base64 that the text alone determines, for each of the three offsets
        encoded = base64.b64encode(bytes(before) + plain).decode()
        part = encoded[(before * 8 + 5) // 6 : (before + len(plain)) * 8 // 6]
        yield part
        yield part.replace("+", "-").replace("/", "_")
    for zeros in ("\0", "\0\0\0"):  # between the characters of ASCII in UTF-16 and UTF-32, of either order
        yield zeros.join(text)
