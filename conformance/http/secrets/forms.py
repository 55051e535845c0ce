"""The forms in which a secret or a personal value can appear, and the search for them."""

from __future__ import annotations

import base64
import re
import shlex
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from string import ascii_lowercase, ascii_uppercase
from typing import Final

from ahocorasick_rs import BytesAhoCorasick, Implementation

from conformance.http.secrets.escapes import Edit, chosen, edits_of, unescaped

DISTINCTIVE: Final = 8
"""Characters from which a value is hardly ever part of an unrelated text."""

AUTHORIZATION: Final = "Authorization: "

_AS_CREDENTIAL: Final = ("access_token=", f"{AUTHORIZATION}Bearer ", f"{AUTHORIZATION}Token ")
"""What stands before a token where it is sent (RFC 6750, 2); no rule reads what follows."""

BASE64, NUMBER, _CREDENTIAL, _HEX, _PLAIN = "base64", "number", "credential", "hexadecimal digits", "plain text"

_DIGEST: Final = re.compile(r"[0-9a-f]{32}(?:[0-9a-f]{8}|[0-9a-f]{32})?")

_LOWER = str.maketrans(ascii_uppercase, ascii_lowercase)

_WORD_BEFORE: Final = re.compile(rb"[0-9A-Za-z]\Z|[0-9][.,:]\Z")
_WORD_GOES_ON: Final = re.compile(rb"[0-9A-Za-z]|[.,:][0-9]")
"""Numbers are no part of a number or a time either."""

_TOKEN_GOES_ON: Final = re.compile(rb"[\w~+/=%-]|\.\w")
"""A full stop may end a sentence."""

_SEPARATORS: Final = " ./_+()-\u00a0"
_SEPARATOR: Final = re.compile(rb"([ ./_+()-]|\xc2\xa0)")
"""What may stand between the digits of a number."""


def fold(text: str) -> str:
    """Return `text` in lower case (ASCII)."""
    return text.translate(_LOWER)


def in_case_of(pattern: str, text: str) -> str:
    """Return `text` with the case (ASCII) of the letters of `pattern`, which has the same length."""
    if pattern.islower():
        return text
    return "".join(
        other.upper() if other.isascii() and one in ascii_uppercase else other
        for one, other in zip(pattern, text, strict=True)
    )


def encode(text: str) -> bytes:
    """Return a text in UTF-8, also if it contains half of a surrogate pair."""
    return text.encode("utf-8", "surrogatepass")


def decode(data: bytes) -> str:
    """Return what `encode` was given."""
    return data.decode("utf-8", "surrogatepass")


@dataclass(frozen=True, slots=True)
class Copy:
    """One form of a secret or of a personal value, with what replaces it."""

    form: str
    kind: str
    shown: str
    value: str = ""
    """The personal value of which it is a form."""
    is_mark: bool = False
    """Whether a mark replaces it; else what replaces it has its length."""
    before: int = 0
    """Characters at its begin that stay."""
    bounded: bool = False
    """Whether it is replaced only where no word goes on."""

    def fits(self, data: bytes, start: int, end: int) -> bool:
        """Whether the place from `start` to `end` counts, where the form was found."""
        if self.kind == _CREDENTIAL:
            return not _TOKEN_GOES_ON.match(data, end)
        if self.kind == BASE64 and not self.is_mark:
            return data[start:end] == encode(self.form)  # the case is part of the value
        return not (
            self.bounded and (_WORD_BEFORE.search(data, max(0, start - 2), start) or _WORD_GOES_ON.match(data, end))
        )

    def edit(self, data: bytes, start: int, end: int) -> Edit:
        """Return the replacement of the form that was found there."""
        if self.is_mark:
            return Edit(start + self.before, end, encode(self.shown), is_mark=True)
        found = decode(data[start:end])
        return Edit(start, end, encode(self.shown if found == self.form else in_case_of(found, fold(self.shown))))


