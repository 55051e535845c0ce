"""Tests of each bit by itself. Null hypothesis of all: the bits are independent tosses of a fair coin."""

from __future__ import annotations

from conformance.randomness.evidence import Evidence, all_as_uneven, as_far, as_uneven, binomial_tail
from conformance.randomness.sample import Sample


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


def leaning(sample: Sample) -> Evidence | None:
    """Bits that lean, each to a side of its own: the worst by the binomial tail, all together by Chernoff's bound."""
    count = len(sample.values)
    if count < 2 or not sample.positions:
        return None
    ones = [column.bit_count() for column in sample.columns]
    worst = max(ones, key=lambda k: abs(2 * k - count))
    place = sample.positions[ones.index(worst)]
    probability = min(all_as_uneven(count, ones), len(ones) * as_uneven(count, worst))
    return Evidence(
        f"single bits lean to one side (bit {place} is a one in {worst} of {count} identifiers)",
        min(1.0, 2 * probability),
    )


def unbalanced(sample: Sample) -> Evidence | None:
    """Ones and zeros are equally likely over all bits together (two-sided Hoeffding bound)."""
    total = len(sample.values) * len(sample.positions)
    if not total:
        return None
    ones = sum(column.bit_count() for column in sample.columns)
    return Evidence(f"{ones} of {total} bits are ones; about half should be", as_far(total, ones))
