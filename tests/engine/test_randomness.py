from __future__ import annotations

import hashlib
import math
import random
from collections.abc import Callable, Sequence
from datetime import UTC, datetime, timedelta
from fractions import Fraction
from uuid import NAMESPACE_DNS, UUID, uuid3, uuid5

import pytest

from conformance import randomness
from conformance.randomness import ERROR, Evidence, binomial_tail, carried, clock_inside, clock_window, derived

NOW = datetime(2026, 1, 31, 12, tzinfo=UTC)
SIZES = (32, 33, 48, 64, 90)

Statistic = Callable[[Sequence[UUID]], Evidence | None]

ON_CONTENT: tuple[Statistic, ...] = (
    randomness.constant_bits,
    randomness.unbalanced,
    randomness.alike,
    randomness.small_steps,
    randomness.dependent,
    randomness.repeated,
)
"""Tests that random identifiers of any version have to pass."""

STATISTICS: tuple[Statistic, ...] = (*ON_CONTENT, randomness.monotone)


def smallest(ids: Sequence[UUID], statistics: Sequence[Statistic] = STATISTICS) -> float:
    """Return the smallest probability that any test gives, 1.0 where nothing speaks against the identifiers."""
    found = (statistic(ids) for statistic in statistics)
    return min((evidence.probability for evidence in found if evidence is not None), default=1.0)


def stamped(value: int, version: int) -> UUID:
    """Return 128 bits as a UUID of a version, whatever the standard library knows of it."""
    value &= ~(0xF << 76) & ~(0x3 << 62)
    return UUID(int=value | version << 76 | 0x2 << 62)


def random_ids(chance: random.Random, count: int, version: int = 4) -> list[UUID]:
    return [stamped(chance.getrandbits(128), version) for _ in range(count)]


# ---------------------------------------------------------------------- good generators


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("version", range(1, 9))
def test_random_bits_under_any_version_are_random(version: int, size: int) -> None:
    for seed in range(8):
        ids = random_ids(random.Random(f"{version}/{size}/{seed}"), size, version)

        assert smallest(ids) >= ERROR
        assert clock_inside(ids, NOW) is None
        assert clock_window(ids, NOW) is None


@pytest.mark.parametrize("size", SIZES)
def test_what_is_random_beside_a_clock_is_random(size: int) -> None:
    for seed in range(8):
        chance = random.Random(f"7/{size}/{seed}")
        ids = version_7(chance, size)

        window = clock_window(ids, NOW)

        assert window is not None
        assert smallest(randomness.without(ids, window), ON_CONTENT) >= ERROR


def test_random_bits_need_no_version_at_all() -> None:
    for seed in range(8):
        chance = random.Random(seed)

        assert smallest([UUID(int=chance.getrandbits(128)) for _ in range(64)]) >= ERROR


def test_random_identifiers_carry_nothing() -> None:
    known = ["alice.example", "8b1d8f0e-3c50-4f0c-9d34-5b2a7f6d1c11", "20260131", "alice@mail.example"]
    for seed in range(20):
        ids = random_ids(random.Random(seed), 32)

        assert carried(ids, known) is None
        assert [derived(one, known) for one in ids] == [None] * 32


def version_7(chance: random.Random, count: int) -> list[UUID]:
    """Return identifiers with a millisecond clock in front and random bits behind, a few milliseconds apart."""
    start = int(NOW.timestamp() * 1000)
    return [stamped((start + 7 * number) << 80 | chance.getrandbits(80), 7) for number in range(count)]


# ---------------------------------------------------------------------- bad generators


def with_part(chance: random.Random, part: bytes, place: int) -> UUID:
    raw = chance.randbytes(16)
    return stamped(int.from_bytes(raw[:place] + part + raw[place + len(part) :]), 4)


@pytest.mark.parametrize("order", ["big", "little"])
@pytest.mark.parametrize(("width", "place"), [(w, p) for w in (3, 4, 8) for p in range(17 - w)])
def test_a_counter_is_found_in_any_place_and_byte_order(order: str, width: int, place: int) -> None:
    chance = random.Random(f"{order}/{width}/{place}")
    start = chance.getrandbits(8 * width - 2)
    parts = [(start + number).to_bytes(width, order) for number in range(32)]  # type: ignore[arg-type]

    assert smallest([with_part(chance, part, place) for part in parts]) < ERROR


