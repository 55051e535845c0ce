"""Identifiers recomputed from known data: hashes of numbers, of the moment of creation, and of data of the requester.

A recomputed identifier agrees with a hash in 56 bits. A run compares it with fewer than two million hashes, so a random
identifier agrees with one of them in less than one of 10^8 runs.
"""

from __future__ import annotations

import hashlib
import hmac
from collections import ChainMap
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import cache, lru_cache
from itertools import chain, islice, pairwise, product, takewhile
from typing import Final
from uuid import NAMESPACE_DNS, NAMESPACE_OID, NAMESPACE_URL, NAMESPACE_X500, UUID

from conformance.http.forms import encode
from conformance.identifiers.sample import FEWEST, ObservedId
from conformance.model.date_time import parse_date_time

_END: Final = slice(9, 16)
"""The bytes that are compared. They hold neither version nor variant, and no platform reverses their order."""

_NAMESPACES: Final = {
    "DNS": NAMESPACE_DNS.bytes,
    "URL": NAMESPACE_URL.bytes,
    "OID": NAMESPACE_OID.bytes,
    "X.500": NAMESPACE_X500.bytes,
    "nil": bytes(16),
}
_HOW: Final = (
    *("the md5", "the sha1", "the sha256", "the sha512"),
    *("the end of the sha1", "the end of the sha256", "the end of the sha512"),
    *(f"the version {version} UUID ({name} namespace)" for name in _NAMESPACES for version in (3, 5)),
)
"""In words, how each item of `_ends` is made of an input."""

_Candidate = tuple[str, Sequence[str], Sequence[bytes]]
"""The input in words, and what is made of it: each way in words, and the last bytes of each result."""


def _ends(raw: bytes, *, named: bool = True) -> list[bytes]:
    """Return the last bytes of the usual hashes of an input and, if `named`, of the UUIDs that are named by it."""
    md5, sha1 = hashlib.md5, hashlib.sha1
    first, second = md5(raw, usedforsecurity=False).digest(), sha1(raw, usedforsecurity=False).digest()
    third, fourth = hashlib.sha256(raw).digest(), hashlib.sha512(raw).digest()
    ends = [first[_END], second[_END], third[_END], fourth[_END], second[-7:], third[-7:], fourth[-7:]]
    for namespace in _NAMESPACES.values() if named else ():
        ends.append(md5(namespace + raw, usedforsecurity=False).digest()[_END])
        ends.append(sha1(namespace + raw, usedforsecurity=False).digest()[_END])
    return ends


def _match(ids: Sequence[ObservedId], candidates: Iterable[_Candidate]) -> tuple[ObservedId, str] | None:
    """Return the first identifier that is one of the candidates, with its derivation in words, or None."""
    wanted = {each.id.bytes[_END]: each for each in ids}
    for words, ways, ends in candidates if wanted else ():
        for way, end in zip(ways, ends, strict=False):
            if end in wanted:
                return wanted[end], f"{way} of {words}"
    return None


HIGHEST: Final = 8192
"""Of 64 identifiers made of 16 random bits, one is the hash of a number below this in all but 2 of 10,000 samples."""

_HIGHEST_IN_TEXT: Final = 256
"""The limit for numbers with text around them, which programs write in many ways."""

_TEXTS: Final = (
    *("request{}", "request-{}", "request_{}", "request:{}", "requests/{}", "req-{}", "id-{}", '{{"id":{}}}'),
    *("{:04}", "{:05}", "{:06}", "{:08}", "{:010}"),
)


@dataclass(frozen=True, slots=True)
class HashedNumbers:
    """Identifiers, of so many, that are hashes of small numbers; `how` is the derivation of the first in words."""

    ids: Sequence[ObservedId]
    numbers: Sequence[int]
    how: str
    of: int

    @property
    def count(self) -> bool:
        """Whether the numbers count up or down: most identifiers are hashes, and most numbers follow the one before."""
        rises = sum(one < other for one, other in pairwise(self.numbers))
        falls = sum(one > other for one, other in pairwise(self.numbers))
        return 2 * len(self.numbers) > self.of and 4 * max(rises, falls) >= 3 * (len(self.numbers) - 1)


def hashed_numbers(ids: Sequence[ObservedId], base_url: str) -> HashedNumbers | None:
    """Return the identifiers that are hashes of small numbers, or of the addresses of numbered requests."""
    address = f"{base_url.rstrip('/')}/requests/"
    of_addresses = {end: number for number in range(_HIGHEST_IN_TEXT) for end in _ends(encode(f"{address}{number}"))}
    known = ChainMap(of_addresses, _numbers())
    found = [(each, known[end]) for each in ids if (end := each.id.bytes[_END]) in known]
    if not found:
        return None
    first, number = found[0]
    ways = [*_written(number), (f"{address}{number}", _HOW, _ends(encode(f"{address}{number}")))]
    _, how = _match([first], ways) or (first, "")
    return HashedNumbers([each for each, _ in found], [number for _, number in found], how, len(ids))


