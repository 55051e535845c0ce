"""Clocks inside identifiers, which make them grow with time and are not random.

Versions 1 and 6 of UUIDs have time fields. Clocks of a known epoch are those of version 7, ULID, KSUID, ObjectId, and
the COMB of NHibernate (days and 300ths of a second, as SQL Server writes a datetime). A Snowflake counts milliseconds
since an epoch that its operator chose, which is unknown.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from functools import reduce
from itertools import pairwise
from math import gcd, inf
from operator import or_
from statistics import linear_regression, median
from typing import Final
from uuid import UUID

from conformance.identifiers.sample import FEWEST, FREE, ObservedId, Sample
from conformance.identifiers.statistics import inversions_bound, pairs_in_order

BESIDE_A_CLOCK: Final = 48
"""Random bits that make an identifier with a clock random. Every layout of version 7 has more."""

_DAY: Final = 86_400.0
_FINER_BITS: Final = 16
"""Bits behind a clock that may hold its fraction or a counter, as in version 7."""
_YEAR_1: Final = datetime(1, 1, 1, tzinfo=UTC).timestamp()
_GREGORIAN: Final = datetime(1582, 10, 15, tzinfo=UTC).timestamp()
"""The epoch of UUID versions 1 and 6."""
_1970: Final = datetime(1970, 1, 1, tzinfo=UTC)
_YEAR_1900: Final = datetime(1900, 1, 1, tzinfo=UTC).timestamp()
_KSUID: Final = 1_400_000_000.0


@dataclass(frozen=True, slots=True)
class EmbeddedClock:
    """A clock inside the identifiers; `bits` is the mask of the bits that hold it."""

    description: str
    bits: int
    finer: int = 0
    """The mask of the bits behind it that may hold a fraction or a counter."""
    ticks: float = 1.0
    """Its ticks per second."""


def beside(sample: Sample, clock: EmbeddedClock) -> Sample:
    """Return the sample with the bits that may be random beside a clock: those outside the clock that vary."""
    rest = sample.within(~clock.bits & ~clock.finer)
    varying = reduce(or_, (value ^ rest.values[0] for value in rest.values), 0)
    return one_per_tick(rest.within(varying), clock)


def one_per_tick(sample: Sample, clock: EmbeddedClock) -> Sample:
    """Return the sample with the first identifier of each tick, if enough of them remain.

    Version 7 may count within one tick, from a random start (RFC 9562, 6.2), so the order within a tick is part of
    the clock. A counter that continues over several ticks still shows.
    """
    first: dict[int, ObservedId] = {}
    for observed in sample.ids:
        first.setdefault(observed.id.int & clock.bits, observed)
    return replace(sample, ids=tuple(first.values())) if len(first) >= FEWEST else sample


def time_based(ids: Sequence[ObservedId]) -> str | None:
    """Return in words that every identifier holds its time of creation in the fields of version 1 or 6, or None.

    A random 60-bit field falls into two given days of its 36,000 years with probability 1 in 6.6 million.
    """
    for name, read in _TIME_FIELDS:
        if ids and all(abs(read(observed.id) - observed.moment) < _DAY for observed in ids):
            moment = datetime.fromtimestamp(read(ids[0].id), UTC)
            return (
                f"the time fields, read as those of a {name} UUID, hold the time of creation "
                f"(such as {moment:%Y-%m-%d %H:%M:%S} UTC)"
            )
    return None


def _version_1(one: UUID) -> float:
    return _GREGORIAN + one.time / 1e7


def _version_6(one: UUID) -> float:
    return _GREGORIAN + (one.time_low << 28 | one.time_mid << 12 | one.time_hi_version & 0x0FFF) / 1e7


_TIME_FIELDS: Final[tuple[tuple[str, Callable[[UUID], float]], ...]] = (
    ("version 1", _version_1),
    ("version 6", _version_6),
    ("version 1 (first bytes reversed)", lambda one: _version_1(UUID(bytes_le=one.bytes))),
)


def of_time_fields(description: str) -> EmbeddedClock:
    """Return the clock in the time fields of version 1 or 6: units of 100 ns in the first half."""
    return EmbeddedClock(description, FREE & _span(0, 64), ticks=1e7)


def clocks_of(sample: Sample) -> Iterator[EmbeddedClock]:
    """Yield the clocks that the identifiers may hold, other than the time fields of versions 1 and 6."""
    if len({observed.id for observed in sample.ids}) * 2 <= len(sample.ids):
        return  # repeated identifiers hold no clock, but a constant part can look like a date
    yield from _of_known_epoch(sample.ids)
    if (clock := _of_unknown_epoch(sample)) is not None:
        yield clock


_UNITS: Final = (
    (64, 1e9, "nanoseconds"),
    (64, 1e7, "tenths of a microsecond"),
    (64, 1e6, "microseconds"),
    (48, 1e3, "milliseconds"),
    (32, 1.0, "seconds"),
)
_NEAR: Final = 3.0
"""Seconds by which a clock of an epoch other than 1970 may differ from the time of creation."""


def _of_known_epoch(ids: Sequence[ObservedId]) -> Iterator[EmbeddedClock]:
    """Yield the clocks that count a usual unit since 1970, or since a midnight, in every identifier.

    A constant part can look like seconds since some midnight, in about one of ten thousand short runs. The caller
    therefore tries the next clock if the bits beside this one are not random.
    """
    moments = [observed.moment for observed in ids], [observed.began for observed in ids]
    for little in (False, True):
        values = [_reversed(observed.id.int) if little else observed.id.int for observed in ids]
        for end in range(28, 129, 4):
            for width, unit, word in _UNITS:
                read = [(value >> 128 - end & (1 << width) - 1) / unit for value in values]
                for created in moments if read[0] >= 30 * _DAY else ():
                    epoch, near = _epoch(created[0] - read[0])
                    if all(abs(epoch + one - moment) < near for one, moment in zip(read, created, strict=True)):
                        since = _1970 + timedelta(seconds=epoch)  # fromtimestamp knows no negative number on Windows
                        yield _clock(f"{word} since {since:%Y-%m-%d}", max(0, end - width), end, unit, little=little)
                        break
        for end in range(48, 129, 8):  # as SQL Server writes a datetime, by any time of day
            parts = [value >> 128 - end & (1 << 48) - 1 for value in values]
            read = [_YEAR_1900 + (part >> 32) * _DAY + (part & 0xFFFF_FFFF) / 300 for part in parts]
            if all(abs(one - moment) < _DAY for one, moment in zip(read, moments[0], strict=True)):
                yield _clock("days since 1900-01-01 and 300ths of a second", end - 48, end, 300.0, little=little)


def _epoch(since: float) -> tuple[float, float]:
    """Return the epoch nearest to a moment, and the tolerance for a clock of that epoch; 0 if there is none."""
    if abs(since) < _DAY:
        return 0.0, _DAY
    midnight = round(since / _DAY) * _DAY
    for epoch in (_KSUID, midnight):
        if abs(since - epoch) < _NEAR and (epoch == _YEAR_1 or epoch >= _GREGORIAN):
            return epoch, _NEAR
    return 0.0, 0.0


def _reversed(value: int) -> int:
    return int.from_bytes(value.to_bytes(16), "little")


def _clock(description: str, start: int, end: int, unit: float, *, little: bool) -> EmbeddedClock:
    """Return the clock in the bits from `start` to `end`, counted from its most significant byte."""
    bits = _span(start, end)
    finer = _span(end, end + _FINER_BITS) if unit < 1e6 else 0
    if little:
        bits, finer = _reversed(bits), _reversed(finer)
    held = [byte for byte in range(16) if bits >> 8 * (15 - byte) & 0xFF]
    place = f"bytes {held[0] + 1} to {held[-1] + 1}" + (", read backwards," if little else "")
    return EmbeddedClock(f"{place} hold the time of creation ({description})", bits & FREE, finer & FREE, unit)


def _span(start: int, end: int) -> int:
    """Return the mask of the bits from `start` to `end`, counted from the most significant."""
    end = min(end, 128)
    return (1 << max(0, end - start)) - 1 << 128 - end


_LEVEL: Final = 1e-6
"""Numbers are in the order of time if random numbers are so ordered with at most this probability."""
_TOLERANCE: Final = 0.004
"""Seconds by which a clock may miss the line through all numbers, besides half the time of an answer."""
_BETWEEN_MACHINES: Final = 0.1
"""Seconds by which the clocks of two machines may differ."""
_USUAL_RATES: Final = (1.0, 100.0, 256.0, 300.0, 1000.0, 1024.0)
"""Ticks per second of a clock that may be as coarse as the time between two identifiers."""


def _of_unknown_epoch(sample: Sample) -> EmbeddedClock | None:
    """Return the part of the identifiers that is in the order of time and proportional to it, unless it is a counter.

    A counter numbers the requests, so it leaves few numbers out. A clock leaves out many, or repeats some.
    """
    ids = list(dict.fromkeys(sample.in_order))
    times = [(observed.began + observed.ended) / 2 - ids[0].began for observed in ids]
    if len(set(times)) < 2:
        return None
    delay = median(observed.ended - observed.began for observed in ids)
    for little in (False, True):
        whole = [observed.id.int & FREE for observed in ids]
        if little:
            whole = [_reversed(value) for value in whole]
        least, place = inf, (0, 0)
        for end in range(16, 129, 8):
            for start in range(0, end - 8, 8):
                values = [value >> 128 - end & (1 << end - start) - 1 for value in whole]
                if not _in_order(values):
                    continue
                if _counts(times, values, delay):
                    return None
                if (deviation := _deviation(times, values, delay)) < inf:
                    # A part that ends later must be clearly more exact: what follows a clock need not belong to it.
                    if deviation < least / 1.5:
                        least, place = deviation, (start, end)
                    break
        if least < inf:
            clock = _clock("since an unknown moment", *place, 1.0, little=little)
            read = [value >> 128 - place[1] & (1 << place[1] - place[0]) - 1 for value in whole]
            return replace(clock, ticks=abs(read[-1] - read[0]) / (times[-1] - times[0]))
    return None


def _in_order(values: Sequence[int]) -> bool:
    """Tell whether numbers rise or fall more clearly than random numbers do."""
    if len(set(values)) < 4:
        return False
    rising, equal = pairs_in_order(values)
    falling = len(values) * (len(values) - 1) // 2 - rising - equal
    return inversions_bound(len(values), min(rising, falling)) < _LEVEL


def _is_of_two_machines(values: Sequence[int]) -> bool:
    """Whether some steps go back, as those of two machines do."""
    steps = [b - a for a, b in pairwise(values)]
    return min(steps) < 0 < max(steps)


def _deviation(times: Sequence[float], values: Sequence[int], delay: float) -> float:
    """Return by how many seconds numbers miss the line through all of them; infinite if too much for a clock."""
    offsets = [float(value - values[0]) for value in values]
    rate, start = linear_regression(times, offsets)
    if not rate:
        return inf
    deviation = max(abs((offset - start) / rate - time) for offset, time in zip(offsets, times, strict=True))
    # Answers and ticks take time, a clock is adjusted now and then, and the clocks of two machines differ.
    apart = min(_BETWEEN_MACHINES, times[-1] / 3) if _is_of_two_machines(values) else 0.0
    tolerated = max(_TOLERANCE + delay, 0.02 * times[-1], 1 / abs(rate), apart)
    return max(deviation, delay) if deviation <= tolerated else inf


def _counts(times: Sequence[float], values: Sequence[int], delay: float) -> bool:
    """Tell whether numbers in the order of time leave out so few that they count the requests."""
    lowest, highest = min(values), max(values)
    unit = gcd(*(value - lowest for value in values))
    left_out = (highest - lowest) / (unit * len(values))
    # The clocks of two machines that take turns differ a little, while their counters leave out almost no number.
    if any(a == b for a, b in pairwise(values)) or left_out > (2 if _is_of_two_machines(values) else 4):
        return False
    for rate in _USUAL_RATES:
        errors = [abs(value - values[0]) - rate * time for value, time in zip(values, times, strict=True)]
        if max(errors) - min(errors) <= 1.5 + rate * delay:
            return False  # a clock
    return True
