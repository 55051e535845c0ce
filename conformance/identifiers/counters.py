"""Statistical tests of bytes read as numbers, in both byte orders: do they count, or rise with time?

Null hypothesis: the numbers are independent and uniform. Their successive differences, modulo the size, and their
successive exclusive ors then are as well. Each probability is therefore exact, except for the number of parts tried.
"""

from __future__ import annotations

import math
from bisect import bisect_left, bisect_right, insort
from collections import Counter
from collections.abc import Sequence
from functools import cache, lru_cache
from itertools import pairwise
from operator import itemgetter
from typing import Final

from conformance.identifiers.sample import Part, Sample
from conformance.identifiers.statistics import Evidence, binomial_tail, statistical_test

NOT_INCREMENTAL: Final = "2.1-requestId-not-incremental"
NOT_TIME_ORDERED: Final = "2.1-requestId-not-time-ordered"

_FEWEST_STEPS: Final = 4
_TINY: Final = 1e-60
"""The lowest probability. Of two parts that reach it, the first is named."""


@statistical_test(
    NOT_TIME_ORDERED,
    "rising or falling",
    "Does a part of the identifier grow, or shrink, with time?",
    "2 bytes that grow with the time, with noise of 30 % of their range",
)
def ranks(sample: Sample) -> Evidence | None:
    """No part of the identifiers, in either byte order, tends to rise or to fall: Chernoff over the inversions."""
    count = len(sample.ordered)
    pairs = count * (count - 1) // 2
    found: list[tuple[int, Part, str]] = []
    for part, values in sample.parts(widths=(2, 4, 8)):
        below, equal = pairs_in_order(values)
        # Equal values count as out of order in both directions.
        found += [(pairs - below, part, "rise"), (below + equal, part, "fall")]
    if not pairs or not found:
        return None
    best, where, word = min(found, key=itemgetter(0))
    return Evidence(
        f"{where} {word} with time: {best} of {pairs} pairs are out of order; about half is expected by chance",
        min(1.0, len(found) * as_ordered(count, best)),
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


@statistical_test(
    NOT_INCREMENTAL,
    "counting",
    "Does a part of the identifier move in one direction from one to the next?",
    "a counter of at least 1 byte, by any step up to half of its range",
)
def one_way(sample: Sample) -> Evidence | None:
    """A part that moves in one direction, however far it has turned: k steps of at most m among s: (m/s)^k."""
    found: list[tuple[float, Part, list[int]]] = []
    for part, values in sample.parts() if len(sample.ordered) > _FEWEST_STEPS else ():
        up = [(b - a) % part.size or part.size for a, b in pairwise(values)]
        down = [step - part.size for step in up]
        for steps in (up, down):
            furthest = max(abs(step) or part.size for step in steps)
            found.append((max((furthest / part.size) ** len(steps), _TINY), part, steps))
    if not found:
        return None
    probability, where, steps = min(found, key=itemgetter(0))
    return Evidence(
        f"a number in {where} counts from one request to the next (steps {', '.join(map(str, steps[:6]))} …)",
        min(1.0, len(found) * probability),
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
    count, tried = len(sample.ordered) - 1, 0
    found: list[tuple[float, Part, int, int]] = []
    for part, values in sample.parts(widths=(2, 3, 4, 6, 8, 16)) if count >= _FEWEST_STEPS else ():
        tried += 1
        step, times = Counter((b - a) % part.size for a, b in pairwise(values)).most_common(1)[0]
        if step and times >= max(_FEWEST_STEPS, count / 4):
            log = math.log(math.comb(count, times)) - (times - 1) * math.log(part.size)
            found.append((math.exp(max(math.log(_TINY), log)), part, step, times))
    if not found:
        return None
    probability, where, step, times = min(found, key=itemgetter(0))
    return Evidence(
        f"a number in {where} moves by the same step, {step}, {times} of {count} times from one request to the next",
        min(1.0, tried * probability),
    )


@statistical_test(
    NOT_INCREMENTAL,
    "carries",
    "Do the bits of a part change as those of a counter do, even if it is masked or its bits are reversed?",
    "a 2-byte counter that skips 3 of 10 numbers, even if it is masked, reversed or in Gray code",
)
def carries(sample: Sample) -> Evidence | None:
    """A counter in disguise: two neighbours differ in one unbroken run of bits, as counting carries from bit to bit.

    This holds for a counter under a constant mask, with its bits reversed, or in Gray code. Binomial: a part of w bits
    has w(w+1)/2 such differences of 2^w. The test applies only to parts with few repetitions, as counters have.
    """
    count, tried = len(sample.ordered) - 1, 0
    found: list[tuple[float, Part, int]] = []
    for part, values in sample.parts(widths=(2, 3, 4)) if count >= _FEWEST_STEPS else ():
        tried += 1
        unbroken = _runs(part.size)
        runs = sum(a ^ b in unbroken for a, b in pairwise(values))
        if runs >= 0.6 * count and len(set(values)) >= 0.75 * count:
            found.append((max(_TINY, binomial_tail(count, len(unbroken) / part.size, runs)), part, runs))
    if not found:
        return None
    probability, where, runs = min(found, key=itemgetter(0))
    return Evidence(
        f"{where} change as a counter carries: {runs} of {count} times in one unbroken run of bits",
        min(1.0, tried * probability),
    )


@cache
def _runs(size: int) -> frozenset[int]:
    """Return the numbers below `size`, a power of two, whose ones stand side by side."""
    width = size.bit_length() - 1
    return frozenset((1 << ones) - 1 << place for ones in range(1, width + 1) for place in range(width - ones + 1))
