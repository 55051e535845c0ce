"""What anybody can compute from a personal value: its parts, and numbers in another notation.

A text that only resembles a value is no derived one: `docs/evidence.md` lists what is not looked for.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterator, Mapping
from typing import Final

from conformance.http.secrets.forms import Search, bounded, encode, fold
from conformance.http.secrets.pseudonyms import in_case_of

_FEWEST_DIGITS: Final = 5
_FEWEST: Final = 7
_MOST: Final = 40
"""Characters of a number that is looked for with other separators. A shorter one would be found in unrelated text."""

_MOST_NUMBERS: Final = 300
"""Numbers that are looked for with other separators: the search for them takes longer than that for a text."""

_WORDS: Final = range(2, 6)
"""How many words a name has."""

_NAME: Final = re.compile(r"[^\W\d_]+(?:['’-][^\W\d_]+)*")
_EMAIL: Final = re.compile(r"([^@\s]+)@[^@\s]+\.[^@\s]+")
_DATE: Final = re.compile(r"\d{4}-\d\d-\d\d", re.ASCII)
_UUID: Final = re.compile(r"[0-9A-Fa-f]{8}(?:-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12}")

_BETWEEN: Final = "(?:[ ./_+()-]|\u00a0){0,2}"
_NUMBER: Final = re.compile(rf"[+(]?[0-9A-Za-z]+(?:{_BETWEEN}[0-9A-Za-z])*\)?")
_SEPARATORS: Final = " ./_+()-\u00a0"


def derived_from(value: str, pseudonym: Callable[[str], str]) -> Iterator[tuple[str, str]]:
    """Yield the texts that follow from a value, each with what stands in its place; `Numbers` finds numbers."""
    parts = tuple(_parts(value))
    for text in parts:
        yield text, pseudonym(text)
    for text in (each for each in (value, *parts) if not each.isascii()):
        others = text.lower(), text.upper(), *(unicodedata.normalize(form, text) for form in ("NFC", "NFD"))
        yield from ((other, pseudonym(other)) for other in others)
    if _DATE.fullmatch(value):
        for pattern in ("{2}.{1}.{0}", "{1}/{2}/{0}"):
            yield pattern.format(*value.split("-")), pattern.format(*pseudonym(value).split("-"))


def _parts(value: str) -> Iterator[str]:
    """Yield the words of a name, which begin with no small letter, and those before the @ of an e-mail address."""
    if email := _EMAIL.fullmatch(value):
        yield email[1]
        yield from _NAME.findall(email[1])
        return
    words = value.replace(",", " ").split()
    if len(words) not in _WORDS or not all(map(_NAME.fullmatch, words)):
        return
    if not any(word[0].islower() for word in (words[0], words[-1])):
        for word in words:
            yield word
            yield from re.split(r"['’-]", word)


def _plain(value: str) -> str:
    """Return a number of a person, an account or a telephone without its separators; "" for what is none.

    At least half of its characters are digits, or it is a UUID.
    """
    letters = "".join(each for each in value if each.isalnum())
    if not _FEWEST <= len(letters) <= _MOST or not _NUMBER.fullmatch(value):
        return ""
    found = sum(map(str.isdigit, letters))
    return letters if _UUID.fullmatch(value) or found >= max(_FEWEST_DIGITS, len(letters) / 2) else ""


class Numbers:
    """Finds the numbers among personal values in any notation: with other separators than the value, or without."""

    def __init__(self, stand_ins: Mapping[str, str]) -> None:
        self._values: dict[str, tuple[str, str]] = {}
        """By its digits and letters, each value with the letters and digits of its pseudonym."""
        for value, pseudonym in stand_ins.items():
            if len(self._values) < _MOST_NUMBERS and (plain := _plain(value)):
                self._values.setdefault(fold(plain), (value, "".join(filter(str.isalnum, pseudonym))))
        self._plain = sorted(self._values, key=len, reverse=True)
        self._search = Search([encode(each) for each in self._plain])
        self.longest = 7 * len(self._plain[0]) if self._plain else 0
        """The most characters of a number with its separators."""

    def found_in(self, data: bytes) -> tuple[int, ...]:
        """Return the indexes of the numbers that may occur in `data`, in their order."""
        if not self._plain:
            return ()
        bare = data.translate(None, encode(_SEPARATORS))
        return tuple(self._search.found_in(bare))

    def expressions(self, places: tuple[int, ...]) -> list[str]:
        """Return the expressions for some of the numbers."""
        return [_BETWEEN.join(self._plain[place]) for place in places]

    def values_in(self, text: str) -> set[str]:
        """Return the values that occur in a text, which is in lower case (ASCII)."""
        return {
            self._values[self._plain[place]][0]
            for place in self.found_in(encode(text))
            if re.search(bounded(self.expressions((place,)))[0], text, re.ASCII)
        }

    def shown(self, found: str) -> str:
        """Return what stands in the place of a number that was found, with its separators."""
        letters = "".join(filter(str.isalnum, found))
        others = iter(in_case_of(letters, fold(self._values[fold(letters)][1])))
        return re.sub("[0-9A-Za-z]", lambda _: next(others), found)