@cache
def _numbers() -> dict[bytes, int]:
    """Return the numbers by the last bytes of everything that is made of them."""
    return {end: number for number in range(HIGHEST) for _, _, ends in _written(number) for end in ends}


def _written(number: int) -> Iterator[_Candidate]:
    words = f"the number {number}"
    yield words, _HOW, _ends(b"%d" % number, named=number < HIGHEST // 2)
    yield f"{words} as two bytes", _HOW, _ends(number.to_bytes(2), named=False)
    if number < HIGHEST // 2:
        yield f"{words} in hexadecimal digits", _HOW, _ends(b"%04x" % number, named=False)
    if number < _HIGHEST_IN_TEXT:
        for text in _TEXTS:
            yield text.format(number), _HOW, _ends(text.format(number).encode())
        for size in (4, 8):
            yield f"{words} as {size} bytes", _HOW, _ends(number.to_bytes(size), named=False)
            yield f"{words} as {size} bytes, lowest first", _HOW, _ends(number.to_bytes(size, "little"), named=False)


_BETWEEN: Final = ("", "-", ":", "_", "|", "/", ".", "#")


def of_moment(ids: Sequence[ObservedId]) -> tuple[ObservedId, str] | None:
    """Return an identifier that is the hash of its moment of creation, alone or with a small number, or None."""

    def candidates() -> Iterator[_Candidate]:
        for text in (text for each in ids[:4] for text in _moments(each)):
            yield f"the moment {text}", _HOW, _ends(encode(text))
        for text in (text for each in ids[:2] for text in _milliseconds(each)):
            yield f"the moment {text}", _HOW, _ends(encode(text), named=False)
        for moment in (text for each in ids[:1] for text in _moments(each)):  # its counter starts with the run
            for between, number in product(_BETWEEN, range(4)):
                for text in (f"{moment}{between}{number}", f"{number}{between}{moment}"):
                    yield f"the moment {moment} and the number {number}", _HOW, _ends(encode(text))

    # An identifier is made in the same millisecond as its createdAt, or just before.
    fine = [_microseconds(created_at) for created_at in dict.fromkeys(each.created_at for each in ids[:2])]
    fine.append(_in_whole_seconds(ids))
    for each in ids:
        for texts in fine:
            if (text := texts.get(each.id.bytes[_END])) is not None:
                return each, f"the md5 or sha1 of the moment {text}"
    return _match(ids, candidates())


def _moments(observed: ObservedId) -> list[str]:
    """Return the usual ways to write the moment of a creation."""
    try:
        moment = parse_date_time(observed.created_at)
    except ValueError:
        return [observed.created_at] if observed.created_at else []
    seconds, plain = int(moment.timestamp()), moment.replace(tzinfo=None)
    milliseconds = seconds * 1000 + moment.microsecond // 1000
    fraction = "".join(takewhile(str.isdecimal, observed.created_at.partition(".")[2]))
    numbers = (str(seconds), str(milliseconds), f"{seconds}{fraction[:9]:0<9}")
    written = (observed.created_at, *numbers, plain.isoformat(), f"{plain:%F %T}")
    return list(dict.fromkeys(written))


def _milliseconds(observed: ObservedId) -> list[str]:
    """Return the milliseconds since 1970 of a creation; none unless createdAt is in whole seconds.

    Otherwise createdAt shows the millisecond, and `_moments` has it.
    """
    try:
        moment = parse_date_time(observed.created_at)
    except ValueError:
        return []
    start = int(moment.timestamp()) * 1000
    return [] if moment.microsecond else [str(start + millisecond) for millisecond in range(1000)]


@lru_cache(maxsize=4)
def _microseconds(created_at: str) -> Mapping[bytes, str]:
    """Return the usual ways to write each microsecond of a moment's millisecond, by the last bytes of their hashes.

    There are none for a moment in whole seconds.
    """
    try:
        moment = parse_date_time(created_at)
    except ValueError:
        return {}
    since, start = int(moment.timestamp()), moment.microsecond // 1000 * 1000
    second = f"{moment:%Y-%m-%d %H:%M:%S}."
    later = second.replace(" ", "T")
    texts = []
    for micro in range(start, start + 1000) if moment.microsecond else ():
        texts += [f"{since:08x}{micro:05x}", f"0.{micro:06}00 {since}", f"{later}{micro:06}Z"]
        texts += [f"{before}{micro:06}" for before in (second, later, f"{since}.", str(since))]
        # A floating-point number has one digit more, and no zeros at its end.
        texts += [f"{since}.{micro:06}{digit}".rstrip("0") for digit in range(10)]
    return {
        algorithm(text.encode(), usedforsecurity=False).digest()[_END]: text
        for text in texts
        for algorithm in (hashlib.md5, hashlib.sha1)
    }


def _in_whole_seconds(ids: Sequence[ObservedId]) -> Mapping[bytes, str]:
    """Return what PHP makes of the moment of one identifier, by the last bytes of the md5, if createdAt is in seconds.

    All creations together tell how far the clock of the service is from that of the suite. So they tell in which part
    of its second the request was made: there are fewer than a million microseconds to try.
    """
    seconds = []
    for each in ids if len(ids) >= FEWEST else ():
        with suppress(ValueError):
            seconds.append((parse_date_time(each.created_at).timestamp(), each))
    if not seconds or any(second % 1 for second, _ in seconds):
        return {}
    least = max(second - each.ended for second, each in seconds)
    most = min(second + 1 - each.began for second, each in seconds)
    spans = [(max(second, each.began + least), min(second + 1, each.ended + most)) for second, each in seconds]
    start, end = min(spans, key=lambda span: span[1] - span[0])
    since, micros = int(start), range(int(start % 1 * 1e6), min(1_000_000, int((end - int(start)) * 1e6) + 1))
    clocks = (f"{since}.{part:04}".rstrip("0") for part in range(10_000))  # microtime(true)
    texts = chain(clocks, (f"{since:08x}{micro:05x}" for micro in micros))  # uniqid()
    wanted = {each.id.bytes[_END] for each in ids}
    made = ((hashlib.md5(text.encode(), usedforsecurity=False).digest()[_END], text) for text in texts)
    return {end: text for end, text in made if end in wanted}


_COMBINED: Final = 6
"""The number of known values that are combined with numbers and moments."""


def of_requester(ids: Sequence[ObservedId], known: Mapping[str, str]) -> tuple[ObservedId, str] | None:
    """Return an identifier that derives from known data of the requester (name to show, value), or None.

    The value stands alone or beside a small number or the moment of creation, or it is the key or namespace of these.
    """
    numbers = [(str(number), f"the number {number}") for number in range(20)]
    moments = [(text, f"the moment {text}") for each in ids[:2] for text in _moments(each)]
    finer = [text for each in ids[:1] for text in _milliseconds(each)]

    def candidates() -> Iterator[_Candidate]:
        for name, value in known.items():
            yield name, _HOW, _ends(encode(value))
        for name, value in islice(known.items(), _COMBINED):
            for between in _BETWEEN:
                for text, words in (*numbers, *moments):
                    yield f"{name} and {words}", _HOW, _ends(encode(f"{value}{between}{text}"))
                for text, words in moments:
                    yield f"{words} and {name}", _HOW, _ends(encode(f"{text}{between}{value}"))
            for text, between in product(finer, _BETWEEN[:5]):
                yield f"{name} and the moment {text}", _HOW, _ends(encode(f"{value}{between}{text}"), named=False)
                yield f"the moment {text} and {name}", _HOW, _ends(encode(f"{text}{between}{value}"), named=False)
            raw = encode(value)
            spaces = [hashlib.sha1(each + raw, usedforsecurity=False).digest()[:16] for each in _NAMESPACES.values()]
            spaces = [UUID(bytes=space, version=5).bytes for space in spaces]
            for text, words in (*numbers, *moments):
                end = encode(text)
                keyed = [hmac.digest(raw, end, algorithm)[_END] for algorithm in ("md5", "sha1", "sha256")]
                keyed += [hashlib.sha1(space + end, usedforsecurity=False).digest()[_END] for space in spaces]
                ways = [f"the HMAC or version 5 UUID (with {name} as key or namespace)"] * len(keyed)
                yield words, ways, keyed

    return _match(ids, candidates())


def carried(ids: Sequence[ObservedId], known: Mapping[str, str]) -> str | None:
    """Return in words which known value, or hash of it, stands in the same place of every identifier, or None.

    At least four bytes must agree, which happens by chance in all of two identifiers once in 2^64.
    """
    first = ids[0].id.bytes
    parts = [
        first[start : start + 4]
        for start in (*range(3), *range(9, 13))  # without version and variant
        if len({each.id.bytes[start : start + 4] for each in ids}) == 1 and len(set(first[start : start + 4])) > 1
    ]
    for name, value in known.items() if parts and len(ids) > 1 else ():
        for how, whole in _wholes(value):
            if any(part in whole for part in parts):
                return f"a part of {how} of {name}"
    return None


def _wholes(value: str) -> Iterator[tuple[str, bytes]]:
    raw = encode(value)
    digits = "".join(character for character in value if character in "0123456789abcdefABCDEF")
    yield "the bytes", raw
    yield "the digits", bytes.fromhex(digits[: len(digits) // 2 * 2])
    if value.isascii() and value.isdecimal() and len(value) < 17:
        yield "the digits", bytes.fromhex(value.zfill(16))
        yield "the number", int(value).to_bytes(8)
    for algorithm in ("md5", "sha1", "sha256", "sha512"):
        yield f"the {algorithm}", hashlib.new(algorithm, raw, usedforsecurity=False).digest()
    for name, namespace in _NAMESPACES.items():
        for version, named in ((3, hashlib.md5), (5, hashlib.sha1)):
            whole = named(namespace + raw, usedforsecurity=False).digest()
            yield f"the version {version} UUID ({name} namespace)", whole
