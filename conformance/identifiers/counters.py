"""Statistical tests of bytes read as numbers, in both byte orders: do they count, or rise with time?

Null hypothesis: the numbers are independent and uniform. Their successive differences, modulo the size, and their
successive exclusive ors then are as well. So each probability is exact, except for the number of parts tried.
"""

from __future__ import annotations

import math
from bisect import bisect_left, bisect_right, insort
from collections import Counter
from collections.abc import Sequence
from functools import cache
from itertools import pairwise
from typing import Final

from conformance.identifiers.probability import as_ordered, binomial_tail
from conformance.identifiers.sample import PARTS, Sample
from conformance.identifiers.statistics import Evidence, statistical_test

NOT_INCREMENTAL: Final = "2.1-requestId-not-incremental"
NOT_TIME_ORDERED: Final = "2.1-requestId-not-time-ordered"

_FEWEST_STEPS: Final = 4
_TINY: Final = 1e-60
"""Nothing is taken for less probable: of two parts that are beyond all doubt the first is named."""


@statistical_test(
    NOT_TIME_ORDERED,
    "rising or falling",
    "Does a part of the identifier grow, or shrink, with time?",
    "2 bytes that follow the time but for noise of 30 % of its way",
)
def ranks(sample: Sample) -> Evidence | None:
    """No part of the identifiers, in either byte order, tends to rise or to fall: Chernoff over the inversions."""
    ordered = sample.ordered
    count = len(ordered)
    if count < 2:
        return None
    pairs = count * (count - 1) // 2
    best, where, word = pairs, PARTS[0], "rise"
    tried = 0
    for part, values in sample.parts(widths=(2, 4, 8)):
        tried += 1
        below, equal = pairs_in_order(values)
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


def pairs_in_order(values: Sequence[int]) -> tuple[int, int]:
    """Return how many earlier values are below a later one, and how many equal it."""
    below = equal = 0
    seen: list[int] = []
    for value in values:
        left = bisect_left(seen, value)
        below += left
        equal += bisect_right(seen, value) - left
        insort(seen, value)
    return below, equal


@statistical_test(
    NOT_INCREMENTAL,
    "counting",
    "Does a part of the identifier move in one direction from one to the next?",
    "a counter of at least 1 byte, by any step up to half of its range",
)
def one_way(sample: Sample) -> Evidence | None:
    """A part that moves in one direction, however far it has turned: k steps of at most m among s: (m/s)^k."""
    best, where, shown = 1.0, PARTS[0], [0]
    tried = 0
    for part, values in sample.parts():
        tried += 1
        up = [(b - a) % part.size or part.size for a, b in pairwise(values)]
        if len(up) < _FEWEST_STEPS:
            return None
        down = part.size if part.size in up else part.size - min(up)
        for furthest, sign in ((max(up), 1), (down, -1)):
            probability = max((furthest / part.size) ** len(up), _TINY)
            if probability < best:
                best, where = probability, part
                shown = up if sign > 0 else [step - part.size for step in up]
    if not tried:
        return None
    return Evidence(
        f"a number in {where} counts from one request to the next (steps {', '.join(map(str, shown[:6]))} …)",
        min(1.0, 2 * tried * best),
    )


@statistical_test(
    NOT_INCREMENTAL,
    "equal steps",
    "Does a part of the identifier move by the same step again and again?",
    "2 bytes that move by the same step in 40 of 100 cases",
)
def same_step(sample: Sample) -> Evidence | None:
    """A part that moves by the same step again and again: at least k of n steps equal, C(n,k)·s^(1-k).

    Only where a quarter of all steps are the same: a generator with few bits repeats a step now and then.
    """
    best, where, step, often, count = 1.0, PARTS[0], 0, 0, 0
    tried = 0
    for part, values in sample.parts(widths=(2, 3, 4, 6, 8, 16)):
        tried += 1
        steps = [(b - a) % part.size for a, b in pairwise(values)]
        if len(steps) < _FEWEST_STEPS:
            return None
        count = len(steps)
        if len(set(steps)) > count - _FEWEST_STEPS + 1:
            continue
        common, times = Counter(steps).most_common(1)[0]
        if common and times >= max(_FEWEST_STEPS, count / 4):
            log = math.log(math.comb(count, times)) - (times - 1) * math.log(part.size)
            if (probability := math.exp(max(math.log(_TINY), log))) < best:
                best, where, step, often = probability, part, common, times
    if not often:
        return None
    return Evidence(
        f"a number in {where} moves by the same step, {step}, {often} of {count} times from one request to the next",
        min(1.0, tried * best),
    )


@statistical_test(
    NOT_INCREMENTAL,
    "carries",
    "Do the bits of a part change as those of a counter do, even under a mask or turned round?",
    "a counter of 2 bytes, masked, turned round or in Gray code, that skips 3 numbers of 10",
)
def carries(sample: Sample) -> Evidence | None:
    """A counter in disguise: two neighbours differ in one unbroken run of bits, as counting carries from bit to bit.

    That holds for a counter under a constant mask, with its bits turned round, or in Gray code. Binomial: a part of w
    bits has w(w+1)/2 such differences of 2^w. Only where the part hardly repeats, as counters do not.
    """
    best, where, often, count = 1.0, PARTS[0], 0, 0
    tried = 0
    for part, values in sample.parts(widths=(2, 3, 4)):
        tried += 1
        count = len(values) - 1
        if count < _FEWEST_STEPS:
            return None
        unbroken = _runs(part.size)
        runs = sum(a ^ b in unbroken for a, b in pairwise(values))
        if runs >= 0.6 * count and len(set(values)) >= 0.75 * count:
            width = part.size.bit_length() - 1
            probability = max(_TINY, binomial_tail(count, width * (width + 1) / 2 / part.size, runs))
            if probability < best:
                best, where, often = probability, part, runs
    if not often:
        return None
    return Evidence(
        f"{where} change as a counter carries: {often} of {count} times in one unbroken run of bits",
        min(1.0, tried * best),
    )


@cache
def _runs(size: int) -> frozenset[int]:
    """Return the numbers below `size`, a power of two, whose ones stand side by side."""
    width = size.bit_length() - 1
    return frozenset((1 << ones) - 1 << place for ones in range(1, width + 1) for place in range(width - ones + 1))
