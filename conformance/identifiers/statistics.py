"""Statistical tests of single bits. Null hypothesis: all bits are independent tosses of a fair coin."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from itertools import accumulate, combinations, pairwise
from typing import Final

from conformance.identifiers.sample import Sample, columns

ALL_RANDOM: Final = "2.1-requestId-all-random"

ERROR: Final = 1e-7
"""Error probability of all statistical tests of one run together, for a random generator."""

_SPARE: Final = 40
"""With this many more rows than columns, or columns than rows, linear dependence has probability 2^-40."""
_LAGS: Final = (1, 2, 4, 8)
"""Bits of counters and of many simple generators change with a period that is a power of two."""
_GRID: Final = tuple(step / 12 for step in range(1, 12))


@dataclass(frozen=True, slots=True)
class Evidence:
    """The observation of one test, in words, with the probability that a random generator produces it or worse."""

    message: str
    probability: float
    """An upper bound, between 0 and 1."""


_Run = Callable[[Sample], Evidence | None]


@dataclass(frozen=True, slots=True)
class StatisticalTest:
    """A statistical test of one requirement.

    `detects` is the smallest defect that it finds among 64 identifiers with probability 0.99, measured by
    `benchmarks/randomness_power.py`.
    """

    requirement: str
    name: str
    question: str
    detects: str
    run: _Run


TESTS: Final[list[StatisticalTest]] = []


def statistical_test(requirement: str, name: str, question: str, detects: str) -> Callable[[_Run], _Run]:
    """Register a function as a test of a requirement."""

    def register(run: _Run) -> _Run:
        TESTS.append(StatisticalTest(requirement, name, question, detects, run))
        return run

    return register


def binomial_tail(n: int, p: float, k: int) -> float:
    """Return the probability of at least `k` successes among `n`, each with probability `p`."""
    if k <= 0:
        return 1.0
    return min(1.0, sum(math.comb(n, i) * p**i * (1 - p) ** (n - i) for i in range(k, n + 1)))


@lru_cache(maxsize=256)
def at_most(n: int) -> tuple[float, ...]:
    """Return for each k the probability of at most `k` heads among `n` tosses of a fair coin."""
    return tuple(total / (1 << n) for total in accumulate(math.comb(n, k) for k in range(n + 1)))


def as_uneven(n: int, k: int) -> float:
    """Return the probability that `n` tosses of a fair coin come out as unevenly as `k` heads, to either side."""
    return min(1.0, 2 * at_most(n)[min(k, n - k)])


def as_far(n: int, k: int) -> float:
    """Bound the same probability for many tosses (Hoeffding)."""
    return min(1.0, 2 * math.exp(-2 * (k - n / 2) ** 2 / n)) if n else 1.0


@lru_cache(maxsize=64)
def _growth(n: int) -> tuple[tuple[float, float], ...]:
    """Return pairs (t, log E exp(t·(2K - n)²)) for the number K of heads among `n` tosses."""
    logs = [math.log(math.comb(n, k)) - n * math.log(2) for k in range(n + 1)]
    found = []
    for share in _GRID:
        t = share / (2 * n)
        terms = [weight + t * (2 * k - n) ** 2 for k, weight in enumerate(logs)]
        top = max(terms)
        found.append((t, top + math.log(math.fsum(math.exp(term - top) for term in terms))))
    return tuple(found)


def all_as_uneven(n: int, heads: list[int]) -> float:
    """Bound the probability that many rows of `n` tosses are together as uneven as these, each to a side of its own.

    The sum of (2k - n)² over independent rows, by Chernoff's bound with the exact moment of each row.
    """
    if not heads or not n:
        return 1.0
    total = sum((2 * k - n) ** 2 for k in heads)
    return math.exp(min(0.0, *(len(heads) * log - t * total for t, log in _growth(n))))


@statistical_test(
    ALL_RANDOM,
    "constant bits",
    "Does a bit have the same value in every identifier?",
    "1 bit that never changes",
)
def constant(sample: Sample) -> Evidence | None:
    """Bits that never change: n identifiers agree in one with probability 2^(1-n); binomial over the bits."""
    count = len(sample.values)
    if count < 2:
        return None
    same = sum(column in (0, (1 << count) - 1) for column in sample.columns)
    return Evidence(
        f"{same} of the {len(sample.positions)} bits that should be random have the same value "
        f"in all {count} identifiers",
        binomial_tail(len(sample.positions), 2.0 ** (1 - count), same),
    )


@statistical_test(
    ALL_RANDOM,
    "leaning bits",
    "Is a bit a one, or a zero, far more often than half the time?",
    "1 bit that is a one in 97 of 100 identifiers",
)
def leaning(sample: Sample) -> Evidence | None:
    """Bits with more ones or more zeros: the worst by the binomial tail, all together by Chernoff's bound."""
    count = len(sample.values)
    if count < 2 or not sample.positions:
        return None
    ones = [column.bit_count() for column in sample.columns]
    worst = max(ones, key=lambda k: abs(2 * k - count))
    place = sample.positions[ones.index(worst)]
    probability = min(all_as_uneven(count, ones), len(ones) * as_uneven(count, worst))
    return Evidence(
        f"single bits are not balanced (bit {place} is a one in {worst} of {count} identifiers)",
        min(1.0, 2 * probability),
    )


