"""Statistical tests of single bits. Null hypothesis: all bits are independent tosses of a fair coin."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations
from typing import Final

from conformance.identifiers.sample import Sample
from conformance.identifiers.statistics import (
    ALL_RANDOM,
    Evidence,
    binomial_tail,
    chernoff_bound,
    fair_coin_tails,
    statistical_test,
)

_SPARE: Final = 40
"""With this many more rows than columns, or columns than rows, linear dependence has probability 2^-40."""
_FEW: Final = 5


@statistical_test(
    ALL_RANDOM,
    "constant bits",
    "Does a bit have the same value in every identifier?",
    "1 bit that never changes",
)
def constant(sample: Sample) -> Evidence | None:
    """Bits that never change, as the node of version 1, the process of an ObjectId, the worker of a Snowflake.

    n identifiers agree in a random bit with probability 2^(1-n); binomial over the bits.
    """
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
    """Bits with more ones or more zeros, as those of decimal digits in place of hexadecimal ones (`mt_rand` of PHP).

    The worst bit by the binomial tail, all together by Chernoff's bound.
    """
    count = len(sample.values)
    if count < 2 or not sample.positions:
        return None
    ones = [column.bit_count() for column in sample.columns]
    worst = max(ones, key=lambda k: abs(2 * k - count))
    place = sample.positions[ones.index(worst)]
    # Which of the two values it is, a pseudonym in the evidence may change.
    most = max(worst, count - worst)
    probability = min(chernoff_bound(count, ones), len(ones) * fair_coin_tails(count, worst))
    return Evidence(
        f"single bits are not balanced (bit {place} has one value in {most} of {count} identifiers)",
        min(1.0, 2 * probability),
    )


@statistical_test(
    ALL_RANDOM,
    "few independent bits",
    "Can identifiers be put together from others?",
    "at most 62 random bits, from which all others are computed by exclusive or",
)
def dependent(sample: Sample) -> Evidence | None:
    """Identifiers, or bits, that are sums (exclusive or) of others; by chance n rows of m bits are so once in 2^(m-n).

    So are the outputs of xorshift32 and other generators with a small linear state, and `new UUID(n, n)` of Java.
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


def rank(rows: Sequence[int]) -> int:
    """Return how many of these rows of bits are independent under exclusive or."""
    reduced: dict[int, int] = {}
    for row in rows:
        while row and (top := row.bit_length()) in reduced:
            row ^= reduced[top]
        if row:
            reduced[row.bit_length()] = row
    return len(reduced)


def neighbours(values: Sequence[int]) -> tuple[int, int] | None:
    """Return two identifiers that differ in few bits, in the order of `values`.

    64 random bits of two identifiers differ in at most 5 places once in 10^12 pairs; a run has about 3,000 pairs.
    """
    return next((pair for pair in combinations(values, 2) if 0 < (pair[0] ^ pair[1]).bit_count() <= _FEW), None)
