"""Redaction: no output contains a secret, in any common encoding."""

from __future__ import annotations

import base64
import html
import json
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from functools import lru_cache
from string import ascii_lowercase, ascii_uppercase
from typing import Final
from urllib.parse import quote, quote_plus

from conformance.http.credentials import Bearer
from conformance.model.exchange import Exchange, Headers

_SHORTEST = 6
"""Characters. A shorter secret is replaced only after "Bearer ": anywhere else it would shred the report."""


_LOWER = str.maketrans(ascii_uppercase, ascii_lowercase)

_NAMES: Final = {"user": "DRSI_TOKEN", "other user": "DRSI_OTHER_TOKEN"}
"""The mark of each user's token."""

_CACHED = 1000
"""Characters up to which results are cached: evidence repeats the same short texts."""


class Redactor:
    """Replaces each secret, in each common encoding, by its label in brackets."""

    def __init__(self, secrets: Iterable[tuple[str, str]]) -> None:
        """Take pairs of label and secret. Upper and lower case (ASCII) are one; the first label of a secret counts."""
        self._labels: dict[str, str] = {}
        for label, secret in secrets:
            for copy in _copies(secret):
                self._labels.setdefault(_fold(copy), f"[{label}]")
        # A token may contain another one: the longest copy is tried first.
        self._copies = sorted(self._labels, key=len, reverse=True)
        self.longest = len(self._copies[0]) if self._copies else 0
        """Characters of the longest form in which a secret can appear."""
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
        """Return the expression for some copies; one for all would take seconds if tokens are long."""
        if places not in self._patterns:
            copies = (self._copies[place] for place in places)
            whole = (re.escape(copy) + (r"(?![\w-])" if copy.startswith("bearer ") else "") for copy in copies)
            self._patterns[places] = "|".join(whole)
        return self._patterns[places]


class RunSecrets:
    """The secrets of one run: the tokens of its users, each value that a token command gave, and similar credentials.

    Similar credentials are what the run sends in place of a token, such as a token altered in one character.
    """

    def __init__(self, credentials: Mapping[str, Bearer]) -> None:
        self._credentials = credentials
        self._sent: dict[str, str] = {}
        self._known: tuple[tuple[str, str], ...] = ()
        self._redactor = Redactor(())

    def note_sent(self, label: str, authorization: str) -> None:
        """Note an Authorization header that is not that of a user: its label replaces it in the outputs."""
        self._sent.setdefault(authorization.partition(" ")[2], label)

    @property
    def redactor(self) -> Redactor:
        """The redactor for the secrets that are known by now."""
        tokens = [
            (f"{_NAMES[label]}{f' {index}' if index else ''}", value)
            for label, bearer in tuple(self._credentials.items())
            for index, value in enumerate(bearer.token.used)
        ]
        known = (*tokens, *((label, value) for value, label in tuple(self._sent.items())))
        if known != self._known:
            self._known, self._redactor = known, Redactor(known)
        return self._redactor

    @property
    def longest(self) -> int:
        """Characters of the longest form in which a secret can appear."""
        return self.redactor.longest

    def text(self, text: str) -> str:
        """Return `text` without any secret."""
        return self.redactor.text(text)


def without_secrets(exchange: Exchange, redactor: Redactor) -> Exchange:
    """Return the exchange as evidence holds it: without secrets in anything that the target or the user wrote.

    The recorded exchange keeps them: judging and further calls need what was really sent. A token may be a word or a
    number that occurs in a conforming document, or part of an identifier. Bodies are redacted as bytes, because
    evidence may hold them as base64.
    """
    text = redactor.text

    def headers(fields: Headers) -> Headers:
        return tuple((text(name), text(value)) for name, value in fields)

    types = exchange.intent.types and [text(each) for each in exchange.intent.types]
    request, response = exchange.request, exchange.response
    return replace(
        exchange,
        request=replace(
            request, url=text(request.url), headers=headers(request.headers), body=redactor.raw(request.body)
        ),
        response=response
        and replace(
            response,
            reason=text(response.reason),
            headers=headers(response.headers),
            body=redactor.raw(response.body),
        ),
        error_detail=text(exchange.error_detail),
        path=text(exchange.path),
        intent=replace(exchange.intent, types=types),
    )


def _fold(text: str) -> str:
    return text.translate(_LOWER)


def _encode(text: str) -> bytes:
    return text.encode("utf-8", "surrogatepass")


def _decode(data: bytes) -> str:
    return data.decode("utf-8", "surrogatepass")


@lru_cache(maxsize=64)
def _copies(secret: str) -> tuple[str, ...]:
    if len(secret) < _SHORTEST:
        return (f"Bearer {secret}",) if secret else ()
    return (secret[::-1], *_forms(secret))


def _forms(secret: str) -> Iterator[str]:
    """Yield a secret in common encodings."""
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
    """Yield the base64 characters that `plain` alone determines, for each of the three offsets."""
    for before in range(3):
        encoded = base64.b64encode(bytes(before) + plain).decode()
        yield encoded[(before * 8 + 5) // 6 : (before + len(plain)) * 8 // 6]
