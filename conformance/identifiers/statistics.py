"""Statistical tests of identifiers, with the probability that a random generator gives the same evidence or worse.

Null hypothesis: all bits are independent tosses of a fair coin. So the numbers in parts of successive identifiers are
independent and uniform, and so are their differences modulo the size of the part.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import accumulate, combinations, pairwise
from typing import Final

from conformance.identifiers.sample import Sample, digits_at

ALL_RANDOM: Final = "2.1-requestId-all-random"
NOT_INCREMENTAL: Final = "2.1-requestId-not-incremental"
NOT_TIME_ORDERED: Final = "2.1-requestId-not-time-ordered"

ERROR: Final = 1e-7
"""Error probability of all statistical tests of one run together, for a random generator."""

_FEW: Final = 5
_FEWEST_STEPS: Final = 4
_LEFT_OUT: Final = 2
"""Numbers that a counter passes for each identifier, in units of its step: other users move it, too."""


@dataclass(frozen=True, slots=True)
class Evidence:
    """The observation of one test, in words, with the probability that a random generator produces it or worse."""

    message: str
    probability: float
    """An upper bound, between 0 and 1."""


_Run = Callable[[Sample], Evidence | None]


@dataclass(frozen=True, slots=True)
class StatisticalTest:
    """A statistical test of one requirement; it has no evidence where it does not apply.

    `detects` is the smallest defect that it finds among 64 identifiers with probability 0.99, measured by
    `benchmarks/randomness_power.py`.
    """

    requirement: str
    name: str
    question: str
    detects: str
    run: _Run


def statistical_test(requirement: str, name: str, question: str, detects: str) -> Callable[[_Run], StatisticalTest]:
    """Make a function a test of a requirement."""
    return lambda run: StatisticalTest(requirement, name, question, detects, run)


# ---------------------------------------------------------------------- single bits


def binomial_tail(n: int, p: float, k: int) -> float:
    """Return the probability of at least `k` successes among `n`, each with probability `p`."""
    if k <= 0:
        return 1.0
    return min(1.0, sum(math.comb(n, i) * p**i * (1 - p) ** (n - i) for i in range(k, n + 1)))


@statistical_test(
    ALL_RANDOM,
    "unbalanced bits",
    "Does a bit have the same value in every identifier, or far more often than half the time?",
    "1 bit that never changes, or that is a one in 97 of 100 identifiers",
)
def unbalanced(sample: Sample) -> Evidence | None:
    """Bits that have one of two values too often, such as the node of version 1, the worker of a Snowflake, or a flag.

    The number of bits that have one value in at least k of n identifiers is binomial, for each k.
    """
    count, width = len(sample.values), len(sample.positions)
    if count < 2 or not width:
        return None
    ones = [sum(value >> 127 - bit & 1 for value in sample.values) for bit in sample.positions]
    # Which of the two values it is, a pseudonym in the evidence may change.
    most = [max(number, count - number) for number in ones]
    tried = range(count, count // 2, -1)
    ways = accumulate(math.comb(count, often) for often in tried)
    probability = min(
        binomial_tail(width, 2 * tail / (1 << count), sum(number >= often for number in most))
        for often, tail in zip(tried, ways, strict=True)
    )
    same, worst = most.count(count), max(most)
    return Evidence(
        f"{same} of the {width} bits that should be random have the same value in all {count} identifiers"
        if same
        else f"single bits are not balanced (bit {sample.positions[most.index(worst)]} has one value in {worst} of "
        f"{count} identifiers)",
        min(1.0, len(tried) * probability),
    )


def rank(rows: Sequence[int]) -> int:
    """Return how many of these rows of bits are independent under exclusive or."""
    reduced: dict[int, int] = {}
    for row in rows:
        while row and (top := row.bit_length()) in reduced:
            row ^= reduced[top]
        if row:
            reduced[row.bit_length()] = row
    return len(reduced)


def rank_tail(rows: int, width: int, independent: int) -> float:
    """Bound the probability that of `rows` rows of `width` random bits at most `independent` are independent."""
    return min(1.0, 4 * 2.0 ** -((rows - independent) * max(0, width - independent)))


@statistical_test(
    ALL_RANDOM,
    "few independent bits",
    "Can identifiers be put together from others?",
    "at most 62 random bits, from which all others are computed by exclusive or",
)
def dependent(sample: Sample) -> Evidence | None:
    """Identifiers, or bits, that are sums (exclusive or) of others, as in `new UUID(n, n)` of Java."""
    if len(sample.values) < 2:
        return None
    rows = [(value ^ sample.values[0]) & sample.mask for value in sample.values[1:]]
    width, independent = len(sample.positions), rank(rows)
    return Evidence(
        f"the identifiers hold {independent} independent bits instead of {min(width, len(rows))}; the others follow "
        "from these by exclusive or",
        rank_tail(len(rows), width, independent),
    )


def neighbours(values: Sequence[int]) -> tuple[int, int] | None:
    """Return two identifiers that differ in few bits, in the order of `values`.

    64 random bits of two identifiers differ in at most 5 places once in 10^12 pairs; a run has about 3,000 pairs.
    """
    return next((pair for pair in combinations(values, 2) if 0 < (pair[0] ^ pair[1]).bit_count() <= _FEW), None)


# ---------------------------------------------------------------------- numbers in parts of identifiers


@statistical_test(
    NOT_TIME_ORDERED,
    "rising or falling",
    "Does a part of the identifier grow, or shrink, with time?",
    "1 byte that moves in one direction, by at most half of its range from one identifier to the next",
)
def ordered(sample: Sample) -> Evidence | None:
    """A part that rises or falls, as sequential GUIDs do (`NEWSEQUENTIALID` of SQL Server)."""
    return _moving(sample, "rises or falls with time", lambda _: True)


@statistical_test(
    NOT_INCREMENTAL,
    "counting",
    "Does a part of the identifier count from one to the next?",
    "a counter of at least 1 byte, of which the run receives two of three numbers",
)
def counting(sample: Sample) -> Evidence | None:
    """A part that counts, as an auto-increment column, or the counter of an ObjectId or Snowflake.

    A part that moves and leaves out most numbers may be a clock that the suite does not know.
    """
    ids = {observed.id: observed for observed in sample.ids}.values()
    return _moving(sample, "counts from one request to the next", lambda part: _is_dense(digits_at(part, ids)))


def _moving(sample: Sample, does: str, applies: Callable[[tuple[int, ...]], bool]) -> Evidence | None:
    """Return the evidence that a part moves in one direction; it may turn over any number of times.

    k steps of at most m among s have probability (m/s)^k, for each part and direction.
    """
    count, parts = len(sample.in_order) - 1, sample.parts()
    moving: list[tuple[float, tuple[int, ...], list[int]]] = []
    for part in parts if count >= _FEWEST_STEPS else ():
        size = 16 ** len(part)
        up = [(b - a) % size or size for a, b in pairwise(int(text, 16) for text in digits_at(part, sample.in_order))]
        down = [step - size or -size for step in up]
        for steps in (up, down):
            probability = (max(map(abs, steps)) / size) ** count
            # Most parts of random identifiers move in neither direction.
            if probability < ERROR and applies(part):
                moving.append((probability, part, steps))
    if not moving:
        return None
    probability, part, steps = min(moving, key=lambda each: each[0])
    # With separators: a large account may have any number of five digits, which a report replaces.
    shown = ", ".join(f"{step:,}" for step in steps[:6])
    return Evidence(
        f"a number in the digits {min(part) + 1} to {max(part) + 1} {does} (steps {shown} …)",
        min(1.0, 2 * len(parts) * probability),
    )


def _is_dense(written: Sequence[str]) -> bool:
    """Tell whether a part may count requests: a counter gives each number once and leaves out few."""
    base = 10 if all(map(str.isdecimal, written)) else 16
    values = sorted(int(each, base) for each in written)
    steps = [b - a for a, b in pairwise(values)]
    # The number may have begun anew in between.
    passed = min(sum(steps), base ** len(written[0]) - max(steps))
    return min(steps) > 0 and passed <= _LEFT_OUT * math.gcd(*steps) * len(values)
