"""Identifiers that are hashes of small numbers: of a counter, or of a random number of few bits (2.1).

A random identifier is never found: 120 bits have to be those of one of some hundred thousand hashes.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import pairwise
from typing import Final
from uuid import NAMESPACE_URL, UUID

from conformance.randomness.names import FREE_TURNED, NAMESPACES, as_bytes
from conformance.randomness.sample import FREE, Drawn

HIGHEST: Final = 8192
"""So many numbers are hashed: of 64 identifiers made of sixteen random bits one is among them in all but 2 of 10,000
samples."""

_FEWER: Final = 4096
"""So many in the less usual forms: what all of them cost is felt in a run."""

_FEWEST: Final = 256
"""So many where something stands beside the number, which is done in many ways."""

_BESIDE: Final = (
    "request{}",
    "request-{}",
    "request_{}",
    "request:{}",
    "requests/{}",
    "req-{}",
    "id-{}",
    '{{"id":{}}}',
)
_ALIGNED: Final = ("{:04}", "{:05}", "{:06}", "{:08}", "{:010}")
_PACKED: Final = (4, 8)
"""Bytes of an integer."""

OPEN: Final = slice(9, 16)
"""Bytes that neither version and variant nor a turned byte order touch."""

_FORMS: Final = (
    *(f"the {algorithm} of the number {{}}" for algorithm in ("md5", "sha1", "sha256", "sha512")),
    *(f"the {algorithm} of the number {{}} as two bytes" for algorithm in ("md5", "sha1", "sha256")),
    *(
        f"the version {version} UUID of the number {{}} in the {word} namespace"
        for word, _ in NAMESPACES
        for version in (3, 5)
    ),
    *(f"the {algorithm} of the number {{}} in hexadecimal digits" for algorithm in ("md5", "sha1", "sha256")),
    *(
        f"the {algorithm} of {written}"
        for written in (
            *_BESIDE,
            *(f"the number {{}} with zeros before it, as {each.format(0)}" for each in _ALIGNED),
            *(f"the number {{}} as {size} bytes{order}" for size in _PACKED for order in ("", ", the lowest first")),
        )
        for algorithm in ("md5", "sha1", "sha256")
    ),
    *(
        f"the version {version} UUID of request-{{}} in the {word} namespace"
        for word, _ in NAMESPACES
        for version in (3, 5)
    ),
)


@dataclass(frozen=True, slots=True)
class Hashed:
    """Identifiers that are hashes of small numbers, in the order of `drawn`."""

    drawn: Sequence[Drawn]
    numbers: Sequence[int]
    how: str
    """What the first one is, in words."""
    of: int
    """How many identifiers there were."""

    @property
    def counts(self) -> bool:
        """Whether the numbers count up or down: most identifiers are among them, and most follow the one before."""
        rises = sum(one < other for one, other in pairwise(self.numbers))
        falls = sum(one > other for one, other in pairwise(self.numbers))
        steady = 4 * max(rises, falls) >= 3 * (len(self.numbers) - 1)
        return 2 * len(self.numbers) > self.of and steady


def hashed(drawn: Sequence[Drawn]) -> Hashed | None:
    """Return those of the identifiers that are hashes of small numbers, or None where there are none."""
    suspects = [each for each in drawn if each.id.bytes[OPEN] in _tails()]
    if not suspects:
        return None
    straight = {each.id.int & FREE: each for each in suspects}
    turned = {UUID(bytes_le=each.id.bytes).int & FREE_TURNED: each for each in suspects}
    found: dict[Drawn, tuple[int, str]] = {}
    for number in range(HIGHEST):
        for form, value in zip(_FORMS, map(int.from_bytes, _hashes(number)), strict=False):
            one = straight.get(value & FREE) or turned.get(value & FREE_TURNED)
            if one is not None:
                found.setdefault(one, (number, form))
    if not found:
        return None
    ones = [each for each in drawn if each in found]
    number, form = found[ones[0]]
    return Hashed(ones, [found[each][0] for each in ones], form.format(number), len(drawn))


@cache
def _tails() -> frozenset[bytes]:
    """Return the bytes `OPEN` of every hash: who has none of them is done at once."""
    return frozenset(value[OPEN] for number in range(HIGHEST) for value in _hashes(number))


def _hashes(number: int) -> Iterator[bytes]:
    """Yield the sixteen bytes that each of `_FORMS`, or the first of them, makes of a number."""
    md5, sha1 = hashlib.md5, hashlib.sha1
    digits = b"%d" % number
    yield from _plain(digits)
    yield hashlib.sha512(digits).digest()[:16]
    yield from _plain(number.to_bytes(2))
    if number >= _FEWER:
        return
    for _, namespace in NAMESPACES:
        named = namespace.bytes + digits
        yield md5(named, usedforsecurity=False).digest()
        yield sha1(named, usedforsecurity=False).digest()[:16]
    yield from _plain(b"%04x" % number)
    if number >= _FEWEST:
        return
    for form in (*_BESIDE, *_ALIGNED):
        yield from _plain(form.format(number).encode())
    for size in _PACKED:
        yield from _plain(number.to_bytes(size))
        yield from _plain(number.to_bytes(size, "little"))
    for _, namespace in NAMESPACES:
        named = namespace.bytes + b"request-%d" % number
        yield md5(named, usedforsecurity=False).digest()
        yield sha1(named, usedforsecurity=False).digest()[:16]


def addressed(drawn: Sequence[Drawn], base_url: str) -> Hashed | None:
    """Return those of the identifiers that are version 5 UUIDs of the request's own address by a number, or None."""
    start = NAMESPACE_URL.bytes + as_bytes(f"{base_url.rstrip('/')}/requests/")
    made = {
        int.from_bytes(hashlib.sha1(start + b"%d" % number, usedforsecurity=False).digest()[:16]) & FREE: number
        for number in range(_FEWEST)
    }
    numbers = {each: made[each.id.int & FREE] for each in drawn if each.id.int & FREE in made}
    if not numbers:
        return None
    first = next(iter(numbers.values()))
    how = f"the version 5 UUID of the address that ends with /requests/{first}"
    return Hashed(list(numbers), list(numbers.values()), how, len(drawn))


def _plain(raw: bytes) -> Iterator[bytes]:
    yield hashlib.md5(raw, usedforsecurity=False).digest()
    yield hashlib.sha1(raw, usedforsecurity=False).digest()[:16]
    yield hashlib.sha256(raw).digest()[:16]
