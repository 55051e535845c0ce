"""What anybody can compute from a personal value: its parts, other spellings, numbers in another notation, digests.

A text that only resembles a value is no derived one: `docs/evidence.md` lists what is not looked for.
"""

from __future__ import annotations

import hashlib
import re
import unicodedata
from collections.abc import Callable, Iterator, Mapping
from itertools import islice
from typing import Final

from conformance.http.secrets.forms import NUMBER, Copy, copies_of_value, encode, fold, is_digest

_FEWEST_DIGITS: Final = 5
_FEWEST: Final = 7
_MOST: Final = 40
"""Characters of a number that is looked for with other separators. A shorter one would be found in unrelated text."""

_MOST_NUMBERS: Final = 300
"""Values that are looked for with other separators."""

_WORDS: Final = range(2, 6)
"""How many words a name has."""

_NAME: Final = re.compile(r"[^\W\d_]+(?:['’-][^\W\d_]+)*")
_EMAIL: Final = re.compile(r"([^@\s]+)@[^@\s]+\.[^@\s]+")
_DATE: Final = re.compile(r"\d{4}-\d\d-\d\d", re.ASCII)
_UUID: Final = re.compile(r"[0-9A-Fa-f]{8}(?:-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12}")
_NUMBER: Final = re.compile(r"[+(]?[0-9A-Za-z]+(?:(?:[ ./_+()-]|\u00a0){0,2}[0-9A-Za-z])*\)?")


def derived_from(value: str, pseudonym: Callable[[str], str]) -> Iterator[tuple[str, str]]:
    """Yield the texts that follow from a value, each with what stands in its place; see also `copies_of_values`."""
    parts = tuple(_parts(value))
    for text in parts:
        yield text, pseudonym(text)
    for text in (each for each in (value, *parts) if not each.isascii()):
        others = text.lower(), text.upper(), *(unicodedata.normalize(form, text) for form in ("NFC", "NFD"))
        yield from ((other, pseudonym(other)) for other in others)
    if _DATE.fullmatch(value):
        for pattern in ("{2}.{1}.{0}", "{1}/{2}/{0}"):
            yield pattern.format(*value.split("-")), pattern.format(*pseudonym(value).split("-"))
    yield from zip(_digests_of(value), _digests_of(pseudonym(value)), strict=True)


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


def _digests_of(value: str) -> Iterator[str]:
    """Yield the digests of a value, as it is and in lower case, in hexadecimal digits; always as many."""
    for text in (value, value.lower()):
        for name in ("md5", "sha1", "sha256"):
            yield hashlib.new(name, encode(text), usedforsecurity=False).hexdigest()


def copies_of_values(stand_ins: Mapping[str, str]) -> Iterator[Copy]:
    """Yield the forms of personal values, given their pseudonyms."""
    for value, pseudonym in stand_ins.items():
        yield from copies_of_value(value, pseudonym)
    # The numbers of persons, accounts and telephones, and UUIDs, are also looked for without their separators.
    numbers = ((value, pseudonym) for value, pseudonym in stand_ins.items() if _is_number(value))
    for value, pseudonym in islice(numbers, _MOST_NUMBERS):
        letters, others = ("".join(filter(str.isalnum, each)) for each in (value, pseudonym))
        yield Copy(fold(letters), NUMBER, fold(others), value, bounded=True)


def _is_number(value: str) -> bool:
    """Whether at least half of the letters and digits of a value are digits, or it is a UUID."""
    letters = sum(map(str.isalnum, value))
    if not _FEWEST <= letters <= _MOST or not _NUMBER.fullmatch(value) or is_digest(value):
        return False
    return bool(_UUID.fullmatch(value)) or sum(map(str.isdigit, value)) >= max(_FEWEST_DIGITS, letters / 2)
