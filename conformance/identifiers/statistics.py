"""What a statistical test of identifiers is, and the probabilities that the tests compute."""

from __future__ import annotations

import math
from bisect import bisect_left, bisect_right, insort
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import accumulate
from typing import Final

from conformance.identifiers.sample import Sample

ALL_RANDOM: Final = "2.1-requestId-all-random"
NOT_INCREMENTAL: Final = "2.1-requestId-not-incremental"
NOT_TIME_ORDERED: Final = "2.1-requestId-not-time-ordered"

ERROR: Final = 1e-7
"""Error probability of all statistical tests of one run together, for a random generator."""

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


def statistical_test(requirement: str, name: str, question: str, detects: str) -> Callable[[_Run], StatisticalTest]:
    """Make a function a test of a requirement."""
    return lambda run: StatisticalTest(requirement, name, question, detects, run)


# ---------------------------------------------------------------------- probabilities


def binomial_tail(n: int, p: float, k: int) -> float:
    """Return the probability of at least `k` successes among `n`, each with probability `p`."""
    if k <= 0:
        return 1.0
    return min(1.0, sum(math.comb(n, i) * p**i * (1 - p) ** (n - i) for i in range(k, n + 1)))


@lru_cache(maxsize=256)
def fair_coin_distribution(n: int) -> tuple[float, ...]:
    """Return for each k the probability of at most `k` heads among `n` tosses of a fair coin."""
    return tuple(total / (1 << n) for total in accumulate(math.comb(n, k) for k in range(n + 1)))


def fair_coin_tails(n: int, k: int) -> float:
    """Return the probability that `n` tosses of a fair coin are as far from balance as `k` heads, to either side."""
    return min(1.0, 2 * fair_coin_distribution(n)[min(k, n - k)])


@lru_cache(maxsize=64)
def _moments_of_imbalance(n: int) -> tuple[tuple[float, float], ...]:
    """Return pairs (t, log E exp(t·(2K - n)²)) for the number K of heads among `n` tosses."""
    logs = [math.log(math.comb(n, k)) - n * math.log(2) for k in range(n + 1)]
    pairs = []
    for share in _GRID:
        t = share / (2 * n)
        terms = [weight + t * (2 * k - n) ** 2 for k, weight in enumerate(logs)]
        top = max(terms)
        pairs.append((t, top + math.log(math.fsum(math.exp(term - top) for term in terms))))
    return tuple(pairs)


def chernoff_bound(n: int, heads: Sequence[int]) -> float:
    """Bound the probability that several rows of `n` tosses are together as far from balance as these.

    The statistic is the sum of (2k - n)² over independent rows; each row has its exact moment.
    """
    if not heads or not n:
        return 1.0
    total = sum((2 * k - n) ** 2 for k in heads)
    return math.exp(min(0.0, *(len(heads) * log - t * total for t, log in _moments_of_imbalance(n))))


def pairs_in_order(values: Sequence[int]) -> tuple[int, int]:
    """Return how many earlier values are below a later one, and how many equal it."""
    below = equal = 0
    earlier: list[int] = []
    for value in values:
        left = bisect_left(earlier, value)
        below += left
        equal += bisect_right(earlier, value) - left
        insort(earlier, value)
    return below, equal


@lru_cache(maxsize=64)
def _moments_of_inversions(n: int) -> tuple[tuple[float, float], ...]:
    """Return pairs (t, log E exp(-t·I)) for the inversions I of a random order of `n` values."""
    pairs = []
    for step in range(-28, 8):
        t = 2 ** (step / 4)
        logs = (math.log(-math.expm1(-t * i)) - math.log(-i * math.expm1(-t)) for i in range(2, n + 1))
        pairs.append((t, math.fsum(logs)))
    return tuple(pairs)


def inversions_bound(n: int, inversions: int) -> float:
    """Bound the probability that a random order of `n` values has so few inversions (Chernoff, exact moments)."""
    return math.exp(min(0.0, *(log + t * inversions for t, log in _moments_of_inversions(n)))) if n > 1 else 1.0
