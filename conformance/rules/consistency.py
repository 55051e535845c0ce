"""Does what is read agree with what was created? (4.2)"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime, timedelta
from typing import Any, Final

from conformance.model.formats import fraction_digits, is_date_time, parse_date_time

LASTING: Final = ("requestId", "createdAt", "dataRequested")
"""The fields that cannot change while a request exists; the state and the expectation may."""

_STORED: Final = timedelta(milliseconds=4)
"""So far a moment may move when it is stored: a database may keep 1/300 of a second, and round where others cut."""

_UNIT: Final = timedelta(minutes=1)
"""What a moment may be kept to: 2.1 asks for a date-time, and does not say how precise it is."""


def disagreements(
    earlier: dict[str, Any], read: dict[str, Any], *, both_read: bool = False
) -> Iterator[tuple[str, Any, Any]]:
    """Yield each lasting field that differs, with its value at creation, or where `both_read` earlier, and at reading.

    A field that either side lacks is left to 2.1, which demands it.
    """
    for name in LASTING:
        if name in earlier and name in read and not _agree(name, earlier[name], read[name], both_read):
            yield name, earlier[name], read[name]


def _agree(name: str, earlier: Any, read: Any, both_read: bool) -> bool:
    if name == "createdAt" and all(isinstance(each, str) and is_date_time(each) for each in (earlier, read)):
        moments = parse_date_time(earlier), parse_date_time(read)
        apart = abs(moments[0] - moments[1])
        if not both_read and (apart <= _STORED or apart < max(map(_coarseness, moments))):
            return True
        return apart.total_seconds() < max(_blur(earlier, read), 0.0005)
    return bool(_meaning(name, earlier) == _meaning(name, read))


def _blur(earlier: str, read: str) -> float:
    """Return the seconds by which one moment may differ from itself where it is written with fewer digits once.

    Storing and showing it may cut or round: one unit of the shorter fraction, which is a second where there is none.
    """
    digits = {fraction_digits(earlier), fraction_digits(read)}
    return 10.0 ** -min(digits) * 1.001 if len(digits) > 1 else 0.0


def _coarseness(moment: datetime) -> timedelta:
    """Return the unit to which a moment may have been cut or rounded: a minute, where it is a whole one."""
    return timedelta(0) if moment.second or moment.microsecond else _UNIT


def _meaning(name: str, value: Any) -> Any:
    """Return what a field says, without what may differ between two ways of saying it."""
    if name == "requestId" and isinstance(value, str):
        return value.lower()
    if name == "dataRequested" and isinstance(value, list):
        return {item if isinstance(item, str) else repr(item) for item in value}
    return value
