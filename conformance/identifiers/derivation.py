"""Identifiers recomputed from known data: hashes of a counter, of the moment of creation, and of the requester.

The derivations are those of real code: UUIDs of versions 3 and 5 (RFC 9562), and the first 16 bytes of an MD5, SHA-1 or
SHA-256, with or without the digits of a version, also in the byte order of `new Guid(bytes)` of .NET.

A recomputed identifier agrees with a hash in 56 bits. A run compares its identifiers with fewer than 200,000 hashes, so
random ones agree with one of them in less than one of 10^9 runs.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from itertools import chain, islice, product
from typing import Final
from uuid import NAMESPACE_DNS, NAMESPACE_OID, NAMESPACE_URL, NAMESPACE_X500

from conformance.http.secrets.forms import encode
from conformance.identifiers.sample import FEWEST, ObservedId
from conformance.model.formats import parse_date_time

_END: Final = slice(9, 16)
"""The bytes that are compared. They hold neither version nor variant, and no platform reverses their order."""

_MD5: Final = partial(hashlib.md5, usedforsecurity=False)
_SHA1: Final = partial(hashlib.sha1, usedforsecurity=False)
_NAMESPACES: Final = {"DNS": NAMESPACE_DNS, "URL": NAMESPACE_URL, "OID": NAMESPACE_OID, "X.500": NAMESPACE_X500}
_DERIVATIONS: Final = {
    "the md5": _MD5(),
    "the sha1": _SHA1(),
    "the sha256": hashlib.sha256(),
    **{f"the version 3 UUID ({name} namespace)": _MD5(space.bytes) for name, space in _NAMESPACES.items()},
    **{f"the version 5 UUID ({name} namespace)": _SHA1(space.bytes) for name, space in _NAMESPACES.items()},
}
"""How an identifier is made of a text: in words, and as a hash that gets the text next."""


@dataclass(frozen=True, slots=True)
class Recomputed:
    """An identifier that was recomputed, with the derivation in words, such as "the md5 of the access token"."""

    observed: ObservedId
    derivation: str


def hashes_of(text: str) -> Iterator[tuple[str, bytes]]:
    """Yield what the derivations make of a text, each with its name in words."""
    raw = encode(text)
    for words, state in _DERIVATIONS.items():
        hashed = state.copy()
        hashed.update(raw)
        yield words, hashed.digest()


def _recompute(ids: Sequence[ObservedId], inputs: Iterable[tuple[str, str]]) -> Iterator[Recomputed]:
    """Yield each identifier that derives from one of `inputs`, which are texts with their names."""
    by_end = {observed.id.bytes[_END]: observed for observed in ids}
    for name, text in inputs:
        for words, digest in hashes_of(text):
            if (observed := by_end.get(digest[_END])) is not None:
                yield Recomputed(observed, f"{words} of {name}")
                break


# ---------------------------------------------------------------------- a counter

HIGHEST: Final = 16_384
"""The limit of a counter whose hashes are recomputed."""
_NEAR: Final = 512


def hashed_counter(ids: Sequence[ObservedId]) -> list[Recomputed]:
    """Return the identifiers if most are hashes of successive row numbers.

    A counter that gave `FEWEST` identifiers passed a multiple of `FEWEST`. The search tries these numbers, and then
    all numbers near the first that it finds.
    """
    for number in range(0, HIGHEST, FEWEST):
        if next(_recompute(ids, _numbers(number)), None):
            recomputed = list(_recompute(ids, _numbers(*range(max(0, number - _NEAR), number + _NEAR))))
            return recomputed if 2 * len(recomputed) > len(ids) else []
    return []


def _numbers(*numbers: int) -> list[tuple[str, str]]:
    return [(f"the number {each}", str(each)) for each in numbers]


# ---------------------------------------------------------------------- the moment of creation


def hashed_moment(ids: Sequence[ObservedId]) -> Recomputed | None:
    """Return an identifier that is a hash of its moment of creation, or None.

    The moment is written as createdAt shows it, as a date and time, or in seconds or milliseconds since 1970.
    """
    return next(_recompute(ids, chain.from_iterable(map(_moments, ids[:8]))), None)


def _moments(observed: ObservedId) -> list[tuple[str, str]]:
    """Return the usual ways to write the moment of a creation."""
    written = [observed.created_at]
    with suppress(ValueError):
        moment = parse_date_time(observed.created_at)
        plain, seconds = moment.replace(tzinfo=None), moment.timestamp()
        written += [str(int(seconds)), str(int(seconds * 1000 + 1e-3))]
        written += [plain.isoformat(), plain.isoformat(" ", "seconds"), str(plain)]
    return [(f"the moment {text}", text) for text in written if text]


# ---------------------------------------------------------------------- the requester

_COMBINED: Final = 6
"""The number of known values that are combined with numbers and moments."""
_SEPARATORS: Final = ("", "-", ":", "_", "/", "|")


def of_requester(ids: Sequence[ObservedId], known: Mapping[str, str]) -> Recomputed | None:
    """Return an identifier that derives from known data of the requester (name to show, value), or None.

    The value stands alone, or beside a small number or the moment of creation.
    """
    beside = [*_numbers(*range(10)), *chain.from_iterable(map(_moments, ids[:2]))]

    def inputs() -> Iterator[tuple[str, str]]:
        yield from known.items()
        for name, value in islice(known.items(), _COMBINED):
            for (words, text), separator in product(beside, _SEPARATORS):
                yield f"{name} and {words}", f"{value}{separator}{text}"
                yield f"{words} and {name}", f"{text}{separator}{value}"

    return next(_recompute(ids, inputs()), None)
