"""Pseudonyms: values of the same type and length that stand for personal values, made with a key.

A pseudonym is the value encrypted in its own form, with SHAKE-256 under the key as the function of the rounds. So
different values of one form have different pseudonyms, and who has the key can compute the pseudonym of a value.
"""

from __future__ import annotations

import hashlib
import hmac
import re
import unicodedata
from collections import defaultdict
from collections.abc import Sequence
from functools import cache
from string import ascii_lowercase, digits
from typing import Final

from conformance.http.secrets.forms import in_case_of
from conformance.model.strict_json import LARGE
from conformance.model.text import fold

_ROUNDS: Final = 4
"""Rounds of the Feistel cipher: with four, nothing tells it from a random permutation (Luby and Rackoff)."""

_UUID: Final = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}")
_SCHEME: Final = re.compile(r"[a-z][a-z0-9+.-]*://")
_NUMBER: Final = re.compile(r"-?(?P<zeros>0*)(?P<first>\d?)\d*(?:\.\d+)?(?P<exponent>(?:e[+-]?\d+)?)", re.ASCII)


def id_of(key: bytes) -> str:
    """Return what tells a key from others and shows nothing of it. No pseudonym is made of this text."""
    return hmac.digest(key, b"id of the key", "sha256")[:8].hex()


class Pseudonyms:
    """The pseudonyms under one key. Upper and lower case (ASCII) of a value have the same one, in the value's case."""

    def __init__(self, key: bytes) -> None:
        self._key = key
        self.of = cache(self._of)
        """Return the pseudonym of a value."""
        self._reordered = cache(self._in_another_order)

    def _of(self, value: str) -> str:
        if len(value) > LARGE:  # each character takes up to 150 bytes of memory meanwhile
            return self._of(value[:LARGE]) + self._of(value[LARGE:])
        letters = fold(value)
        return in_case_of(value, self._permuted(list(letters), _alphabets_for(letters)))

    def _permuted(self, letters: list[str], alphabets: Sequence[str]) -> str:
        """Return the letters, each replaced by one of its alphabet: a Feistel network over every second letter.

        One letter alone has no other half, which would make the shift of all such letters one. It changes places in
        its alphabet.
        """
        places = [place for place, alphabet in enumerate(alphabets) if len(alphabet) > 1]
        if len(places) == 1:
            (place,) = places
            alphabet = alphabets[place]
            letters[place] = self._reordered(alphabet)[alphabet.index(letters[place])]
            return "".join(letters)
        halves = places[::2], places[1::2]
        for number in range(_ROUNDS):
            changing, other = halves[number % 2], halves[1 - number % 2]
            said = f"{len(places)}/{number}/{''.join(letters[place] for place in other)}"
            for place, shift in zip(changing, self._shifts(said, len(changing)), strict=True):
                alphabet = alphabets[place]
                letters[place] = alphabet[(alphabet.index(letters[place]) + shift) % len(alphabet)]
        return "".join(letters)

    def _in_another_order(self, alphabet: str) -> list[str]:
        return sorted(alphabet, key=lambda letter: self._shifts(letter, 8))

    def _shifts(self, said: str, count: int) -> list[int]:
        raw = hashlib.shake_256(self._key + said.encode("utf-8", "surrogatepass")).digest(2 * count)
        return [int.from_bytes(raw[2 * index : 2 * index + 2]) for index in range(count)]


def _alphabets_for(value: str) -> list[str]:
    """Return for each character of a value those that may replace it; alone, it stays."""
    if _UUID.fullmatch(value):
        # The digits of version and variant stay.
        return [_alphabet(each, "abcdef") if place not in (14, 19) else each for place, each in enumerate(value)]
    alphabets = [*map(_alphabet, value)]
    if scheme := _SCHEME.match(value):
        alphabets[: scheme.end()] = scheme[0]
    if number := _NUMBER.fullmatch(value):
        # JSON allows no zero before another digit. So zeros in front stay, and no other digit becomes one.
        alphabets[: number.end("zeros")] = value[: number.end("zeros")]
        alphabets[number.end("zeros") : number.end("first")] = [digits[1:]] * len(number["first"])
        alphabets[number.start("exponent") :] = number["exponent"]
    return alphabets


def _alphabet(letter: str, letters: str = ascii_lowercase) -> str:
    """Return the letters, or the digits, that may replace one: of the same script, category and length in UTF-8."""
    if letter.isascii():
        return next((alphabet for alphabet in (letters, digits) if letter in alphabet), letter)
    return _alphabets(len(letter.encode("utf-8", "surrogatepass"))).get(_kind_of(letter), letter)


_OF_LENGTH: Final = {2: range(0x80, 0x800), 3: range(0x800, 0x10000), 4: range(0x10000, 0x40000)}
"""The characters of each length in UTF-8, without planes that have no letters."""


@cache
def _alphabets(length: int) -> dict[str, str]:
    """Return the letters and digits of a length in UTF-8, by kind.

    A whole script is the alphabet, because a name in Han or Hangul has few characters: with a part of the script, most
    common surnames could be told from their pseudonym.
    """
    found: dict[str, list[str]] = defaultdict(list)
    for letter in map(chr, _OF_LENGTH[length]):
        if unicodedata.category(letter) in ("Lu", "Ll", "Lt", "Lm", "Lo", "Nd"):
            found[_kind_of(letter)].append(letter)
    return {kind: "".join(letters) for kind, letters in found.items()}


def _kind_of(letter: str) -> str:
    """Return category and script: the name of a character begins with its script."""
    return f"{unicodedata.category(letter)} {unicodedata.name(letter, '').partition(' ')[0]}"
