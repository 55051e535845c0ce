"""Clocks of any epoch and any unit: a part of the identifiers that keeps pace with the time of the run.

Random numbers do not rise with time but for few steps, still less do they keep the distances that the moments have.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise
from math import gcd
from statistics import median
from typing import Final
from uuid import UUID

from conformance.randomness.clocks import Clock, held_in, turned
from conformance.randomness.sample import FEWEST, FREE, Sample

_STANDARD: Final = (1.0, 100.0, 256.0, 300.0, 1000.0, 1024.0, 3000.0, 1e6, 1e7, 1e9)
"""Ticks in a second."""
_LAG: Final = 0.004
"""Seconds by which a clock may miss the time between question and answer: its tick, or what is random behind it."""
_APART: Final = 0.1
"""Seconds by which the clocks of two machines that draw by turns may differ."""


Spans = Sequence[tuple[float, float]]


def of_any_epoch(sample: Sample) -> Clock | None:
    """Find a part that never goes back and keeps pace with the time at which the identifiers were asked for.

    A counter keeps pace with time only where the run does, and it leaves few numbers out; a clock so coarse as that
    repeats itself.
    """
    drawn = list(dict.fromkeys(sample.in_order))
    if len(drawn) < 8:
        return None
    first = drawn[0].began
    spans = [(each.began - first, each.ended - first) for each in drawn]
    # Nothing finer than this can be told from outside, and a clock may be set a little in the course of the run.
    allowed = 0.02 * spans[-1][0]
    finest = max(_LAG / 8, median(late - early for early, late in spans))
    for little in (False, True):
        best: tuple[float, int, int] | None = None
        whole = [_whole(each.id, little=little) for each in drawn]
        every = [_whole(each.id, little=little) for each in sample.drawn]
        for start, end, values, clocks in _moving(whole):
            if clocks == 1 and _dense(_part(every, start, end)) and not _standard(values, spans):
                return None
            if clocks == 2 and _spread(_part(every, start, end)) <= 2:
                continue
            late = _late(values, spans)
            apart = min(_APART, spans[-1][0] / 3) if clocks == 2 else 0.0
            # Of the parts that keep pace the first to end: what follows a clock need not be one.
            if late <= max(_LAG + finest, allowed, apart) and (best is None or max(late, finest) < best[0] / 1.5):
                best = (max(late, finest), start, end)
        if best is not None:
            return held_in("since a moment of its own", best[1], best[2], 1.0, little=little)
    return None


def _whole(one: UUID, *, little: bool) -> int:
    return turned(one.int & FREE) if little else one.int & FREE


def _part(whole: Sequence[int], start: int, end: int) -> list[int]:
    shift, mask = 128 - end, (1 << end - start) - 1
    return [value >> shift & mask for value in whole]


def _moving(whole: Sequence[int]) -> Iterator[tuple[int, int, list[int], int]]:
    """Yield the parts of two bytes or more that move one way, by their distance from the first, with how many clocks.

    One step of ten may go the other way: the clocks of two machines differ a little, and a clock is set now and then.
    Where more do, the numbers may be those of two clocks by turns.
    """
    for end in range(16, 129, 8):
        for start in range(0, end - 8, 8):
            values = _part(whole, start, end)
            sign = -1 if values[0] > values[-1] else 1
            way = [sign * (value - values[0]) for value in values]
            if way[-1] <= 0 or len(set(way)) < 4:
                continue
            back = sum(a > b for a, b in pairwise(way))
            if 10 * back < len(way):
                yield start, end, way, 1
                break
            if _interleaved(way):  # as they are, too, where one random bit stands before a clock
                yield start, end, way, 2


def _interleaved(values: Sequence[int]) -> bool:
    """Tell whether numbers are two rising sequences by turns: of sixteen random ones once in half a million samples.

    They are where none is below another one that is itself below an earlier one.
    """
    if len(values) < FEWEST:
        return False
    highest = fallen = values[0] - (max(values) - min(values)) - 1
    for value in values:
        if value < fallen:
            return False
        if value < highest:
            fallen = value
        highest = max(highest, value)
    return True


def _standard(values: Sequence[int], spans: Spans) -> bool:
    return any(_slack(values, spans, unit / 256**coarser) <= 1.5 for unit in _STANDARD for coarser in range(3))


def _dense(values: list[int]) -> bool:
    """Tell whether numbers are all different and leave few out, as those of a counter do."""
    return len(set(values)) == len(values) and _spread(values) <= 4


def _spread(values: list[int]) -> float:
    """Return how far numbers go for each of them, in the unit that all their distances have in common."""
    lowest = min(values)
    unit = gcd(*(value - lowest for value in values))
    return (max(values) - lowest) / (unit * len(values))


def _slack(values: Sequence[int], spans: Spans, rate: float) -> float:
    """Return how many ticks the numbers would need to be those of a clock of this rate; a clock needs one."""
    latest = max(value - rate * late for value, (_, late) in zip(values, spans, strict=True))
    return latest - min(value - rate * early for value, (early, _) in zip(values, spans, strict=True))


def _late(values: Sequence[int], spans: Spans) -> float:
    """Return by how many seconds numbers miss the time at best, their tick included."""
    rate = values[-1] / max(spans[-1][0], 1e-6)
    low, high = rate / 2, rate * 2
    for _ in range(40):  # the slack is convex in the rate
        third = (high - low) / 3
        if _slack(values, spans, low + third) < _slack(values, spans, high - third):
            high -= third
        else:
            low += third
    return max(_slack(values, spans, low), 1.0) / low
