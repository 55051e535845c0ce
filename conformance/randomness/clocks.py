"""Is there a clock inside the identifiers? Time-based UUIDs (versions 1 and 6), known epochs, and any other clock.

By chance alone nothing here is found: a part of 32 bits or more would have to tell the time in every identifier.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from itertools import pairwise
from math import gcd
from statistics import median
from typing import Final
from uuid import UUID

from conformance.randomness.sample import FEWEST, FREE, Drawn, Sample

DAY: Final = 86_400.0
BESIDE_A_CLOCK: Final = 48
"""Random bits that make an identifier random though it tells the time: fewer than any layout of version 7 has."""

_GREGORIAN: Final = datetime(1582, 10, 15, tzinfo=UTC).timestamp()
_FINER: Final = 16
"""Bits behind a clock that may hold its fraction or its counter, as version 7 lets them."""


@dataclass(frozen=True, slots=True)
class Clock:
    """A clock found inside the identifiers; `bits` are those that hold it, as a mask."""

    told: str
    """In words, with where it stands."""
    bits: int
    finer: int = 0
    """Bits behind it in which a fraction or a counter may follow."""


def clock_of(sample: Sample) -> Clock | None:
    """Return the clock inside the identifiers, or None."""
    if len({each.id for each in sample.drawn}) * 2 <= len(sample.drawn):
        return None  # a clock goes on: what stays the same lies near some day by chance
    return _of_known_epoch(sample.drawn) or _of_any_epoch(sample)


def beside(sample: Sample, clock: Clock) -> Sample:
    """Return the sample with what may be random beside a clock: neither its bits nor any that stay the same."""
    rest = sample.within(~clock.bits & ~clock.finer)
    varying = 0
    for value in rest.values:
        varying |= value ^ rest.values[0]
    return one_a_tick(rest.within(varying), clock)


def one_a_tick(sample: Sample, clock: Clock) -> Sample:
    """Return the sample with the first identifier of each tick only, where that leaves enough of them.

    Within one tick version 7 may count from where a random number began (RFC 9562, 6.2): the order of what was drawn
    in the same millisecond is part of the clock. A counter that goes on shows from tick to tick as well.
    """
    first: dict[int, Drawn] = {}
    for each in sample.drawn:
        first.setdefault(each.id.int & clock.bits, each)
    return replace(sample, drawn=tuple(first.values())) if len(first) >= FEWEST else sample


# ---------------------------------------------------------------------- versions 1 and 6


def time_based(drawn: Sequence[Drawn]) -> str | None:
    """Return in words that the time fields of version 1 or 6 hold the time of creation, in every identifier; or None.

    A random 60-bit field falls into two given days of its 36,000 years about once in 6.6 million.
    """
    for name, read in _TIME_FIELDS:
        if drawn and all(abs(read(each.id) - each.moment) < DAY for each in drawn):
            moment = datetime.fromtimestamp(read(drawn[0].id), UTC)
            return (
                f"the time fields, read as those of a {name} UUID, hold the time of creation "
                f"(such as {moment:%Y-%m-%d %H:%M:%S} UTC)"
            )
    return None


def _version_1(one: UUID) -> float:
    return _GREGORIAN + (one.time_low | one.time_mid << 32 | (one.time_hi_version & 0x0FFF) << 48) / 1e7


def _version_6(one: UUID) -> float:
    return _GREGORIAN + (one.time_low << 28 | one.time_mid << 12 | one.time_hi_version & 0x0FFF) / 1e7


_TIME_FIELDS: Final[tuple[tuple[str, Callable[[UUID], float]], ...]] = (
    ("version 1", _version_1),
    ("version 6", _version_6),
    ("version 1 (its first bytes turned round)", lambda one: _version_1(UUID(bytes_le=one.bytes))),
)

# ---------------------------------------------------------------------- known epochs

_UNITS: Final = (
    (64, 1e9, "nanoseconds"),
    (64, 1e7, "tenths of a microsecond"),
    (64, 1e6, "microseconds"),
    (48, 1e3, "milliseconds"),
    (32, 1.0, "seconds"),
)
_NAMED_EPOCHS: Final = (1_400_000_000.0, 1_288_834_974.657)
"""Those of KSUID and of the first snowflakes; all others are taken to begin at midnight."""
_YEAR_1: Final = datetime(1, 1, 1, tzinfo=UTC).timestamp()
_NEAR: Final = 3.0
"""Seconds by which a clock of an epoch other than 1970 may miss the time of creation."""


def _of_known_epoch(drawn: Sequence[Drawn]) -> Clock | None:
    clocks = [[each.moment for each in drawn], [each.began for each in drawn]]
    for little in (False, True):
        values = [_turned(each.id.int) if little else each.id.int for each in drawn]
        for end in range(28, 129, 4):
            for width, unit, word in _UNITS:
                first = (values[0] >> 128 - end & (1 << width) - 1) / unit
                if first < 30 * DAY:
                    continue  # too few bits to tell how long ago an epoch was
                for moments in clocks:
                    epoch, near = _epoch(moments[0] - first)
                    if near and _keeps(moments, values, 128 - end, (1 << width) - 1, unit, epoch, near):
                        told = f"{word} since {_day(epoch)}"
                        return _clock(told, max(0, end - width), end, unit, little=little)
    return None


def _keeps(
    moments: list[float], values: list[int], shift: int, mask: int, unit: float, epoch: float, near: float
) -> bool:
    """Tell whether a part of all values is the moment at which each was drawn."""
    told = ((value >> shift & mask) / unit for value in values)
    return all(abs(epoch + each - moment) < near for each, moment in zip(told, moments, strict=True))


def _epoch(since: float) -> tuple[float, float]:
    """Return the epoch nearest to a moment, and how near a clock has to come to it; 0 where there is no epoch."""
    if abs(since) < DAY:
        return 0.0, DAY
    midnight = round(since / DAY) * DAY
    known = midnight == _YEAR_1 or midnight >= _GREGORIAN
    for epoch in (*_NAMED_EPOCHS, *[midnight] * known):
        if abs(since - epoch) < _NEAR:
            return epoch, _NEAR
    return 0.0, 0.0


def _day(epoch: float) -> str:
    return f"{datetime.fromtimestamp(epoch, UTC):%Y-%m-%d}"


def _turned(value: int) -> int:
    return int.from_bytes(value.to_bytes(16), "little")


def _clock(told: str, start: int, end: int, unit: float, *, little: bool) -> Clock:
    """Return the clock in the bits from `start` to `end`, counted from where its most significant byte stands."""
    bits = _span(start, end)
    finer = _span(end, end + _FINER) if unit < 1e6 else 0
    if little:
        bits, finer = _turned(bits), _turned(finer)
    held = [byte for byte in range(16) if bits >> 8 * (15 - byte) & 0xFF]
    place = f"bytes {held[0] + 1} to {held[-1] + 1}" + (", read backwards," if little else "")
    return Clock(f"{place} hold the time of creation ({told})", bits & FREE, finer & FREE)


def _span(start: int, end: int) -> int:
    end = min(end, 128)
    return (1 << max(0, end - start)) - 1 << 128 - end


# ---------------------------------------------------------------------- any epoch, any unit

_STANDARD: Final = (1.0, 100.0, 256.0, 300.0, 1000.0, 1024.0, 3000.0, 1e6, 1e7, 1e9)
"""Ticks in a second."""
_LAG: Final = 0.004
"""Seconds by which a clock may miss the time between question and answer: its tick, or what is random behind it."""


def _of_any_epoch(sample: Sample) -> Clock | None:
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
        for start, end, values in _moving(whole):
            if _dense(_part(every, start, end)) and not any(
                _slack(values, spans, unit / 256**coarser) <= 1.5 for unit in _STANDARD for coarser in range(3)
            ):
                return None
            late = _late(values, spans)
            # Of the parts that keep pace the first to end: what follows a clock need not be one.
            if late <= max(_LAG + finest, allowed) and (best is None or max(late, finest) < best[0] / 1.5):
                best = (max(late, finest), start, end)
        if best is not None:
            return _clock("since a moment of its own", best[1], best[2], 1.0, little=little)
    return None


def _whole(one: UUID, *, little: bool) -> int:
    return _turned(one.int & FREE) if little else one.int & FREE


def _part(whole: Sequence[int], start: int, end: int) -> list[int]:
    shift, mask = 128 - end, (1 << end - start) - 1
    return [value >> shift & mask for value in whole]


def _moving(whole: Sequence[int]) -> Iterator[tuple[int, int, list[int]]]:
    """Yield the parts of two bytes or more that move one way, by their distance from the first.

    One step of ten may go the other way: the clocks of two machines differ a little, and a clock is set now and then.
    """
    for end in range(16, 129, 8):
        for start in range(0, end - 8, 8):
            values = _part(whole, start, end)
            sign = -1 if values[0] > values[-1] else 1
            back = sum(sign * a > sign * b for a, b in pairwise(values))
            if sign * (values[-1] - values[0]) > 0 and 10 * back < len(values) and len(set(values)) >= 4:
                yield start, end, [sign * (value - values[0]) for value in values]
                break


def _dense(values: list[int]) -> bool:
    """Tell whether numbers are all different and leave few out, as those of a counter do."""
    lowest = min(values)
    unit = gcd(*(value - lowest for value in values))
    return len(set(values)) == len(values) and max(values) - lowest <= 4 * unit * len(values)


Spans = Sequence[tuple[float, float]]


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
