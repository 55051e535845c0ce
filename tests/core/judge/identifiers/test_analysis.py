from __future__ import annotations

import math
import random
import re
from collections.abc import Callable
from datetime import UTC, datetime
from fractions import Fraction
from itertools import product
from uuid import UUID

import identifier_samples as defects
import pytest
from identifier_samples import GREGORIAN, NOW, Make, ending_in, fair, in_order, sample, stamped, version_1

from conformance.judge.identifiers.analysis import ALL_RANDOM, LEVEL, NOT_INCREMENTAL, TESTS, Analysis
from conformance.judge.identifiers.sample import ObservedId, Sample
from conformance.judge.identifiers.statistics import (
    ERROR,
    Evidence,
    binomial_tail,
    counting,
    dependent,
    ordered,
    rank,
    rank_tail,
    unbalanced,
)

Test = Callable[[Sample], Evidence | None]


def found(these: Sample) -> set[str]:
    """Return the requirements that a test speaks against."""
    analysis = Analysis(these)
    return {requirement for requirement in TESTS.values() if analysis.against(requirement)}


# ---------------------------------------------------------------------- good generators


@pytest.mark.parametrize("version", [None, 1, 4, 8])
def test_random_bits_under_any_version_are_random(version: int | None) -> None:
    for size in (16, 64, 200):
        analysis = Analysis(sample(f"{version}/{size}", fair, size, version))

        assert analysis.clock is None
        assert found(analysis.sample) == set()


@pytest.mark.parametrize("test", TESTS)
def test_no_probability_promises_too_much(test: Test) -> None:
    """Evidence of probability p or less comes no more often than p, over many samples of a random generator."""
    chance = random.Random(test.__name__)
    samples = 100
    for size in (3, 20):
        made = (test(in_order([stamped(chance.getrandbits(128)) for _ in range(size)])) for _ in range(samples))
        given = [evidence.probability for evidence in made if evidence is not None]

        assert all(0.0 <= probability <= 1.0 for probability in given)
        for bound in (0.5, 0.2, 0.05, 0.01):
            tolerance = 4.5 * math.sqrt(bound / samples) + 1 / samples
            assert sum(probability <= bound for probability in given) / samples <= bound + tolerance


def test_all_tests_together_keep_to_the_error_probability() -> None:
    assert len(TESTS) * LEVEL <= ERROR * (1 + 1e-9)
    assert ERROR < 1e-6


# ---------------------------------------------------------------------- bad bits

_FIXED = random.Random(1).getrandbits(128)


def test_a_pseudonym_for_what_identifiers_share_changes_no_result() -> None:
    """Evidence has pseudonyms where identifiers contain values of the account, and `verify` judges the evidence."""

    def results(prefix: int) -> list[Evidence | None]:
        made = sample("shared", lambda _place, _moment, chance: prefix << 96 | chance.getrandbits(96))
        return Analysis(made).results

    assert results(0x48213377) == results(0x94904569) == results(0x00000001)


def in_one_place(bits: float) -> Make:
    """Return identifiers of which so many bits are random, in front and at the end, and the others are fixed."""
    mask = (1 << int(bits) - 4) - 1 | 0xF << 124
    return lambda _place, _moment, chance: _FIXED & ~mask | chance.getrandbits(128) & mask


@pytest.mark.parametrize("make", [in_one_place, defects.spread])
def test_few_random_bits_are_proven_and_64_are_never_proven_too_few(make: Callable[[float], Make]) -> None:
    for bits in (8, 56):
        assert Analysis(sample(f"few {bits}", make(bits), 64, None)).too_few_bits == bits
    for size in (16, 66, 200):
        for seed in range(20 if size < 64 else 3):  # the fewer identifiers, the more chance decides
            assert Analysis(sample(f"enough {seed}", make(64), size, None)).too_few_bits is None


# ---------------------------------------------------------------------- counters


COUNTERS: dict[str, Make] = {
    "decimal digits": ending_in(48, lambda place: int(str(995 + place), 16)),
    "anew from one": ending_in(32, lambda place: 90_000 + place if place < 20 else place),
}


@pytest.mark.parametrize("name", COUNTERS)
def test_a_counter_is_found_whatever_its_form(name: str) -> None:
    assert NOT_INCREMENTAL in found(sample(name, COUNTERS[name]))


# ---------------------------------------------------------------------- what the tests say they find


DETECTS: dict[Test, Make] = {
    unbalanced: defects.constant(1),
    dependent: defects.spread(62),
    ordered: defects.moving(0.5),
    counting: defects.counting(1.5),
}
"""The smallest defect that each test says it finds."""


@pytest.mark.parametrize("test", DETECTS)
def test_a_test_finds_what_it_says_that_it_finds_and_names_no_number_like_a_personal_value(test: Test) -> None:
    """An account may have any number of five digits: the report would show another one, and not be found again."""
    evidence = [each for seed in range(25) if (each := test(sample(f"{seed}", DETECTS[test])))]

    assert sum(each.probability < LEVEL for each in evidence) >= 24
    assert [each.message for each in evidence if re.search("[0-9]{5}", each.message)] == []


# ---------------------------------------------------------------------- probabilities


@pytest.mark.parametrize("p", [Fraction(0), Fraction(1, 4), Fraction(1)])
def test_the_tail_of_the_binomial_distribution_is_exact(p: Fraction) -> None:
    for n, k in ((0, 0), (1, 1), *product((7,), range(9))):
        exact = sum(Fraction(math.comb(n, i)) * p**i * (1 - p) ** (n - i) for i in range(k, n + 1))

        assert binomial_tail(n, float(p), k) == pytest.approx(float(exact), abs=1e-15)


def test_the_bound_of_a_rank_is_never_below_what_it_bounds() -> None:
    """All matrices of three rows of three bits, counted one by one."""
    ranks = [rank(rows) for rows in product(range(8), repeat=3)]
    for independent in range(4):
        assert rank_tail(3, 3, independent) >= sum(each <= independent for each in ranks) / len(ranks)
    assert rank_tail(200, 120, 40) < 1e-80


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
