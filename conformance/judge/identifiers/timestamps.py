"""Clocks inside identifiers, which make them grow with time and are not random.

Versions 1 and 6 of UUIDs have time fields. Clocks of a known epoch are those of version 7, ULID, KSUID, ObjectId, and
the COMB of NHibernate (days and 300ths of a second, as SQL Server writes a datetime) and of Laravel, and the Snowflakes
of Twitter and of those who count from a midnight. A clock of another epoch only shows that a part rises with time.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from itertools import chain, product
from typing import Final
from uuid import UUID

from conformance.judge.identifiers.sample import FEWEST, FREE, ObservedId, Sample
from conformance.judge.moments import APART

_DAY: Final = 86_400.0  # seconds
_FINER_BITS: Final = 16
"""Bits behind a clock that may hold its fraction or a counter, as in version 7."""
_YEAR_1: Final = datetime(1, 1, 1, tzinfo=UTC).timestamp()
_GREGORIAN: Final = datetime(1582, 10, 15, tzinfo=UTC).timestamp()
"""The epoch of UUID versions 1 and 6."""
_1970: Final = datetime(1970, 1, 1, tzinfo=UTC)
_YEAR_1900: Final = datetime(1900, 1, 1, tzinfo=UTC).timestamp()


@dataclass(frozen=True, slots=True)
class EmbeddedClock:
    """A clock inside the identifiers; `bits` is the mask of the bits that hold it."""

    description: str
    bits: int
    finer: int = 0
    """The mask of the bits behind it that may hold a fraction or a counter."""
    ticks: float = 1.0
    """Its ticks per second."""


def one_per_tick(sample: Sample, clock: EmbeddedClock) -> Sample:
    """Return the sample without the bits of a clock, with the first identifier of each tick if enough of them remain.

    Version 7 may count within one tick, from a random start (RFC 9562, 6.2), so the order within a tick is part of
    the clock. A counter that continues over several ticks still shows.
    """
    first: dict[int, ObservedId] = {}
    for observed in sample.ids:
        first.setdefault(observed.id.int & clock.bits, observed)
    rest = sample.within(~clock.bits & ~clock.finer)
    return replace(rest, ids=tuple(first.values())) if len(first) >= FEWEST else rest


def clock_of(ids: Sequence[ObservedId]) -> EmbeddedClock | None:
    """Return the clock that every identifier holds, if any: that with the finest ticks.

    A constant part can look like seconds since some midnight, in about one of ten thousand short runs.
    """
    if len({observed.id for observed in ids}) * 2 <= len(ids):
        return None  # repeated identifiers hold no clock, but a constant part can look like a date
    return next(chain(_in_time_fields(ids), _of_known_epoch(ids)), None)


# ---------------------------------------------------------------------- versions 1 and 6


def _in_time_fields(ids: Sequence[ObservedId]) -> Iterator[EmbeddedClock]:
    """Yield the clock in the fields of version 1 or 6: units of 100 ns in the first half.

    A random 60-bit field falls into two given days of its 36,000 years with probability 1 in 6.6 million.
    """
    for name, read in _TIME_FIELDS:
        if all(abs(read(observed.id) - observed.moment) < _DAY for observed in ids):
            moment = datetime.fromtimestamp(read(ids[0].id), UTC)
            description = (
                f"the time fields, read as those of a {name} UUID, hold the time of creation "
                f"(such as {moment:%Y-%m-%d %H:%M:%S} UTC)"
            )
            yield EmbeddedClock(description, _span(0, 64), ticks=1e7)


def _version_1(one: UUID) -> float:
    return _GREGORIAN + one.time / 1e7


def _version_6(one: UUID) -> float:
    return _GREGORIAN + (one.time_low << 28 | one.time_mid << 12 | one.time_hi_version & 0x0FFF) / 1e7


_TIME_FIELDS: Final[tuple[tuple[str, Callable[[UUID], float]], ...]] = (
    ("version 1", _version_1),
    ("version 6", _version_6),
    ("version 1 (first bytes reversed)", lambda one: _version_1(UUID(bytes_le=one.bytes))),
)


# ---------------------------------------------------------------------- units since an epoch


_UNITS: Final = (
    (64, 1e9, "nanoseconds"),
    (64, 1e7, "tenths of a microsecond"),
    (64, 1e6, "microseconds"),
    (48, 1e5, "hundredths of a millisecond"),
    (48, 1e3, "milliseconds"),
    (32, 1.0, "seconds"),
)
_ENDS: Final = (*range(28, 129, 4), 42)
"""Where a clock may end: at a digit, or where that of a Snowflake does."""
_EPOCHS: Final = (1_400_000_000.0, 1_288_834_974.657)
"""The epochs of KSUID and of Twitter, which are no midnights."""


def _of_known_epoch(ids: Sequence[ObservedId]) -> Iterator[EmbeddedClock]:
    """Yield the clocks that count a usual unit since 1970, or since a midnight, in every identifier."""
    moments = [observed.moment for observed in ids], [observed.began for observed in ids]
    values = [observed.id.int for observed in ids]
    for (width, unit, word), end in product(_UNITS, _ENDS):
        read = [(value >> 128 - end & (1 << width) - 1) / unit for value in values]
        for created in moments if read[0] >= 30 * _DAY else ():
            since = created[0] - read[0]
            near, epoch = _DAY, 0.0
            if abs(since) >= _DAY:
                near, epoch = (
                    APART.total_seconds(),
                    min((*_EPOCHS, round(since / _DAY) * _DAY), key=lambda each: abs(each - since)),
                )
            if epoch >= _YEAR_1 and all(
                abs(epoch + one - moment) < near for one, moment in zip(read, created, strict=True)
            ):
                began = _1970 + timedelta(seconds=epoch)  # fromtimestamp knows no negative number on Windows
                yield _clock(f"{word} since {began:%Y-%m-%d}", max(0, end - width), end, unit)
    for end in range(48, 129, 8):  # as SQL Server writes a datetime, by any time of day
        parts = [value >> 128 - end & (1 << 48) - 1 for value in values]
        read = [_YEAR_1900 + (part >> 32) * _DAY + (part & 0xFFFF_FFFF) / 300 for part in parts]
        if all(abs(one - moment) < _DAY for one, moment in zip(read, moments[0], strict=True)):
            yield _clock("days since 1900-01-01 and 300ths of a second", end - 48, end, 300.0)


def _clock(description: str, start: int, end: int, unit: float) -> EmbeddedClock:
    """Return the clock in the bits from `start` to `end`, counted from the most significant."""
    finer = _span(end, end + _FINER_BITS) if unit < 1e6 else 0
    place = f"bytes {start // 8 + 1} to {(end - 1) // 8 + 1}"
    return EmbeddedClock(f"{place} hold the time of creation ({description})", _span(start, end), finer, unit)


def _span(start: int, end: int) -> int:
    """Return the mask of the free bits from `start` to `end`, counted from the most significant."""
    return FREE & ((1 << 128 - start) - 1) & ~((1 << max(0, 128 - end)) - 1)