@pytest.mark.parametrize("step", [1, 2, 10, 100])
def test_a_counter_is_found_whatever_its_step(step: int) -> None:
    chance = random.Random(step)
    parts = [(1_000_000 + step * number).to_bytes(4) for number in range(32)]

    assert smallest([with_part(chance, part, 12) for part in parts]) < ERROR


def test_a_row_number_alone_is_found() -> None:
    assert smallest([UUID(int=number + 1) for number in range(32)]) < ERROR


@pytest.mark.parametrize(("width", "place"), [(4, 0), (4, 12), (8, 8), (12, 2)])
def test_a_part_that_stays_the_same_is_found(width: int, place: int) -> None:
    chance = random.Random(f"{width}/{place}")
    part = chance.randbytes(width)

    assert smallest([with_part(chance, part, place) for _ in range(32)]) < ERROR


@pytest.mark.parametrize("place", [0, 7, 14])
def test_sixteen_random_bits_among_constant_ones_are_found(place: int) -> None:
    chance = random.Random(place)
    rest = chance.getrandbits(128) & ~(0xFFFF << 8 * place)

    assert smallest([stamped(rest | chance.getrandbits(16) << 8 * place, 4) for _ in range(32)]) < ERROR


def test_a_byte_that_fills_the_identifier_is_found() -> None:
    chance = random.Random(1)

    assert smallest([stamped(int.from_bytes(chance.randbytes(1) * 16), 4) for _ in range(32)]) < ERROR


def test_halves_that_are_the_same_are_found() -> None:
    chance = random.Random(1)

    assert smallest([stamped(int.from_bytes(chance.randbytes(8) * 2), 4) for _ in range(90)]) < ERROR


def test_bits_that_lean_to_one_side_are_found() -> None:
    chance = random.Random(1)

    assert smallest([stamped(chance.getrandbits(128) & chance.getrandbits(128), 4) for _ in range(32)]) < ERROR


def test_one_identifier_again_and_again_is_found() -> None:
    assert smallest([stamped(random.Random(1).getrandbits(128), 4)] * 32) < ERROR


# ---------------------------------------------------------------------- clocks

GREGORIAN = datetime(1582, 10, 15, tzinfo=UTC)


def ticks(moment: datetime) -> int:
    return int((moment - GREGORIAN) / timedelta(microseconds=1)) * 10


def version_1(moment: datetime, tail: int) -> UUID:
    clock = ticks(moment)
    low, middle, high = clock & 0xFFFFFFFF, clock >> 32 & 0xFFFF, clock >> 48 & 0x0FFF
    return stamped(low << 96 | middle << 80 | high << 64 | tail, 1)


def version_6(moment: datetime, tail: int) -> UUID:
    clock = ticks(moment)
    return stamped((clock >> 12) << 80 | (clock & 0x0FFF) << 64 | tail, 6)


@pytest.mark.parametrize("make", [version_1, version_6])
def test_the_clock_of_a_time_based_uuid_is_found_though_its_node_is_random(
    make: Callable[[datetime, int], UUID],
) -> None:
    chance = random.Random(1)
    ids = [make(NOW + timedelta(seconds=number), chance.getrandbits(64)) for number in range(32)]

    evidence = clock_inside(ids, NOW)

    assert evidence is not None
    assert evidence.probability < ERROR


@pytest.mark.parametrize("make", [version_1, version_6])
def test_time_fields_that_hold_another_time_are_no_clock(make: Callable[[datetime, int], UUID]) -> None:
    chance = random.Random(1)
    moments = [GREGORIAN + timedelta(days=chance.randrange(200_000)) for _ in range(32)]

    assert clock_inside([make(moment, chance.getrandbits(64)) for moment in moments], NOW) is None


@pytest.mark.parametrize(
    ("width", "unit", "place"), [(6, 1e3, 0), (6, 1e3, 10), (4, 1.0, 0), (4, 1.0, 12), (8, 1e9, 8), (8, 1e6, 0)]
)
def test_a_clock_is_found_in_any_place(width: int, unit: float, place: int) -> None:
    chance = random.Random(f"{width}/{unit}/{place}")
    ids = []
    for number in range(32):
        moment = int((NOW.timestamp() + number) * unit).to_bytes(width)
        raw = chance.randbytes(16)
        ids.append(UUID(bytes=raw[:place] + moment + raw[place + width :]))

    assert clock_window(ids, NOW) is not None