@statistical_test(
    ALL_RANDOM,
    "ones and zeros",
    "Are there as many ones as zeros, all together?",
    "bits that are a one in 55 of 100 cases",
)
def unbalanced(sample: Sample) -> Evidence | None:
    """Ones and zeros are equally likely over all bits together (two-sided Hoeffding bound)."""
    total = len(sample.values) * len(sample.positions)
    if not total:
        return None
    ones = sum(column.bit_count() for column in sample.columns)
    return Evidence(f"{ones} of {total} bits are ones; about half is expected", as_far(total, ones))


@statistical_test(
    ALL_RANDOM,
    "copied bits",
    "Is a bit the copy, or the opposite, of another one?",
    "1 bit that agrees with another in 98 of 100 identifiers",
)
def copied(sample: Sample) -> Evidence | None:
    """Two bits that agree, or differ, too often: binomial, over all pairs of bits."""
    count, bits = len(sample.values), zip(sample.positions, sample.columns, strict=True)
    found = [((one ^ other).bit_count(), first, second) for (first, one), (second, other) in combinations(bits, 2)]
    if count < 2 or not found:
        return None
    differ, first, second = max(found, key=lambda pair: abs(2 * pair[0] - count))
    return Evidence(
        f"bits {first} and {second} differ in {differ} of {count} identifiers; about half is expected by chance",
        min(1.0, len(found) * as_uneven(count, differ)),
    )


@statistical_test(
    ALL_RANDOM,
    "few independent bits",
    "Can identifiers be put together from others?",
    "at most 62 random bits, from which all others are computed by exclusive or",
)
def dependent(sample: Sample) -> Evidence | None:
    """Identifiers, or bits, that are sums (exclusive or) of others; by chance n rows of m bits are so once in 2^(m-n).

    Few random bits spread over the identifier, and bits that are the parity of others, are such sums.
    """
    count, bits = len(sample.values), len(sample.positions)
    if count >= bits + 1 + _SPARE:
        # The identifiers are enough to tell for each bit whether it follows from others; the added column permits
        # "not".
        rows, size, what = [*sample.columns, (1 << count) - 1], count, "bits"
    else:
        few = [value & sample.mask for value in sample.values[: max(2, bits - _SPARE)]]
        rows, size, what = [value ^ few[0] for value in few[1:]], bits, "identifiers"
    if not rows:
        return None
    missing = len(rows) - rank(rows)
    return Evidence(
        f"{missing} of {len(rows)} {what} follow from the others by exclusive or",
        min(1.0, 2.0 ** (len(rows) - size)) if missing else 1.0,
    )


def rank(rows: list[int]) -> int:
    """Return how many of these rows of bits are independent under exclusive or."""
    reduced: dict[int, int] = {}
    for row in rows:
        while row and (top := row.bit_length()) in reduced:
            row ^= reduced[top]
        if row:
            reduced[row.bit_length()] = row
    return len(reduced)


@statistical_test(
    ALL_RANDOM,
    "neighbours",
    "Does an identifier resemble the one before it?",
    "bits that are kept from the one before in 55 of 100 cases",
)
def neighbours(sample: Sample) -> Evidence | None:
    """Identifiers drawn one after another differ in half of their bits, over all of them (Hoeffding)."""
    ordered = [value & sample.mask for value in sample.ordered]
    total = max(0, len(ordered) - 1) * len(sample.positions)
    if not total:
        return None
    flips = sum((a ^ b).bit_count() for a, b in pairwise(ordered))
    return Evidence(
        f"neighbours in time differ in {flips} of {total} bits; about half is expected by chance", as_far(total, flips)
    )


@statistical_test(
    ALL_RANDOM,
    "rhythm",
    "Does a bit change in a fixed rhythm, such as every time or every second time?",
    "1 bit that changes, or stays, in 98 of 100 cases",
)
def rhythm(sample: Sample) -> Evidence | None:
    """Each bit changes, from one identifier to the next, second, fourth or eighth after it, as a fair coin falls.

    Such changes of independent bits are independent themselves: binomial for the worst bit, Chernoff for all together.
    """
    ordered = sample.ordered
    count = len(ordered)
    if count <= _LAGS[-1] or not sample.positions:
        return None
    rows = columns(ordered, sample.positions)
    found = []
    for lag in _LAGS:
        seen = count - lag
        flips = [((row ^ row >> lag) & (1 << seen) - 1).bit_count() for row in rows]
        worst = max(flips, key=lambda k: abs(2 * k - seen))
        probability = min(all_as_uneven(seen, flips), len(flips) * as_uneven(seen, worst))
        place = sample.positions[flips.index(worst)]
        distance = "the next" if lag == 1 else f"the {lag}th after it" if lag > 2 else "the second after it"
        found.append((probability, f"bit {place} changes {worst} of {seen} times from one identifier to {distance}"))
    probability, message = min(found)
    return Evidence(f"bits change in a rhythm ({message})", min(1.0, 2 * len(_LAGS) * probability))
