"""Tests of the order in time. Null hypothesis: each identifier is drawn afresh, whatever was drawn before it."""

from __future__ import annotations

from bisect import bisect_left, bisect_right, insort
from itertools import pairwise
from typing import Final

from conformance.randomness.evidence import Evidence, all_as_uneven, as_far, as_ordered, as_uneven
from conformance.randomness.sample import Sample, columns
from conformance.randomness.windows import PARTS, parts

LAGS: Final = (1, 2, 4, 8)
"""A bit of a counter flips with a period that is a power of two; so do the low bits of many simple generators."""


def neighbours(sample: Sample) -> Evidence | None:
    """Identifiers drawn one after another differ in half of their bits, over all of them (Hoeffding)."""
    ordered = [value & sample.mask for value in sample.ordered]
    total = max(0, len(ordered) - 1) * len(sample.positions)
    if not total:
        return None
    flips = sum((a ^ b).bit_count() for a, b in pairwise(ordered))
    return Evidence(
        f"neighbours in time differ in {flips} of {total} bits; about half would be chance", as_far(total, flips)
    )


def rhythm(sample: Sample) -> Evidence | None:
    """Each bit changes, from one identifier to the next, second, fourth or eighth after it, as a fair coin falls.

    Such changes of independent bits are independent themselves: binomial for the worst bit, Chernoff for all together.
    """
    ordered = sample.ordered
    count = len(ordered)
    if count <= LAGS[-1] or not sample.positions:
        return None
    rows = columns(ordered, sample.positions)
    found: list[tuple[float, str]] = []
    for lag in LAGS:
        seen = count - lag
        flips = [((row ^ row >> lag) & (1 << seen) - 1).bit_count() for row in rows]
        worst = max(flips, key=lambda k: abs(2 * k - seen))
        probability = min(all_as_uneven(seen, flips), len(flips) * as_uneven(seen, worst))
        place = sample.positions[flips.index(worst)]
        distance = "the next" if lag == 1 else f"the {lag}th after it" if lag > 2 else "the second after it"
        found.append((probability, f"bit {place} changes {worst} of {seen} times from one identifier to {distance}"))
    probability, message = min(found)
    return Evidence(f"bits change in a rhythm ({message})", min(1.0, 2 * len(LAGS) * probability))


def ranks(sample: Sample) -> Evidence | None:
    """No part of the identifiers, in either byte order, tends to rise or to fall: Chernoff over the inversions."""
    ordered = sample.ordered
    count = len(ordered)
    if count < 2:
        return None
    pairs = count * (count - 1) // 2
    best, where, word = pairs, PARTS[0], "rise"
    tried = 0
    for part, values in parts(sample, widths=(2, 4, 8)):
        tried += 1
        below, equal = _pairs(values)
        # Equal values speak for neither side, so they count as being out of order for both.
        for out_of_order, direction in ((pairs - below, "rise"), (below + equal, "fall")):
            if out_of_order < best:
                best, where, word = out_of_order, part, direction
    if not tried:
        return None
    return Evidence(
        f"{where} {word} with time: {best} of {pairs} pairs are out of order; about half would be chance",
        min(1.0, 2 * tried * as_ordered(count, best)),
    )


def _pairs(values: list[int]) -> tuple[int, int]:
    """Return how many earlier values are below a later one, and how many equal it."""
    below = equal = 0
    seen: list[int] = []
    for value in values:
        left = bisect_left(seen, value)
        below += left
        equal += bisect_right(seen, value) - left
        insort(seen, value)
    return below, equal
