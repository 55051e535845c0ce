"""Redaction: no secret in anything that is written, in whatever encoding the target returned it."""

from __future__ import annotations

import base64
import html
import json
import re
from collections.abc import Callable, Container, Iterator, Mapping
from string import ascii_lowercase, ascii_uppercase
from typing import Any, Final
from urllib.parse import quote, quote_plus
from weakref import ref

_SHORTEST = 6
"""Characters. A shorter secret is replaced only after "Bearer ": anywhere else it would shred the report."""


_LOWER = str.maketrans(ascii_uppercase, ascii_lowercase)

_CACHED = 1000
"""Characters. The result for a shorter text is kept: evidence is made of the same few short strings over and over."""


class Redactor:
    """Replaces each secret, and what common encodings make of it, by its label in brackets."""

    def __init__(self, secrets: Mapping[str, str]) -> None:
        """Take `secrets` as label to value. Upper and lower case (ASCII) are one."""
        self._labels: dict[str, str] = {}
        for label, secret in secrets.items():
            for copy in _copies(secret):
                self._labels.setdefault(_fold(copy), f"[{label}]")
        # A token may contain another one: the longest copy is tried first.
        self._copies = sorted(self._labels, key=len, reverse=True)
        self._text_copies = tuple(copy.lower() for copy in self._copies)
        self._raw_copies = tuple(_encode(copy) for copy in self._copies)
        self._patterns: dict[tuple[int, ...], str] = {}
        self._known: dict[str, str] = {}

    def text(self, text: str) -> str:
        """Return `text` without any secret."""
        if len(text) > _CACHED:
            return self._clean(text)
        known = self._known.get(text)
        if known is None:
            known = self._known[text] = self._clean(text)
        return known

    def place_to_cut(self, text: str, limit: int) -> int:
        """Return where to cut `text` to at most `limit` characters so that no copy of a secret is cut in two.

        The beginning of a token is a secret too, but only a whole copy can be recognised and replaced.
        """
        longest = len(self._copies[0]) if self._copies else 0
        folded, starts = _fold(text[: limit + longest]), [limit]
        while starts:
            limit = min(starts)
            found = (
                folded.find(copy, max(0, limit - len(copy) + 1), limit + len(copy) - 1)
                for copy in map(_fold, self._copies)
            )
            starts = [start for start in found if start >= 0]
        return limit

    def _clean(self, text: str) -> str:
        # Searching for plain strings is many times faster than an expression, and nearly always finds nothing.
        folded = text.lower()
        found = tuple(place for place, copy in enumerate(self._text_copies) if copy in folded)
        if not found:
            return text
        return re.sub(
            self._pattern(found), lambda copy: self._labels[_fold(copy.group())], text, flags=re.IGNORECASE | re.ASCII
        )

    def raw(self, data: bytes) -> bytes:
        """Return `data` without any secret; text in it is taken for UTF-8."""
        folded = data.lower()
        found = tuple(place for place, copy in enumerate(self._raw_copies) if copy in folded)
        if not found:
            return data
        return re.sub(
            _encode(self._pattern(found)),
            lambda copy: _encode(self._labels[_decode(copy.group().lower())]),
            data,
            flags=re.IGNORECASE,
        )

    def _pattern(self, places: tuple[int, ...]) -> str:
        """Return the expression for some of the copies: for all of them it would take seconds where tokens are long."""
        if places not in self._patterns:
            copies = (self._copies[place] for place in places)
            whole = (re.escape(copy) + (r"(?![\w-])" if copy.startswith("bearer ") else "") for copy in copies)
            self._patterns[places] = "|".join(whole)
        return self._patterns[places]

    def data(self, data: Any, *, own: Container[str] = ()) -> Any:
        """Return a copy of `data` without any secret in its strings and bytes, however deep it is nested.

        Its keys stay as they are: they are names that the suite gave, never anything that came from elsewhere. So does
        the text, or the list of texts, of the members that `own` names: they hold nothing but the suite's own words,
        which a token may happen to be one of.
        """
        if isinstance(data, dict):
            return {
                name: value if name in own and _is_flat(value) else self.data(value, own=own)
                for name, value in data.items()
            }
        if isinstance(data, list | tuple):
            return type(data)(self.data(item, own=own) for item in data)
        if isinstance(data, str):
            return self.text(data)
        return self.raw(data) if isinstance(data, bytes) else data


class Latest:
    """The redactor for what is secret at the time: tokens are renewed during a run."""

    def __init__(self, secrets: Callable[[], Mapping[str, str]]) -> None:
        """`secrets` returns label to value."""
        self._secrets = secrets
        self._latest: tuple[Mapping[str, str], Redactor] = ({}, Redactor({}))

    @property
    def redactor(self) -> Redactor:
        """The redactor for the secrets of now. Making one takes as long as redacting a hundred lines."""
        secrets = self._secrets()
        if secrets != self._latest[0]:
            self._latest = secrets, Redactor(secrets)
        return self._latest[1]

    def text(self, text: str) -> str:
        """Return `text` as `Redactor.text` does."""
        return self.redactor.text(text)


_NO_SECRETS: Final = Latest(dict)
_of_the_run = ref(_NO_SECRETS)


def guard(secrets: Callable[[], Mapping[str, str]]) -> Latest:
    """Make `shorten` keep the secrets of a run whole, as long as the redactor that this returns is referred to."""
    global _of_the_run
    latest = Latest(secrets)
    _of_the_run = ref(latest)  # a strong reference would keep the whole run
    return latest


def shorten(text: str, limit: int = 200) -> str:
    """Return `text`, cut to `limit` characters with a mark when it is longer, but never inside a secret of the run."""
    if len(text) <= limit:
        return text
    latest = _of_the_run() or _NO_SECRETS
    return f"{text[: latest.redactor.place_to_cut(text, limit - 1)]}…"


def _is_flat(value: Any) -> bool:
    items = value if isinstance(value, list | tuple) else [value]
    return not any(isinstance(item, dict | list | tuple) for item in items)


def _fold(text: str) -> str:
    return text.translate(_LOWER)


def _encode(text: str) -> bytes:
    return text.encode("utf-8", "surrogatepass")


def _decode(data: bytes) -> str:
    return data.decode("utf-8", "surrogatepass")


def _copies(secret: str) -> Iterator[str]:
    if not secret:
        return
    if len(secret) < _SHORTEST:
        yield f"Bearer {secret}"
        return
    yield secret[::-1]
    yield from _forms(secret)


def _forms(secret: str) -> Iterator[str]:
    """Yield what common encodings make of a secret."""
    plain = _encode(secret)
    yield secret
    yield plain.hex()
    yield html.escape(secret)
    yield quote(secret, safe="")
    yield quote(secret, safe="/")
    yield quote_plus(secret)
    yield "".join(f"%{byte:02x}" for byte in plain)
    for escaped in (json.dumps(secret)[1:-1], json.dumps(secret, ensure_ascii=False)[1:-1]):
        yield escaped
        yield escaped.replace("/", "\\/")
    yield "".join(f"\\u{ord(letter):04x}" for letter in secret)
    for encoded in _base64(plain):
        yield encoded
        yield quote(encoded, safe="")
        yield encoded.replace("/", "\\/")
        yield encoded.replace("+", "-").replace("/", "_")


def _base64(plain: bytes) -> Iterator[str]:
    """Yield what base64 makes of `plain` wherever it stands in the encoded text: the characters it alone decides."""
    for before in range(3):
        encoded = base64.b64encode(bytes(before) + plain).decode()
        yield encoded[(before * 8 + 5) // 6 : (before + len(plain)) * 8 // 6]
