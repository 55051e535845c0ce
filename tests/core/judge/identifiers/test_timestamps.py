from __future__ import annotations

import random
from datetime import UTC, datetime, timedelta
from uuid import UUID

import pytest
from identifier_samples import GREGORIAN, NOW, Make, sample, version_1

from conformance.judge.identifiers.analysis import ALL_RANDOM, NOT_INCREMENTAL, Analysis
from conformance.judge.identifiers.sample import ObservedId, Sample


def beside_a_clock(place: int, width: int, rate: float, epoch: float = 0.0, sign: int = 1) -> Make:
    """Return random bits with a clock of `width` bits, `place` bits from the front, of `rate` ticks a second."""

    def make(_place: int, moment: float, chance: random.Random) -> int:
        mask = (1 << width) - 1
        tick = sign * int((moment - epoch) * rate) & mask
        shift = 128 - place - width
        return chance.getrandbits(128) & ~(mask << shift) | tick << shift

    return make


CLOCKS = {
    "milliseconds in front": beside_a_clock(0, 48, 1e3),
    "seconds": beside_a_clock(0, 32, 1),
    "seconds since 1900": beside_a_clock(0, 32, 1, datetime(1900, 1, 1, tzinfo=UTC).timestamp()),
    "ticks since 1601": beside_a_clock(0, 64, 1e7, datetime(1601, 1, 1, tzinfo=UTC).timestamp()),
    "a snowflake's clock": beside_a_clock(0, 42, 1e3, 1_288_834_974.657),
}


@pytest.mark.parametrize("name", CLOCKS)
def test_what_is_random_beside_a_clock_is_random(name: str) -> None:
    for seed in range(3):
        analysis = Analysis(sample(f"{name} {seed}", CLOCKS[name], version=4))

        assert analysis.clock is not None
        assert not analysis.too_few_bits
        assert analysis.against(ALL_RANDOM) is None
        assert analysis.against(NOT_INCREMENTAL) is None


def test_a_clock_told_by_what_the_target_says_is_found_though_its_clock_is_wrong() -> None:
    these = sample("wrong", beside_a_clock(0, 48, 1e3, epoch=40 * 86_400.0))
    told = [
        (datetime.fromtimestamp(each.began, UTC) - timedelta(days=40)).isoformat().replace("+00:00", "Z")
        for each in these.ids
    ]
    moved = [type(each)(each.id, each.began, each.ended, text) for each, text in zip(these.ids, told, strict=True)]

    clock = Analysis(type(these)(moved)).clock

    assert clock is not None
    assert "milliseconds since 1970-01-01" in clock.description


# ---------------------------------------------------------------------- versions 1 and 6


def version_6(_place: int, moment: float, chance: random.Random) -> int:
    ticks = int((moment - GREGORIAN) * 1e7)
    return ticks >> 12 << 80 | 6 << 76 | (ticks & 0xFFF) << 64 | chance.getrandbits(64)


def turned(place: int, moment: float, chance: random.Random) -> int:
    raw = version_1(place, moment, chance).to_bytes(16)
    return int.from_bytes(raw[3::-1] + raw[5:3:-1] + raw[7:5:-1] + raw[8:])


@pytest.mark.parametrize("make", [version_1, version_6, turned])
def test_the_clock_of_a_time_based_uuid_is_found_though_its_node_is_random(make: Make) -> None:
    clock = Analysis(sample("time", make, version=None)).clock

    assert clock is not None
    assert f"{NOW:%Y-%m-%d}" in clock.description


# ---------------------------------------------------------------------- days and ticks, parts that stay the same


def days_and_ticks(_place: int, moment: float, chance: random.Random) -> int:
    days, seconds = divmod(moment - datetime(1900, 1, 1, tzinfo=UTC).timestamp(), 86_400)
    return chance.getrandbits(80) << 48 | int(days) << 32 | int(seconds * 300)


@pytest.mark.parametrize("gap", [1e-5, 1e-3, 0.1, 10, 100])
def test_days_and_ticks_are_a_clock_however_long_the_run_is(gap: float) -> None:
    """From all within one tick to some hours, over midnight too."""
    for seed in range(0, 12, 3):
        chance = random.Random(seed)
        moments = [NOW.timestamp() + seed * 3601]
        while len(moments) < 64:
            moments.append(moments[-1] + gap * chance.uniform(0.5, 1.5))
        ids = [UUID(int=days_and_ticks(0, moment, chance)) for moment in moments]

        analysis = Analysis(
            Sample([ObservedId(one, moment, moment + gap / 4) for one, moment in zip(ids, moments, strict=True)])
        )

        assert analysis.clock is not None
        assert "days since 1900" in analysis.clock.description
        assert analysis.against(ALL_RANDOM) is None
        assert analysis.against(NOT_INCREMENTAL) is None