def test_identifiers_that_grow_with_time_are_found_to_grow() -> None:
    evidence = randomness.monotone(version_7(random.Random(1), 32))

    assert evidence is not None
    assert evidence.probability < ERROR


def test_nothing_random_beside_a_clock_is_found() -> None:
    start = int(NOW.timestamp() * 1000)
    ids = [stamped((start + 7 * number) << 80 | 0x1234567890ABCDEF, 7) for number in range(32)]

    assert smallest(randomness.without(ids, clock_window(ids, NOW)), ON_CONTENT) < ERROR


# ---------------------------------------------------------------------- names

NAME = "alice@mail.example"


def hashed(algorithm: str) -> UUID:
    return stamped(int.from_bytes(hashlib.new(algorithm, NAME.encode()).digest()[:16]), 4)


@pytest.mark.parametrize(
    "one",
    [
        uuid3(NAMESPACE_DNS, NAME),
        uuid5(NAMESPACE_DNS, NAME),
        uuid5(UUID(int=0), NAME),
        *map(hashed, ("md5", "sha1", "sha256", "sha512")),
    ],
)
def test_what_is_made_of_a_name_is_recomputed(one: UUID) -> None:
    assert derived(one, ["bob@mail.example", NAME]) is not None
    assert derived(one, ["bob@mail.example", "alice"]) is None


@pytest.mark.parametrize(
    "part", [b"alice@", hashlib.sha256(NAME.encode()).digest()[:5], hashlib.md5(NAME.encode()).digest()[-5:]]
)
@pytest.mark.parametrize("place", [0, 9])
def test_a_piece_of_a_name_or_of_its_hash_is_found(part: bytes, place: int) -> None:
    chance = random.Random(place)
    ids = [with_part(chance, part, place) for _ in range(32)]

    assert carried(ids, [NAME]) is not None
    assert carried(ids, ["bob@elsewhere.example"]) is None


# ---------------------------------------------------------------------- probabilities


@pytest.mark.parametrize("n", [0, 1, 2, 3, 7])
@pytest.mark.parametrize("p", [Fraction(0), Fraction(1, 4), Fraction(1, 2), Fraction(1)])
def test_the_tail_of_the_binomial_distribution_is_exact(n: int, p: Fraction) -> None:
    for k in range(n + 2):
        exact = sum(Fraction(math.comb(n, i)) * p**i * (1 - p) ** (n - i) for i in range(k, n + 1))

        assert binomial_tail(n, float(p), k) == pytest.approx(float(exact), abs=1e-15)


def test_the_tail_of_the_binomial_distribution_holds_for_tiny_probabilities() -> None:
    assert binomial_tail(121, 2.0**-31, 1) == pytest.approx(121 * 2.0**-31, rel=1e-6)
    assert binomial_tail(121, 2.0**-31, 8) == pytest.approx(math.comb(121, 8) * 2.0**-248, rel=1e-6)


@pytest.mark.parametrize("size", [2, 3, 4, 6, 8])
@pytest.mark.parametrize("statistic", STATISTICS, ids=lambda statistic: statistic.__name__)
def test_no_probability_promises_too_much(statistic: Statistic, size: int) -> None:
    """Evidence of probability p or less comes no more often than p, over many samples of a random generator."""
    chance = random.Random(f"{statistic.__name__}/{size}")
    samples = 400
    found = [statistic(random_ids(chance, size)) for _ in range(samples)]
    given = [evidence.probability for evidence in found if evidence is not None]

    for bound in (0.5, 0.2, 0.05, 0.01):
        tolerance = 4.5 * math.sqrt(bound / samples) + 1 / samples
        assert sum(probability <= bound for probability in given) / samples <= bound + tolerance
    assert all(0.0 <= probability <= 1.0 for probability in given)


@pytest.mark.parametrize("statistic", STATISTICS, ids=lambda statistic: statistic.__name__)
@pytest.mark.parametrize("size", [0, 1])
def test_one_identifier_says_nothing(statistic: Statistic, size: int) -> None:
    evidence = statistic(random_ids(random.Random(size), size))

    assert evidence is None or evidence.probability > 0.01
