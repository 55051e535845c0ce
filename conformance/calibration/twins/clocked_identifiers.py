"""Twins whose identifiers contain the time and enough random bits: 2.1 requires randomness, and warns of the order."""

from __future__ import annotations

import uuid
from collections.abc import Callable
from datetime import UTC, datetime

from conformance.calibration.operators import of_number, version_1
from conformance.calibration.twins.common import GROWS_WITH_TIME
from conformance.calibration.variant import add_twin
from conformance.reference.service import Service


def _version_7(clock: int, low_12: int, low_62: int) -> int:
    return clock << 80 | 7 << 76 | low_12 << 64 | 2 << 62 | low_62


def _counter_within_a_millisecond(service: Service, bits: Callable[[int], int]) -> int:
    clock = service.clock.nanoseconds() // 1_000_000
    return _version_7(clock, service.turn(f"id {clock}"), bits(62))


def _long_counter(service: Service, bits: Callable[[int], int], clock: int) -> int:
    drawn = uuid.uuid5(uuid.UUID(int=service.config.seed or 0), str(clock)).int & (1 << 41) - 1
    counter = drawn + service.turn(f"id {clock}")
    return _version_7(clock, counter >> 30, (counter & (1 << 30) - 1) << 32 | bits(32))


def _long_counter_within_a_millisecond(service: Service, bits: Callable[[int], int]) -> int:
    return _long_counter(service, bits, service.clock.nanoseconds() // 1_000_000)


def _long_counter_within_a_tick(service: Service, bits: Callable[[int], int]) -> int:
    return _long_counter(service, bits, int(service.now().timestamp() * 1000) // 8 * 8)


def _fraction(service: Service, bits: Callable[[int], int]) -> int:
    nanoseconds = service.clock.nanoseconds()
    return _version_7(nanoseconds // 1_000_000, nanoseconds % 1_000_000 * 4096 // 1_000_000, bits(62))


def _nanoseconds_of_an_older_draft(service: Service, bits: Callable[[int], int]) -> int:
    seconds, nanoseconds = divmod(service.clock.nanoseconds(), 1_000_000_000)
    fraction = (nanoseconds << 30) // 1_000_000_000
    return (
        seconds << 92
        | fraction >> 18 << 80
        | 7 << 76
        | (fraction >> 6 & 0xFFF) << 64
        | 2 << 62
        | (fraction & 0x3F) << 56
        | bits(48)
    )


def _days_and_ticks(service: Service, bits: Callable[[int], int]) -> int:
    since = service.clock.moment() - datetime(1900, 1, 1, tzinfo=UTC)
    ticks = (since.seconds * 1_000_000 + since.microseconds) * 3 // 10_000
    return bits(80) << 48 | since.days << 32 | ticks


for _name, _text, _make in (
    (
        "identifiers-of-version-7-with-a-counter",
        "Version 7 with the counter that keeps the order within a millisecond, and 62 random bits.",
        _counter_within_a_millisecond,
    ),
    (
        "identifiers-of-version-7-with-a-long-counter",
        "Version 7 with a counter of 42 bits that begins at random in each millisecond, and 32 random bits.",
        _long_counter_within_a_millisecond,
    ),
    (
        "identifiers-of-version-7-by-a-slow-clock",
        "The same with a clock in steps of eight milliseconds, so that the counter continues for several of them.",
        _long_counter_within_a_tick,
    ),
    ("identifiers-of-version-7-with-a-fraction", "Version 7 with the fraction of the millisecond.", _fraction),
    (
        "identifiers-of-an-older-version-7",
        "Version 7 of an older draft: seconds, their fraction, an unused counter and 48 random bits.",
        _nanoseconds_of_an_older_draft,
    ),
    (
        "identifiers-that-end-in-days-and-ticks",
        "Ten random bytes, then days since 1900 and 300ths of a second, as one database writes the time.",
        _days_and_ticks,
    ),
    (
        "identifiers-that-begin-with-a-snowflake-clock",
        "41 bits of milliseconds since the epoch of Twitter, then random bits.",
        lambda service, bits: int(service.clock.moment().timestamp() * 1000) - 1_288_834_974_657 << 86 | bits(86),
    ),
    (
        "identifiers-that-begin-with-seconds-since-2014",
        "Seconds since May 2014, as in KSUIDs, then random bits.",
        lambda service, bits: int(service.clock.moment().timestamp()) - 1_400_000_000 << 96 | bits(96),
    ),
    (
        "identifiers-that-begin-with-seconds-since-2020",
        "Seconds since New Year 2020, then random bits.",
        lambda service, bits: int(service.clock.moment().timestamp()) - 1_577_836_800 << 96 | bits(96),
    ),
    (
        "identifiers-with-a-clock-in-the-middle",
        "Four random bytes, six of a clock, six random bytes.",
        lambda service, bits: bits(32) << 96 | service.clock.nanoseconds() // 1_000_000 << 48 | bits(48),
    ),
    (
        "identifiers-with-nanoseconds",
        "Nanoseconds in the first half, random bits in the second.",
        lambda service, bits: service.clock.nanoseconds() << 64 | bits(64),
    ),
):
    add_twin("2.1", _name, _text, GROWS_WITH_TIME, service=of_number(_make))


def _version_1_with_a_random_node(service: Service, bits: Callable[[int], int]) -> int:
    return uuid.UUID(version_1(service, bits(47) << 1 | 1, bits(14))).int


add_twin(
    "2.1",
    "identifiers-of-version-1-with-random-nodes",
    "Version 1 with a node and a sequence that are drawn for each identifier: 61 random bits beside 100 ns.",
    GROWS_WITH_TIME,
    service=of_number(_version_1_with_a_random_node),
)
