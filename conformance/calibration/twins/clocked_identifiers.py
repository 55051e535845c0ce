"""Twins whose identifiers contain the time and enough random bits: 2.1 requires randomness, and warns of the order."""

from __future__ import annotations

import uuid
from collections.abc import Callable

from conformance.calibration.operators import of_number, version_1
from conformance.calibration.twins.common import GROWS_WITH_TIME
from conformance.calibration.variant import add_twin
from conformance.reference.service import Service


def _version_7(clock: int, low_12: int, low_62: int) -> int:
    return clock << 80 | 7 << 76 | low_12 << 64 | 2 << 62 | low_62


def _counter_within_a_millisecond(service: Service, bits: Callable[[int], int]) -> int:
    clock = service.clock.nanoseconds() // 1_000_000
    return _version_7(clock, service.turn(f"id {clock}"), bits(62))


def _fraction(service: Service, bits: Callable[[int], int]) -> int:
    nanoseconds = service.clock.nanoseconds()
    return _version_7(nanoseconds // 1_000_000, nanoseconds % 1_000_000 * 4096 // 1_000_000, bits(62))


for _name, _text, _make in (
    (
        "identifiers-of-version-7-with-a-counter",
        "Version 7 with the counter that keeps the order within a millisecond, and 62 random bits.",
        _counter_within_a_millisecond,
    ),
    ("identifiers-of-version-7-with-a-fraction", "Version 7 with the fraction of the millisecond.", _fraction),
    (
        "identifiers-that-begin-with-seconds-since-2014",
        "Seconds since May 2014, as in KSUIDs, then random bits.",
        lambda service, bits: int(service.clock.moment().timestamp()) - 1_400_000_000 << 96 | bits(96),
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
