"""Identifiers that tell the time, by the service's own clock (RFC 9562)."""

from __future__ import annotations

import uuid
from datetime import UTC, datetime
from typing import Final

from conformance.reference.service import Service

_UNTIL_1970: Final = int((datetime(1970, 1, 1, tzinfo=UTC) - datetime(1582, 10, 15, tzinfo=UTC)).total_seconds())


def ticks_since_1582(service: Service) -> int:
    """Return the time as versions 1 and 6 count it: in units of 100 nanoseconds."""
    return service.clock.nanoseconds() // 100 + _UNTIL_1970 * 10_000_000


def version_1(service: Service, node: int, clock_seq: int) -> str:
    """Return an identifier of version 1: the time, a sequence of 14 bits and a node of 48."""
    ticks = ticks_since_1582(service)
    low, mid, high = ticks & 0xFFFFFFFF, ticks >> 32 & 0xFFFF, ticks >> 48 & 0xFFF
    return str(uuid.UUID(fields=(low, mid, high, clock_seq >> 8, clock_seq & 0xFF, node), version=1))
