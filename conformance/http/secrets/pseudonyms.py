"""Pseudonyms: values of the same type and length that stand for personal values, made with a key.

A pseudonym is the value encrypted in its own form, with HMAC-SHA256 as the function of the rounds. So different values
of one form have different pseudonyms, and who has the key can compute the pseudonym of a value.
"""

from __future__ import annotations

import hmac
import re
import unicodedata
from collections import defaultdict
from collections.abc import Sequence
from functools import cache, lru_cache
from string import ascii_lowercase, digits
from typing import Final

from conformance.http.secrets.forms import fold, in_case_of

_ROUNDS: Final = 4

_CACHED: Final = 1 << 15
"""Values: an account is shown several times, with small changes."""

_LONGEST: Final = 1 << 16
"""Characters of a text that are replaced together: each takes up to 150 bytes of memory meanwhile."""

_UUID: Final = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}")
_SCHEME: Final = re.compile(r"[a-z][a-z0-9+.-]*://")
_NUMBER: Final = re.compile(r"(-?)(\d+)(?:(\.)(\d+))?((?:[eE][+-]?\d+)?)", re.ASCII)


def id_of(key: bytes) -> str:
    """Return what tells a key from others and shows nothing of it. No pseudonym is made of this text."""
    return hmac.digest(key, b"id of the key", "sha256")[:8].hex()


class Pseudonyms:
    """The pseudonyms under one key. Upper and lower case (ASCII) of a value have the same one, in the value's case."""

    def __init__(self, key: bytes) -> None:
        self._key = key
        self.of = lru_cache(maxsize=_CACHED)(self._of)
        """Return the pseudonym of a value."""
        self._reordered = lru_cache(maxsize=64)(self._in_another_order)
        self.of_number = lru_cache(maxsize=_CACHED)(self._of_number)
        """Return the pseudonym of a JSON number: sign, exponent and number of digits stay."""

    def _of(self, value: str) -> str:
        if _NUMBER.fullmatch(value):
            return self.of_number(value)
        return in_case_of(value, self._of_lower(fold(value)))

    def _of_number(self, literal: str) -> str:
        found = _NUMBER.fullmatch(literal)
        if found is None:
            return self._of_text(literal)
        sign, whole, point, fraction, exponent = found.groups("")
        # JSON allows no zero before another digit. So zeros in front stay, and no other digit becomes one.
        zeros = len(whole) - len(whole.lstrip("0"))
        alphabets = [*["0"] * zeros, *[digits[1:]] * (zeros < len(whole)), *[digits] * (len(whole) - zeros - 1)]
        replaced = self._permuted("number", list(whole + fraction), [*alphabets, *[digits] * len(fraction)])
        return f"{sign}{replaced[: len(whole)]}{point}{replaced[len(whole) :]}{exponent}"

    def _of_lower(self, value: str) -> str:
        if _UUID.fullmatch(value):
            # The digits of version and variant stay.
            letters = [_of_hex(each) if place not in (14, 19) else each for place, each in enumerate(value)]
            return self._permuted("UUID", list(value), letters)
        scheme = found[0] if (found := _SCHEME.match(value)) else ""
        return scheme + self._of_text(value[len(scheme) :])

    def _of_text(self, text: str) -> str:
        parts = [text[start : start + _LONGEST] for start in range(0, len(text), _LONGEST)]
        return "".join(
            self._permuted(f"text {number}" if number else "text", list(part), [_alphabet(each) for each in part])
            for number, part in enumerate(parts)
        )

    def _permuted(self, kind: str, letters: list[str], alphabets: Sequence[str]) -> str:
        """Return the letters, each replaced by one of its alphabet: a Feistel network over every second letter.

        One letter alone has no other half, which would make the shift of all such letters one. It changes places in
        its alphabet.
        """
        places = [place for place, alphabet in enumerate(alphabets) if len(alphabet) > 1]
        if len(places) == 1:
            (place,) = places
            alphabet = alphabets[place]
            letters[place] = self._reordered(kind, alphabet)[alphabet.index(letters[place])]
            return "".join(letters)
        halves = places[::2], places[1::2]
        for number in range(_ROUNDS):
            changing, other = halves[number % 2], halves[1 - number % 2]
            said = f"{kind}/{len(places)}/{number}/{''.join(letters[place] for place in other)}"
            for place, shift in zip(changing, self._shifts(said, len(changing)), strict=True):
                alphabet = alphabets[place]
                letters[place] = alphabet[(alphabet.index(letters[place]) + shift) % len(alphabet)]
        return "".join(letters)

    def _in_another_order(self, kind: str, alphabet: str) -> list[str]:
        def place(letter: str) -> bytes:
            return hmac.digest(self._key, f"{kind}/{letter}".encode(), "sha256")

        return sorted(alphabet, key=place)

    def _shifts(self, said: str, count: int) -> list[int]:
        raw = block = hmac.digest(self._key, said.encode("utf-8", "surrogatepass"), "sha256")
        if 2 * count > len(raw):
            blocks = (hmac.digest(block, b"%d" % index, "sha256") for index in range(2 * count // len(raw) + 1))
            raw = b"".join(blocks)
        return [int.from_bytes(raw[2 * index : 2 * index + 2]) for index in range(count)]


def _of_hex(letter: str) -> str:
    return next((alphabet for alphabet in (digits, "abcdef") if letter in alphabet), letter)


def _alphabet(letter: str) -> str:
    """Return the letters, or the digits, that may replace one: of the same script, category and length in UTF-8."""
    if letter.isascii():
        return next((alphabet for alphabet in (ascii_lowercase, digits) if letter in alphabet), letter)
    kind = _kind_of(letter)
    if kind is None:
        return letter
    plane = ord(letter) // _PLANE
    return _alphabets(plane)[kind]


_PLANE: Final = 1 << 16
_LONGER: Final = 1 << 11
"""The first character whose UTF-8 has three bytes."""


@cache
def _alphabets(plane: int) -> dict[tuple[str, str, bool], str]:
    """Return the letters and digits of a plane of Unicode by kind, without those of ASCII. Four planes have some."""
    found: dict[tuple[str, str, bool], list[str]] = defaultdict(list)
    for letter in map(chr, range(max(128, plane * _PLANE), (plane + 1) * _PLANE)):
        if (kind := _kind_of(letter)) is not None:
            found[kind].append(letter)
    return {kind: "".join(letters) for kind, letters in found.items()}


def _kind_of(letter: str) -> tuple[str, str, bool] | None:
    """Return script, category and whether the UTF-8 has more than two bytes; None for what is no letter or digit.

    The name of a character begins with its script. A whole script is the alphabet, because a name in Han or Hangul has
    few characters: with a part of the script, most common surnames could be told from their pseudonym.
    """
    category = unicodedata.category(letter)
    if category[0] != "L" and category != "Nd":
        return None
    return unicodedata.name(letter, "").partition(" ")[0], category, ord(letter) >= _LONGER
