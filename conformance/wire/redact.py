"""Secrets out of everything that is written down, whatever form the target gave them back in."""

from __future__ import annotations

import base64
import html
import json
import re
from collections.abc import Callable, Container, Iterator, Mapping
from string import ascii_lowercase, ascii_uppercase
from typing import Any
from urllib.parse import quote, quote_plus

_SHORTEST = 6
"""Characters. A shorter secret is replaced only after "Bearer ": anywhere else it would shred the report."""


_LOWER = str.maketrans(ascii_uppercase, ascii_lowercase)

_SHORT = 1000
_NESTED = (dict, list, tuple)
_BEGUN = 8
"""Characters by which the beginning of a secret is told, where a message was cut off in the middle of it."""

_BEGINNING = "[the beginning of a token]"
_WORD = re.compile(r"[^\s\"'<>]*")


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
        self._begun: dict[str, set[str]] = {}
        for secret in secrets.values():
            for begun, copy in _beginnings(secret):
                odd = self._begun.setdefault(_fold(begun), set())
                # Any other copy is a part of one word, of which nothing stays before a mark.
                if not _WORD.fullmatch(copy):
                    odd.add(_fold(copy))

    def text(self, text: str) -> str:
        """Return `text` without any secret, and without one that was cut off to shorten a message."""
        if len(text) > _SHORT:
            return self._clean(text)
        # Evidence is made of the same few short strings over and over.
        known = self._known.get(text)
        if known is None:
            known = self._known[text] = self._clean(text)
        return known

    def _clean(self, text: str) -> str:
        return self._whole(self._cut_off(text) if "…" in text else text)

    def _cut_off(self, text: str) -> str:
        """Return `text` without the beginnings of copies that a mark of omission follows."""
        folded = text.lower()
        for begun in [begun for begun in self._begun if begun in folded]:
            text = self._without(begun, text)
        return text

    def _without(self, begun: str, text: str) -> str:
        folded, odd = _fold(text), self._begun[begun]
        parts: list[str] = []
        done, place = 0, folded.find(begun)
        while place >= 0:
            inside = place + max(_in_common(copy, folded[place : place + len(copy)]) for copy in (begun, *odd))
            end = _WORD.match(text, inside).end()  # type: ignore[union-attr] # it matches nothing at least
            mark = text.rfind("…", inside, end)
            if mark >= 0:
                parts += [text[done:place], _BEGINNING]
                done = mark
            # What has no mark up to the end of the word has none wherever in it a copy begins.
            place = folded.find(begun, max(mark, place + 1) if odd else end)
        return "".join([*parts, text[done:]])

    def _whole(self, text: str) -> str:
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
        root = [data]
        todo: list[tuple[Any, Any]] = [(root, 0)]
        tuples: list[tuple[Any, Any]] = []
        while todo:
            place, key = todo.pop()
            value = place[key]
            copy: Any
            if isinstance(value, dict):
                copy = {name: item if name in own else self._leaf(item) for name, item in value.items()}
                todo += [
                    (copy, name)
                    for name, item in copy.items()
                    if isinstance(item, _NESTED) and not (name in own and _is_flat(item))
                ]
            elif isinstance(value, list | tuple):
                copy = [self._leaf(item) for item in value]
                todo += [(copy, index) for index, item in enumerate(copy) if isinstance(item, _NESTED)]
                if isinstance(value, tuple):
                    tuples.append((place, key))
            else:
                copy = self._leaf(value)
            place[key] = copy
        # Inner tuples came up after the ones that hold them.
        for place, key in reversed(tuples):
            place[key] = tuple(place[key])
        return root[0]

    def _leaf(self, value: Any) -> Any:
        if isinstance(value, str):
            return self.text(value)
        return self.raw(value) if isinstance(value, bytes) else value


class Latest:
    """Redacts by what is secret at the time: tokens are renewed while a run lasts."""

    def __init__(self, secrets: Callable[[], Mapping[str, str]]) -> None:
        """Ask `secrets` each time."""
        self._secrets = secrets
        self._latest: tuple[Mapping[str, str], Redactor] = ({}, Redactor({}))

    def text(self, text: str) -> str:
        """Return `text` as `Redactor.text` does."""
        secrets = self._secrets()
        known, redactor = self._latest
        if secrets != known:
            # To make a redactor takes as long as to redact a hundred lines.
            redactor = Redactor(secrets)
            self._latest = secrets, redactor
        return redactor.text(text)


def _is_flat(value: Any) -> bool:
    return not isinstance(value, dict) and not any(isinstance(item, _NESTED) for item in value)


def _in_common(one: str, other: str) -> int:
    """Return with how many characters both texts begin."""
    differs = (number for number, (left, right) in enumerate(zip(one, other, strict=False)) if left != right)
    return next(differs, min(len(one), len(other)))


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


def _beginnings(secret: str) -> Iterator[tuple[str, str]]:
    """Yield what each copy of a secret is told by where it is cut off, and the copy; nothing for a short secret."""
    if len(secret) < 2 * _BEGUN:
        return
    yield secret[::-1][:_BEGUN], secret[::-1]
    yield from zip(_forms(secret[:_BEGUN]), _forms(secret), strict=True)


def _forms(secret: str) -> Iterator[str]:
    """Yield what common encodings make of a secret, of which each begins with what it makes of its beginning."""
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
