"""Statistical tests of bytes read as numbers, in both byte orders: do they count, or rise with time?

Null hypothesis: the numbers are independent and uniform. Their successive differences, modulo the size, then are as
well. Each probability is therefore exact, except for the number of parts tried.
"""

from __future__ import annotations

import math
from collections import Counter
from functools import reduce
from itertools import pairwise
from operator import itemgetter, or_
from typing import Final

from conformance.identifiers.sample import Part, Sample
from conformance.identifiers.statistics import (
    NOT_INCREMENTAL,
    NOT_TIME_ORDERED,
    Evidence,
    inversions_bound,
    pairs_in_order,
    statistical_test,
)

_FEWEST_STEPS: Final = 4
_LEFT_OUT: Final = 2
"""Numbers that a counter passes for each identifier, in units of its step: other users move it, too."""
_TINY: Final = 1e-60
"""The lowest probability. Of two parts that reach it, the first is named."""


@statistical_test(
    NOT_TIME_ORDERED,
    "rising or falling",
    "Does a part of the identifier grow, or shrink, with time?",
    "2 bytes that grow with the time, with noise of 30 % of their range",
)
def ordered_parts(sample: Sample) -> Evidence | None:
    """A part that rises or falls, as sequential GUIDs do (`NEWSEQUENTIALID` of SQL Server): few inversions."""
    count = len(sample.ordered)
    pairs = count * (count - 1) // 2
    inversions: list[tuple[int, Part, str]] = []
    for part, values in sample.parts(widths=(2, 4, 8)):
        below, equal = pairs_in_order(values)
        # Equal values count as out of order in both directions.
        inversions += [(pairs - below, part, "rise"), (below + equal, part, "fall")]
    if not pairs or not inversions:
        return None
    fewest, part, verb = min(inversions, key=itemgetter(0))
    return Evidence(
        f"{part} {verb} with time: {fewest} of {pairs} pairs are out of order; about half is expected by chance",
        min(1.0, len(inversions) * inversions_bound(count, fewest)),
    )


def _may_count(sample: Sample, part: Part) -> bool:
    """Tell whether the numbers of a part may count requests, though they may hold a clock that the suite does not know.

    A counter gives each number once and leaves out few; a clock leaves out most, or repeats some.
    """
    if not sample.is_in_time:
        return True
    written = [f"{value:x}" for value in sample.read(part)]
    is_decimal = all(map(str.isdecimal, written))
    values = sorted(int(each, 10 if is_decimal else 16) for each in written)
    steps = [b - a for a, b in pairwise(values)]
    # The number may have begun anew in between.
    passed = min(sum(steps), part.size - max(steps))
    return min(steps) > 0 and passed <= _LEFT_OUT * math.gcd(*steps) * len(values)


@statistical_test(
    NOT_INCREMENTAL,
    "counting",
    "Does a part of the identifier move in one direction from one to the next?",
    "a counter of at least 1 byte, by any step up to half of its range",
)
def counting_parts(sample: Sample) -> Evidence | None:
    """A part that moves in one direction, as an auto-increment column, or the counter of an ObjectId or Snowflake.

    It may turn over any number of times: k steps of at most m among s have probability (m/s)^k.
    """
    moving: list[tuple[float, Part, list[int]]] = []
    for part, values in sample.parts() if len(sample.ordered) > _FEWEST_STEPS else ():
        up = [(b - a) % part.size or part.size for a, b in pairwise(values)]
        down = [step - part.size for step in up]
        for steps in (up, down) if _may_count(sample, part) else ():
            furthest = max(abs(step) or part.size for step in steps)
            moving.append((max((furthest / part.size) ** len(steps), _TINY), part, steps))
    if not moving:
        return None
    probability, part, steps = min(moving, key=itemgetter(0))
    # With separators: a large account may have any number of five digits, which a report replaces.
    shown = ", ".join(f"{step:,}" for step in steps[:6])
    return Evidence(
        f"a number in {part} counts from one request to the next (steps {shown} …)",
        min(1.0, len(moving) * probability),
    )


@statistical_test(
    NOT_INCREMENTAL,
    "equal steps",
    "Does a part of the identifier move by the same step again and again?",
    "2 bytes that move by the same step in 40 of 100 cases",
)
def equal_steps(sample: Sample) -> Evidence | None:
    """A part that moves by the same step, as a counter that is multiplied (Optimus) or bit-reversed (Cloud Spanner).

    At least k of n steps of b random bits are equal with probability C(n,k)·2^(b(1-k)). The test asks for a quarter of
    all steps: a generator with few bits repeats a step now and then.
    """
    count, tried = len(sample.ordered) - 1, 0
    repeated: list[tuple[float, Part, int, int]] = []
    for part, values in sample.parts(widths=(2, 3, 4, 6, 8, 16)) if count >= _FEWEST_STEPS else ():
        tried += 1
        step, times = Counter((b - a) % part.size for a, b in pairwise(values)).most_common(1)[0]
        if step and times >= max(_FEWEST_STEPS, count / 4) and _may_count(sample, part):
            # A constant bit repeats steps without counting, so only the bits that vary count as random.
            varying = reduce(or_, (value ^ values[0] for value in values)).bit_count()
            log = math.log(math.comb(count, times)) - (times - 1) * varying * math.log(2)
            repeated.append((math.exp(max(math.log(_TINY), log)), part, step, times))
    if not repeated:
        return None
    probability, part, step, times = min(repeated, key=itemgetter(0))
    return Evidence(
        f"a number in {part} moves by the same step, {step:,}, {times} of {count} times from one request to the next",
        min(1.0, tried * probability),
    )
