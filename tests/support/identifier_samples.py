"""Samples of identifiers, good and bad, as a run would see them: drawn one after another, a few hundredths apart."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from uuid import UUID

from conformance.judge.identifiers.sample import ObservedId, Sample

GREGORIAN = datetime(1582, 10, 15, tzinfo=UTC).timestamp()
NOW = datetime(2026, 1, 31, 12, tzinfo=UTC)
Make = Callable[[int, float, random.Random], int]
"""Makes the number of an identifier from its place, the moment (seconds since 1970) and a source of chance."""


def stamped(value: int, version: int = 4) -> UUID:
    """Return 128 bits as a UUID of a version, whatever the standard library knows of it."""
    value &= ~(0xF << 76) & ~(0x3 << 62)
    return UUID(int=value | version << 76 | 0x2 << 62)


def drawn(ids: Sequence[UUID], moments: Sequence[float]) -> Sample:
    return Sample([ObservedId(one, moment - 0.001, moment + 0.001) for one, moment in zip(ids, moments, strict=True)])


def in_order(ids: Sequence[UUID]) -> Sample:
    return drawn(ids, [NOW.timestamp() + 0.02 * place for place in range(len(ids))])


def sample(seed: str, make: Make, count: int = 64, version: int | None = 4) -> Sample:
    """Return identifiers at moments whose distances differ, as those of a run do."""
    chance = random.Random(seed)
    moment = NOW.timestamp()
    ids, moments = [], []
    for place in range(count):
        moment += 0.003 + chance.random() * (0.2 if place % 7 == 0 else 0.01)
        value = make(place, moment, chance)
        ids.append(UUID(int=value) if version is None else stamped(value, version))
        moments.append(moment)
    return drawn(ids, moments)


def fair(_place: int, _moment: float, chance: random.Random) -> int:
    return chance.getrandbits(128)


def ending_in(width: int, count: Callable[[int], int]) -> Make:
    """Return random bits before the last `width` ones, which `count` makes of the place."""

    def make(place: int, _moment: float, chance: random.Random) -> int:
        return chance.getrandbits(128 - width) << width | count(place) & (1 << width) - 1

    return make


def version_1(_place: int, moment: float, chance: random.Random) -> int:
    ticks = int((moment - GREGORIAN) * 1e7)
    return (
        (ticks & 0xFFFFFFFF) << 96 | (ticks >> 32 & 0xFFFF) << 80 | 1 << 76 | ticks >> 48 << 64 | chance.getrandbits(64)
    )


# ---------------------------------------------------------------------- defects, by strength


def constant(bits: float) -> Make:
    """Some bits are always one."""
    return lambda _place, _moment, chance: chance.getrandbits(128) | (1 << int(bits)) - 1


def spread(bits: float) -> Make:
    """Few random bits, spread over the identifier by exclusive or."""
    weave = random.Random("weave")
    patterns = [weave.getrandbits(128) for _ in range(int(bits))]

    def make(_place: int, _moment: float, chance: random.Random) -> int:
        value = 0
        for pattern in patterns:
            value ^= pattern * chance.getrandbits(1)
        return value

    return make


def moving(share: float) -> Make:
    """One byte moves by this share of its range each time."""
    return lambda place, _moment, chance: chance.getrandbits(120) << 8 | 5 + int(256 * share) * place & 0xFF


def counting(passed: float) -> Make:
    """A number of four bytes counts; between two requests of the run, others take this many of its numbers."""
    number = [0]

    def make(_place: int, _moment: float, chance: random.Random) -> int:
        number[0] += chance.randrange(1, round(2 * passed)) if passed > 1 else 1
        return chance.getrandbits(96) << 32 | 0x1A2B_3C00 + number[0]

    return make
