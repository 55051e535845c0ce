"""The time that UUIDs of versions 1 and 6 hold in fields of its own."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from typing import Final
from uuid import UUID

from conformance.randomness.clocks import DAY
from conformance.randomness.sample import Drawn

GREGORIAN: Final = datetime(1582, 10, 15, tzinfo=UTC).timestamp()
"""When these versions, and the calendar of most programs, begin."""


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
    return GREGORIAN + (one.time_low | one.time_mid << 32 | (one.time_hi_version & 0x0FFF) << 48) / 1e7


def _version_6(one: UUID) -> float:
    return GREGORIAN + (one.time_low << 28 | one.time_mid << 12 | one.time_hi_version & 0x0FFF) / 1e7


_TIME_FIELDS: Final[tuple[tuple[str, Callable[[UUID], float]], ...]] = (
    ("version 1", _version_1),
    ("version 6", _version_6),
    ("version 1 (its first bytes turned round)", lambda one: _version_1(UUID(bytes_le=one.bytes))),
)
