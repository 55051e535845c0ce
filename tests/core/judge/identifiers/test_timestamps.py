"""Clocks in identifiers that no variant has: each is found, and what is random beside it is random."""

from __future__ import annotations

import random
from datetime import UTC, datetime
from uuid import UUID

import pytest
from identifier_samples import GREGORIAN, NOW, Make, sample, version_1

from conformance.judge.identifiers.analysis import ALL_RANDOM, NOT_INCREMENTAL, Analysis
from conformance.judge.identifiers.sample import ObservedId, Sample

SINCE_1900 = datetime(1900, 1, 1, tzinfo=UTC).timestamp()


def beside_a_clock(width: int, rate: float, epoch: float = 0.0) -> Make:
    """Return random bits with a clock of `width` bits in front, of `rate` ticks a second."""

    def make(_place: int, moment: float, chance: random.Random) -> int:
        tick = int((moment - epoch) * rate) & (1 << width) - 1
        return tick << 128 - width | chance.getrandbits(128 - width)

    return make


def version_6(_place: int, moment: float, chance: random.Random) -> int:
    ticks = int((moment - GREGORIAN) * 1e7)
    return ticks >> 12 << 80 | 6 << 76 | (ticks & 0xFFF) << 64 | chance.getrandbits(64)


def turned(place: int, moment: float, chance: random.Random) -> int:
    raw = version_1(place, moment, chance).to_bytes(16)
    return int.from_bytes(raw[3::-1] + raw[5:3:-1] + raw[7:5:-1] + raw[8:])


CLOCKS: dict[str, tuple[Make, int | None]] = {
    "seconds since 1900": (beside_a_clock(32, 1, SINCE_1900), 4),
    "ticks since 1601": (beside_a_clock(64, 1e7, datetime(1601, 1, 1, tzinfo=UTC).timestamp()), 4),
    "version 6": (version_6, None),
    "version 1 in the other byte order": (turned, None),
}


@pytest.mark.parametrize("name", CLOCKS)
def test_what_is_random_beside_a_clock_is_random(name: str) -> None:
    make, version = CLOCKS[name]
    analysis = Analysis(sample(name, make, version=version))

    assert analysis.clock is not None
    assert version or f"{NOW:%Y-%m-%d}" in analysis.clock.description
    assert not analysis.too_few_bits
    assert analysis.against(NOT_INCREMENTAL) is None
    assert analysis.against(ALL_RANDOM) is None


def days_and_ticks(moment: float, chance: random.Random) -> int:
    days, seconds = divmod(moment - SINCE_1900, 86_400)
    return chance.getrandbits(80) << 48 | int(days) << 32 | int(seconds * 300)


@pytest.mark.parametrize("gap", [1e-5, 0.1, 100])
def test_days_and_ticks_are_a_clock_however_long_the_run_is(gap: float) -> None:
    """From all within one tick to some hours, over midnight too."""
    chance = random.Random(9)
    moments = [NOW.timestamp() + 9 * 3601]
    while len(moments) < 64:
        moments.append(moments[-1] + gap * chance.uniform(0.5, 1.5))

    analysis = Analysis(
        Sample([ObservedId(UUID(int=days_and_ticks(each, chance)), each, each + gap / 4) for each in moments])
    )

    assert analysis.clock is not None
    assert "days since 1900" in analysis.clock.description
    assert analysis.against(ALL_RANDOM) is None
    assert analysis.against(NOT_INCREMENTAL) is None
