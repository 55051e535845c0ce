"""Tests of bits and identifiers against one another, in no order. Null hypothesis: tosses of a fair coin."""

from __future__ import annotations

from typing import Final

from conformance.randomness.evidence import Evidence, as_uneven
from conformance.randomness.sample import Sample

_SPARE: Final = 40
"""So many more rows than columns, or columns than rows, make linear dependence a matter of 2^-40 by chance."""


def copied(sample: Sample) -> Evidence | None:
    """Two bits that agree, or differ, more often than chance has it: binomial, over all pairs of bits."""
    count, bits = len(sample.values), len(sample.positions)
    if count < 2 or bits < 2:
        return None
    columns = sample.columns
    pairs = bits * (bits - 1) // 2
    most, least = 0, count
    seen_most = seen_least = (0, 0)
    for first in range(bits - 1):
        distances = [(columns[first] ^ other).bit_count() for other in columns[first + 1 :]]
        if (far := max(distances)) > most:
            most, seen_most = far, (first, first + 1 + distances.index(far))
        if (near := min(distances)) < least:
            least, seen_least = near, (first, first + 1 + distances.index(near))
    differ, (one, other) = (most, seen_most) if most + least > count else (least, seen_least)
    return Evidence(
        f"bits {sample.positions[one]} and {sample.positions[other]} differ in {differ} of {count} identifiers; "
        "about half would be chance",
        min(1.0, pairs * as_uneven(count, differ)),
    )


def dependent(sample: Sample) -> Evidence | None:
    """Identifiers, or bits, that are sums (exclusive or) of others; by chance n rows of m bits are so once in 2^(m-n).

    Few random bits spread over the identifier, and bits that are the parity of others, are such sums.
    """
    count, bits = len(sample.values), len(sample.positions)
    if count >= bits + 1 + _SPARE:
        # Enough identifiers to tell of each bit whether it follows from others; the added column makes room for "not".
        rows, size, what = [*sample.columns, (1 << count) - 1], count, "bits"
    else:
        few = [value & sample.mask for value in sample.values[: max(2, bits - _SPARE)]]
        rows, size, what = [value ^ few[0] for value in few[1:]], bits, "identifiers"
    if not rows:
        return None
    missing = len(rows) - _rank(rows)
    return Evidence(
        f"{missing} of {len(rows)} {what} follow from the others by exclusive or",
        min(1.0, 2.0 ** (len(rows) - size)) if missing else 1.0,
    )


def _rank(rows: list[int]) -> int:
    reduced: dict[int, int] = {}
    for row in rows:
        while row and (top := row.bit_length()) in reduced:
            row ^= reduced[top]
        if row:
            reduced[row.bit_length()] = row
    return len(reduced)
