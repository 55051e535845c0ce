"""The forms in which a text can appear: plain, escaped and encoded; and where a form of a personal value counts."""

from __future__ import annotations

import base64
import hashlib
import re
import shlex
from collections.abc import Iterator, Sequence, Set
from dataclasses import dataclass
from functools import lru_cache
from string import ascii_lowercase, ascii_uppercase
from typing import Final

from ahocorasick_rs import BytesAhoCorasick, Implementation

DISTINCTIVE: Final = 8
"""Characters from which a value is hardly ever part of an unrelated text."""

DIGESTED: Final = 1_000
"""Personal values whose digests are looked for: each takes four times its own memory."""

_LOWER = str.maketrans(ascii_uppercase, ascii_lowercase)


@dataclass(frozen=True, slots=True)
class Copy:
    """One form of a secret or of a personal value, with what replaces it."""

    form: str
    kind: str
    shown: str
    bounded: bool = False
    """Whether it is replaced only where no word goes on."""


def fold(text: str) -> str:
    """Return `text` in lower case (ASCII)."""
    return text.translate(_LOWER)


def encode(text: str) -> bytes:
    """Return a text in UTF-8, also if it contains half of a surrogate pair."""
    return text.encode("utf-8", "surrogatepass")


def decode(data: bytes) -> str:
    """Return what `encode` was given."""
    return data.decode("utf-8", "surrogatepass")


class Search:
    """Finds which of many texts occur in another one. Upper and lower case (ASCII) are one."""

    def __init__(self, sought: Sequence[bytes], *, little: bool = False) -> None:
        """Prepare the search; if it is for `little` data, in a tenth of the time, and it takes three times as long."""
        implementation = Implementation.ContiguousNFA if little else None
        self._automaton = BytesAhoCorasick([each.lower() for each in sought], implementation=implementation)
        # Sought texts inside of others give many places. Only those of one piece are in memory at a time.
        self._overlap = max(map(len, sought), default=0)
        self._piece = self._overlap + 32 * 1024

    def found_in(self, data: bytes) -> list[int]:
        """Return the indexes of the sought texts that occur in `data`, in their order."""
        pieces = (
            data[start : start + self._piece + self._overlap].lower() for start in range(0, len(data), self._piece)
        )
        found = (self._automaton.find_matches_as_indexes(each, overlapping=True) for each in pieces)
        return sorted({index for places in found for index, _, _ in places})


BASE64, _HEX = "base64", "hexadecimal digits"


@lru_cache(maxsize=64)
def copies_of(secret: str) -> tuple[tuple[str, str], ...]:
    """Return the kinds and forms in which a secret is looked for."""
    return (("reversed text", secret[::-1]), *_forms(secret))


AUTHORIZATION: Final = "Authorization: "

AS_CREDENTIAL: Final = ("access_token=", f"{AUTHORIZATION}Bearer ", f"{AUTHORIZATION}Token ")
"""What stands before a token where it is sent (RFC 6750, 2); no rule reads what follows."""


def copies_as_credential(token: str) -> Iterator[str]:
    """Yield the forms of a short token with what stands before it."""
    for before in AS_CREDENTIAL:
        yield before + token


def _forms(secret: str) -> Iterator[tuple[str, str]]:
    """Yield a secret in common encodings, each with its kind; always as many, for texts of one form.

    `escapes.py` decodes what writes single characters otherwise.
    """
    plain = encode(secret)
    yield "plain text", secret
    yield _HEX, plain.hex()
    if " " in secret:
        yield "plain text", secret.replace(" ", "+")
    if "'" in secret:
        yield "shell escapes", shlex.quote(secret)[1:-1]
    for encoded in _base64(plain):
        yield BASE64, encoded
        yield BASE64, encoded.replace("+", "-").replace("/", "_")


def _base64(plain: bytes) -> Iterator[str]:
    """Yield the base64 characters that `plain` alone determines, for each of the three offsets."""
    for before in range(3):
        encoded = base64.b64encode(bytes(before) + plain).decode()
        yield encoded[(before * 8 + 5) // 6 : (before + len(plain)) * 8 // 6]


def bounded(expressions: Sequence[str]) -> list[str]:
    """Return the expression for texts that are no part of a word; numbers are no part of a number or a time either."""
    alternatives = "|".join(expressions)
    return [rf"(?<![^\W_])(?<![0-9][.,:])(?:{alternatives})(?![^\W_])(?![.,:][0-9])"] if expressions else []


def is_distinctive(value: str) -> bool:
    """Whether a personal value is replaced also inside of words: it is long, and more than a number or a date."""
    return len(value) >= DISTINCTIVE and any(map(str.isalpha, value))


def occurs(value: str, text: str) -> bool:
    """Whether a personal value would be replaced in `text`, which is in lower case (ASCII)."""
    form = fold(value)
    if is_distinctive(value):
        return form in text
    # An expression that begins with a look back tries every character of a long text; these places are few.
    expression, place = re.compile(bounded([re.escape(form)])[0], re.ASCII), text.find(form)
    while place >= 0:
        if expression.match(text, place):
            return True
        place = text.find(form, place + 1)
    return False


def digests_of(value: str) -> Iterator[str]:
    """Yield the digests of a value, as it is and in lower case, in hexadecimal digits; always as many."""
    for text in (value, value.lower()):
        for name in ("md5", "sha1", "sha256"):
            yield hashlib.new(name, encode(text), usedforsecurity=False).hexdigest()


def copies_of_personal(value: str, pseudonym: str, within: Set[str], *, digests: bool) -> Iterator[Copy]:
    """Yield the forms of a personal value; its digests on demand, and without those that are `within` identifiers.

    A short value in base64 or hex would be found in unrelated text.
    """
    for form, shown in zip(digests_of(value), digests_of(pseudonym), strict=True) if digests else ():
        if form not in within:
            yield Copy(form, "digest", shown)
    distinctive = is_distinctive(value) or value in within
    for (kind, form), (_, shown) in zip(_forms(value), _forms(pseudonym), strict=True):
        if kind not in (BASE64, _HEX):
            yield Copy(form, kind, shown, bounded=not distinctive)
        elif len(value) >= DISTINCTIVE:
            yield Copy(form, kind, shown)
