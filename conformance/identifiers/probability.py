"""Exact tails and bounds for the probability that a random generator produces what a test found."""

from __future__ import annotations

import math
from functools import lru_cache
from typing import Final

ERROR: Final = 1e-7
"""Error probability of all statistical tests of one run together, for a random generator."""

_GRID: Final = tuple(step / 12 for step in range(1, 12))


def binomial_tail(n: int, p: float, k: int) -> float:
    """Return the probability of at least `k` successes among `n`, each with probability `p`."""
    if k <= 0:
        return 1.0
    return min(1.0, sum(math.comb(n, i) * p**i * (1 - p) ** (n - i) for i in range(k, n + 1)))


@lru_cache(maxsize=256)
def at_most(n: int) -> tuple[float, ...]:
    """Return for each k the probability of at most `k` heads among `n` tosses of a fair coin."""
    total, tails = 0, []
    for k in range(n + 1):
        total += math.comb(n, k)
        tails.append(total / (1 << n))
    return tuple(tails)


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


@lru_cache(maxsize=64)
def _shuffled(n: int) -> tuple[tuple[float, float], ...]:
    """Return pairs (t, log E exp(-t·I)) for the inversions I of a random order of `n` things."""
    found = []
    for step in range(-28, 8):
        t = 2 ** (step / 4)
        each = (math.log(-math.expm1(-t * i)) - math.log(-i * math.expm1(-t)) for i in range(2, n + 1))
        found.append((t, math.fsum(each)))
    return tuple(found)


def as_ordered(n: int, inversions: int) -> float:
    """Bound the probability that a random order of `n` things has so few inversions (Chernoff, exact moments)."""
    return math.exp(min(0.0, *(log + t * inversions for t, log in _shuffled(n)))) if n > 1 else 1.0
