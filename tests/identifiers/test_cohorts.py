from __future__ import annotations

import random

import pytest
from identifier_samples import Make, sample, stamped, version_1

from conformance.identifiers.analysis import Analysis
from conformance.identifiers.statistics import ALL_RANDOM, NOT_INCREMENTAL


def version_7(_place: int, moment: float, chance: random.Random) -> int:
    return int(moment * 1e3) << 80 | 7 << 76 | chance.getrandbits(76)


def mixed(nodes: int, other: Make) -> Make:
    """Return version 4, and in one of so many cases what another node makes."""

    def make(place: int, moment: float, chance: random.Random) -> int:
        if place % nodes == 0:
            return other(place, moment, chance) & ~(3 << 62) | 2 << 62
        return stamped(chance.getrandbits(128)).int

    return make


@pytest.mark.parametrize("nodes", [2, 4, 20])
def test_a_mix_of_versions_that_are_random_is_random(nodes: int) -> None:
    for seed in range(3):
        analysis = Analysis(sample(f"mix {nodes} {seed}", mixed(nodes, version_7), version=None))

        assert analysis.clock is not None
        assert analysis.against(ALL_RANDOM) is None
        assert analysis.against(NOT_INCREMENTAL) is None


def test_what_is_not_random_in_a_mix_is_found() -> None:
    def little(_place: int, moment: float, chance: random.Random) -> int:
        return int(moment * 1e3) << 80 | 7 << 76 | 0x1234_5678 << 32 | chance.getrandbits(32)

    too_few = Analysis(sample("little", mixed(2, little), version=None)).too_few_bits
    assert too_few is not None
    assert len(too_few.rest.positions) == 32

    def leaning(place: int, moment: float, chance: random.Random) -> int:
        return version_7(place, moment, chance) | chance.getrandbits(62) & chance.getrandbits(62)

    assert Analysis(sample("leaning", mixed(2, leaning), version=None)).against(ALL_RANDOM) is not None


def test_version_1_in_one_of_ten_is_found() -> None:
    """Its node is random each time; two in the days of the run are more than chance has."""
    clock = Analysis(sample("one of ten", mixed(10, version_1), version=None)).clock

    assert clock is not None
    assert "version 1" in clock.description