class Finder:
    """Finds copies in a text, and numbers also with separators between their digits. Case (ASCII) does not count."""

    def __init__(self, copies: Iterable[Copy]) -> None:
        """Of two copies with the same form the first counts."""
        known: dict[tuple[bool, str], Copy] = {}
        for each in copies:
            known.setdefault((each.kind == NUMBER, fold(each.form)), each)
        self._texts = _Search([each for (is_number, _), each in known.items() if not is_number])
        self._numbers = _Search([each for (is_number, _), each in known.items() if is_number])
        self.longest = max(self._texts.longest, 7 * self._numbers.longest)
        """The most bytes of what it finds."""

    def edits_in(self, data: bytes) -> list[Edit]:
        """Return the replacements in `data`, in their order and without overlaps."""
        edits = chosen(edit for _, edit in self._texts_in(data))
        numbers = [edit for _, edit in self._numbers_in(data)]
        return chosen(sorted([*edits, *numbers])) if numbers else edits

    def found_in(self, data: bytes) -> Iterator[Copy]:
        """Yield the copies that occur in `data`, some of them several times."""
        yield from (copy for copy, _ in self._texts_in(data))
        yield from (copy for copy, _ in self._numbers_in(data))

    def _texts_in(self, data: bytes) -> Iterator[tuple[Copy, Edit]]:
        for copy, start, end in self._texts.places_in(data):
            if copy.fits(data, start, end):
                yield copy, copy.edit(data, start, end)

    def _numbers_in(self, data: bytes) -> Iterator[tuple[Copy, Edit]]:
        if not self._numbers.occurs_in(data.translate(None, encode(_SEPARATORS))):
            return
        bare = unescaped(data, _SEPARATOR)
        found = [(copy, copy.edit(bare, start, end)) for copy, start, end in self._numbers.places_in(bare)]
        edits = edits_of(data, [edit for _, edit in found], _SEPARATOR)
        for (copy, _), edit in zip(found, edits, strict=True):
            if copy.fits(data, edit.start, edit.end):
                yield copy, edit


class _Search:
    """Finds the places of copies in a text."""

    def __init__(self, copies: Sequence[Copy]) -> None:
        self._copies = copies
        sought = [encode(each.form).lower() for each in copies]
        # It takes three times as long to search as another one, and a tenth of the time to make.
        self._automaton = BytesAhoCorasick(sought, implementation=Implementation.ContiguousNFA)
        self.longest = max(map(len, sought), default=0)
        # Sought texts inside of others give many places. Only those of one piece are in memory at a time.
        self._piece = self.longest + 32 * 1024

    def places_in(self, data: bytes) -> Iterator[tuple[Copy, int, int]]:
        """Yield the copies, each with the start and the end of a place where it is."""
        for first in range(0, len(data) if self._copies else 0, self._piece):
            piece = data[first : first + self._piece + self.longest].lower()
            for index, start, end in self._automaton.find_matches_as_indexes(piece, overlapping=True):
                if start < self._piece:
                    yield self._copies[index], first + start, first + end

    def occurs_in(self, data: bytes) -> bool:
        """Whether any copy occurs in a text."""
        return bool(self._copies and self._automaton.find_matches_as_indexes(data.lower()))


def copies_of_secret(secret: str, mark: str) -> Iterator[Copy]:
    """Yield the forms of a secret."""
    for kind, form in (("reversed text", secret[::-1]), *_forms(secret)):
        yield Copy(form, kind, mark, is_mark=True)


def copies_as_credential(token: str, mark: str) -> Iterator[Copy]:
    """Yield the forms of a short token with what stands before it."""
    for before in _AS_CREDENTIAL if token else ():
        yield Copy(before + token, _CREDENTIAL, mark, is_mark=True, before=len(before))


def copies_of_value(value: str, pseudonym: str) -> Iterator[Copy]:
    """Yield the forms of a personal value. A short one in base64 or hex would be found in unrelated text."""
    for (kind, form), (_, shown) in zip(_forms(value), _forms(pseudonym), strict=True):
        if kind == _PLAIN:
            yield Copy(form, kind, shown, value, bounded=not is_distinctive(value))
        elif is_distinctive(value):
            yield Copy(form, kind, shown, value)


def is_distinctive(value: str) -> bool:
    """Whether a personal value is replaced also inside of words: it is long, and no digest."""
    return len(value) >= DISTINCTIVE and not is_digest(value)


def is_digest(value: str) -> bool:
    """Whether a value has the form of MD5, SHA-1 or SHA-256 in hexadecimal digits."""
    return _DIGEST.fullmatch(value) is not None


def _forms(text: str) -> Iterator[tuple[str, str]]:
    """Yield a text in common encodings, each with its kind; always as many, for texts of one form.

    `escapes.py` decodes what writes single characters otherwise.
    """
    plain = encode(text)
    yield _PLAIN, text
    yield _HEX, plain.hex()
    if " " in text:
        yield _PLAIN, text.replace(" ", "+")
    if "'" in text:
        yield _PLAIN, shlex.quote(text)[1:-1]
    for before in range(3):  # the characters of base64 that the text alone determines, for each of the three offsets
        encoded = base64.b64encode(bytes(before) + plain).decode()
        part = encoded[(before * 8 + 5) // 6 : (before + len(plain)) * 8 // 6]
        yield BASE64, part
        yield BASE64, part.replace("+", "-").replace("/", "_")
