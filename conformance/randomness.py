"""Is a sequence of identifiers random? Exact tests with their error probability, and what can be recomputed (2.1).

Every statistical test states its null hypothesis: the 121 free bits of each identifier are independent and fair.
`ERROR` bounds the probability that any of them speaks against a generator for which that is true.
"""

from __future__ import annotations

import hashlib
import itertools
import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import lru_cache
from typing import Final, Literal
from uuid import NAMESPACE_DNS, NAMESPACE_OID, NAMESPACE_URL, NAMESPACE_X500, UUID

ERROR: Final = 1e-7
"""Error probability of all the statistical tests of one run together, for a random generator."""

ENOUGH: Final = 32
"""Identifiers that a run draws: fewer leave a constant bit within the bounds of chance."""

FIXED_BITS: Final = frozenset([48, 49, 50, 51, 64, 65, 66])
"""Positions of version and variant, counted from the most significant bit: no randomness is expected there."""

_FREE_BITS: Final = tuple(bit for bit in range(128) if bit not in FIXED_BITS)
_FREE_MASK: Final = sum(1 << (127 - bit) for bit in _FREE_BITS)
_WINDOWS: Final = tuple((start, width) for width in (2, 3, 4, 6, 8, 16) for start in range(17 - width))
_ORDERS: Final[tuple[Literal["big", "little"], ...]] = ("big", "little")
_PLAUSIBLE: Final = timedelta(days=1)


@dataclass(frozen=True, slots=True)
class Evidence:
    """What speaks against a sequence: in words, with the probability that a random generator looks so."""

    message: str
    probability: float
    """At most this; 0.0 where nothing was left to chance (a value was recomputed)."""


def constant_bits(ids: Sequence[UUID]) -> Evidence | None:
    """Null hypothesis: each free bit is a fair coin, so n identifiers agree in it with probability 2^(1-n)."""
    if len(ids) < 2:
        return None
    together_and, together_or = ids[0].int, ids[0].int
    for one in ids[1:]:
        together_and &= one.int
        together_or |= one.int
    varying = together_and ^ together_or
    constant = [bit for bit in _FREE_BITS if not varying >> (127 - bit) & 1]
    if not constant:
        return None
    probability = binomial_tail(len(_FREE_BITS), 2.0 ** (1 - len(ids)), len(constant))
    return Evidence(
        f"{len(constant)} of the {len(_FREE_BITS)} bits that should be random have the same value "
        f"in all {len(ids)} identifiers",
        probability,
    )


def unbalanced(ids: Sequence[UUID]) -> Evidence | None:
    """Null hypothesis: ones and zeros are equally likely over all free bits (two-sided Hoeffding bound)."""
    total = len(ids) * len(_FREE_BITS)
    ones = sum(one.int >> (127 - bit) & 1 for one in ids for bit in _FREE_BITS)
    probability = min(1.0, 2 * math.exp(-2 * (ones - total / 2) ** 2 / total)) if total else 1.0
    return Evidence(f"{ones} of {total} bits are ones; about half should be", probability)


def alike(ids: Sequence[UUID]) -> Evidence | None:
    """Null hypothesis: two neighbours differ in about half of their free bits; tells of the closest pair."""
    pairs = list(itertools.pairwise(ids))
    if not pairs:
        return None
    distance = min(((a.int ^ b.int) & _FREE_MASK).bit_count() for a, b in pairs)
    tail = sum(math.comb(len(_FREE_BITS), k) for k in range(distance + 1)) / 2 ** len(_FREE_BITS)
    return Evidence(
        f"two identifiers in a row differ in only {distance} of {len(_FREE_BITS)} bits", min(1.0, tail * len(pairs))
    )


def monotone(ids: Sequence[UUID]) -> Evidence | None:
    """Null hypothesis: any part of the identifier, read in either byte order, rises and falls by chance."""
    found = None
    for start, width in _WINDOWS:
        for order in _ORDERS:
            values = [int.from_bytes(_free(one)[start : start + width], order) for one in ids]
            rises = all(a < b for a, b in itertools.pairwise(values))
            falls = all(a > b for a, b in itertools.pairwise(values))
            if rises or falls:
                found = (start, width, "rise" if rises else "fall")
    if found is None:
        return None
    start, width, word = found
    probability = min(1.0, 2 * 2 * len(_WINDOWS) / math.factorial(min(len(ids), 100)))
    message = f"bytes {start} to {start + width - 1} only {word} from each of {len(ids)} requests to the next"
    return Evidence(message, probability)


