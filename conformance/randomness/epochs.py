"""Clocks of known epochs: the time of creation since 1970, or since a midnight, in a usual unit.

By chance alone none is found in identifiers that are random: a part of 32 bits or more would have to tell the time in
every one of them.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from typing import Final

from conformance.randomness.clocks import DAY, Clock, held_in, turned
from conformance.randomness.sample import Drawn
from conformance.randomness.time_fields import GREGORIAN

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
_YEAR_1900: Final = datetime(1900, 1, 1, tzinfo=UTC).timestamp()
_NEAR: Final = 3.0
"""Seconds by which a clock of an epoch other than 1970 may miss the time of creation."""


def of_known_epochs(drawn: Sequence[Drawn]) -> Iterator[Clock]:
    """Yield the clocks that tell the moment of every identifier.

    A part that stays the same in a short run may be read as seconds since some midnight, once in some ten thousand
    runs: who judges what is beside a clock has to ask for the next one where that is not random.
    """
    clocks = [[each.moment for each in drawn], [each.began for each in drawn]]
    for little in (False, True):
        values = [turned(each.id.int) if little else each.id.int for each in drawn]
        yield from _of_days_and_ticks(values, clocks[0], little=little)
        for end in range(28, 129, 4):
            for width, unit, word in _UNITS:
                first = (values[0] >> 128 - end & (1 << width) - 1) / unit
                if first < 30 * DAY:
                    continue  # too few bits to tell how long ago an epoch was
                for moments in clocks:
                    epoch, near = _epoch(moments[0] - first)
                    if near and _keeps(moments, values, 128 - end, (1 << width) - 1, unit, epoch, near):
                        told = f"{word} since {_day(epoch)}"
                        yield held_in(told, max(0, end - width), end, unit, little=little)
                        break


def _of_days_and_ticks(values: list[int], moments: list[float], *, little: bool) -> Iterator[Clock]:
    """Yield a clock of two bytes of days since 1900 and four of 300ths of a second, by whatever time of day."""
    for end in range(48, 129, 8):
        parts = (value >> 128 - end & (1 << 48) - 1 for value in values)
        told = (_YEAR_1900 + (part >> 32) * DAY + (part & 0xFFFF_FFFF) / 300 for part in parts)
        if all(abs(each - moment) < DAY for each, moment in zip(told, moments, strict=True)):
            yield held_in("days since 1900-01-01 and 300ths of a second", end - 48, end, 300.0, little=little)


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
    known = midnight == _YEAR_1 or midnight >= GREGORIAN
    for epoch in (*_NAMED_EPOCHS, *[midnight] * known):
        if abs(since - epoch) < _NEAR:
            return epoch, _NEAR
    return 0.0, 0.0


def _day(epoch: float) -> str:
    return f"{datetime.fromtimestamp(epoch, UTC):%Y-%m-%d}"