def small_steps(ids: Sequence[UUID]) -> Evidence | None:
    """Null hypothesis: any two bytes or more rise and fall by chance, so they do not move one way by small steps."""
    for start, width in reversed(_WINDOWS):
        size = 1 << (8 * width)
        near = min(1024, size >> 9)
        for order in _ORDERS:
            values = [int.from_bytes(_free(one)[start : start + width], order) for one in ids]
            steps = [(b - a + size // 2) % size - size // 2 for a, b in itertools.pairwise(values)]
            one_way = all(0 < step <= near for step in steps) or all(-near <= step < 0 for step in steps)
            if len(steps) >= 4 and one_way:
                shown = ", ".join(map(str, steps[:6]))
                return Evidence(
                    f"bytes {start} to {start + width - 1} count from one request to the next (steps {shown} …)",
                    min(1.0, 4 * len(_WINDOWS) / math.factorial(min(len(ids), 100))),
                )
    return None


def dependent(ids: Sequence[UUID]) -> Evidence | None:
    """Null hypothesis: n random bit rows are linearly independent over GF(2), but for a chance of 2^(n-121).

    Constant bits, copied bits, counters, few random bits spread over the identifier: all of them are dependence.
    """
    rows = [one.int & _FREE_MASK for one in ids[: len(_FREE_BITS) - 40]]
    reduced: dict[int, int] = {}
    for row in (row ^ rows[0] for row in rows[1:]):
        while row and (top := row.bit_length()) in reduced:
            row ^= reduced[top]
        if row:
            reduced[row.bit_length()] = row
    lost = len(rows) - 1 - len(reduced)
    if lost <= 0:
        return None
    return Evidence(
        f"{len(rows)} identifiers differ in {len(reduced)} independent ways only, where {len(rows) - 1} are due: "
        "their bits repeat or follow from one another",
        2.0 ** (len(rows) - len(_FREE_BITS)),
    )


def repeated(ids: Sequence[UUID]) -> Evidence | None:
    """Null hypothesis: two of n identifiers agree with probability n²/2^122."""
    again = len(ids) - len(set(ids))
    if not again:
        return None
    return Evidence(f"{again} of {len(ids)} identifiers had been given before", len(ids) ** 2 / 2.0**121)


def clock_inside(ids: Sequence[UUID], now: datetime) -> Evidence | None:
    """Tell of a time-based UUID: the time fields of version 1 or 6 hold a plausible clock in every identifier."""
    for version, read in ((1, _version_1_time), (6, _version_6_time)):
        times = [read(one) for one in ids]
        if ids and all(time is not None and abs(time - now) < _PLAUSIBLE for time in times):
            # A random 60-bit time field falls into two given days of its 36,000 years about once in 6.6 million.
            return Evidence(
                f"the time fields, read as those of a version {version} UUID, hold the time of creation "
                f"(such as {times[0]:%Y-%m-%d %H:%M:%S} UTC)",
                (2 * 864e9 / 2**60) ** len(ids),
            )
    return None


def clock_window(ids: Sequence[UUID], now: datetime) -> tuple[int, int] | None:
    """Return first byte and width of a part that holds the time in every identifier (version 7 and its like), or None.

    Looked for at every byte: seconds in four bytes, milliseconds in six, micro- and nanoseconds in eight.
    """
    seconds, span = now.timestamp(), _PLAUSIBLE.total_seconds()
    for width, units in ((6, 1e3), (8, 1e9), (8, 1e6), (4, 1.0)):
        for start in range(17 - width):
            times = [int.from_bytes(one.bytes[start : start + width]) / units for one in ids]
            if ids and all(abs(time - seconds) < span for time in times):
                return start, width
    return None


def without(ids: Sequence[UUID], window: tuple[int, int] | None) -> list[UUID]:
    """Return the identifiers with the bytes of a window replaced by hashed ones, so that only the rest is tested."""
    if window is None:
        return list(ids)
    start, width = window
    return [
        UUID(bytes=one.bytes[:start] + hashlib.sha256(one.bytes).digest()[:width] + one.bytes[start + width :])
        for one in ids
    ]


def derived(one: UUID, known: Iterable[str]) -> str | None:
    """Return in words how an identifier is made from something known of the requester, or None."""
    bare = _bare(one.bytes)
    return next((how for name in known if (how := _derived_from(name).get(bare)) is not None), None)


@lru_cache(maxsize=4096)
def _derived_from(name: str) -> dict[int, str]:
    return {_bare(value): how for how, value in reversed(tuple(_derivations(name)))}


def carried(ids: Sequence[UUID], known: Iterable[str]) -> str | None:
    """Return in words what of the requester stands in the same place of every identifier, or None.

    Looked for are four bytes or more of a known value or of a hash of it; by chance they stand in all of two
    identifiers or more about once in 2^64.
    """
    parts = [ids[0].bytes[start : start + 4] for start in _constant_places(ids)] if len(ids) > 1 else []
    for name in known:
        plain = [("the bytes of {name}", name.encode()), ("the digits of {name}", _digits(name))]
        for how, value in [*plain, *_derivations(name, whole=True)]:
            if any(part in value for part in parts):
                return f"a part of {how.removeprefix('the end of ')}"
    return None


def _constant_places(ids: Sequence[UUID]) -> list[int]:
    """Return where four bytes, clear of version and variant, are the same in all identifiers."""
    places = (*range(3), *range(9, 13))
    return [
        start
        for start in places
        if len({one.bytes[start : start + 4] for one in ids}) == 1 and len(set(ids[0].bytes[start : start + 4])) > 1
    ]


def _digits(name: str) -> bytes:
    digits = "".join(character for character in name if character in "0123456789abcdefABCDEF")
    return bytes.fromhex(digits[: len(digits) // 2 * 2])


_NAMESPACES = (
    ("DNS", NAMESPACE_DNS),
    ("URL", NAMESPACE_URL),
    ("OID", NAMESPACE_OID),
    ("X.500", NAMESPACE_X500),
    ("nil", UUID(int=0)),
)


def _derivations(name: str, *, whole: bool = False) -> Iterator[tuple[str, bytes]]:
    """Yield ways to make 16 bytes of a name, or with `whole` all the bytes that it gives."""
    raw = name.encode()
    for algorithm in ("md5", "sha1", "sha256", "sha512"):
        digest = hashlib.new(algorithm, raw, usedforsecurity=False).digest()
        yield f"the {algorithm} of {{name}}", digest if whole else digest[:16]
        yield f"the end of the {algorithm} of {{name}}", digest[-16:]
    for word, namespace in _NAMESPACES:
        for version, algorithm in ((3, "md5"), (5, "sha1")):
            digest = hashlib.new(algorithm, namespace.bytes + raw, usedforsecurity=False).digest()
            yield f"the version {version} UUID of {{name}} in the {word} namespace", digest[:16]


def _bare(raw: bytes) -> int:
    """Return 16 bytes as a number without the bits of version and variant."""
    return int.from_bytes(raw) & ~(0xF << 76) & ~(0x7 << 61)


def _free(one: UUID) -> bytes:
    return _bare(one.bytes).to_bytes(16)


def _signed(steps: list[int], modulus: int) -> list[int]:
    return [step if step < modulus // 2 else step - modulus for step in steps]


_GREGORIAN = datetime.fromisoformat("1582-10-15T00:00:00+00:00")


def _version_1_time(one: UUID) -> datetime | None:
    return _from_ticks(one.time_low | one.time_mid << 32 | (one.time_hi_version & 0x0FFF) << 48)


def _version_6_time(one: UUID) -> datetime | None:
    return _from_ticks(one.time_low << 28 | one.time_mid << 12 | one.time_hi_version & 0x0FFF)


def _from_ticks(ticks: int) -> datetime | None:
    try:
        return _GREGORIAN + timedelta(microseconds=ticks / 10)
    except OverflowError:
        return None


def binomial_tail(n: int, p: float, k: int) -> float:
    """Return the probability of at least `k` successes among `n`, each with probability `p`."""
    if k <= 0:
        return 1.0
    return min(1.0, sum(math.comb(n, i) * p**i * (1 - p) ** (n - i) for i in range(k, n + 1)))
