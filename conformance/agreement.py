"""Does what is read agree with what was created? (4.2)"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

from conformance.formats import is_date_time, parse_date_time

LASTING: Final = ("requestId", "createdAt", "dataRequested")
"""The fields that cannot change while a request exists; the state and the expectation may."""


def disagreements(created: dict[str, Any], read: dict[str, Any]) -> Iterator[tuple[str, Any, Any]]:
    """Yield each lasting field that differs, with its value at creation and at reading.

    A field that either side lacks is left to 2.1, which demands it.
    """
    for name in LASTING:
        if name in created and name in read and _meaning(name, created[name]) != _meaning(name, read[name]):
            yield name, created[name], read[name]


def _meaning(name: str, value: Any) -> Any:
    """Return what a field says, without what may differ between two ways of saying it."""
    if name == "requestId" and isinstance(value, str):
        return value.lower()
    if name == "createdAt" and isinstance(value, str) and is_date_time(value):
        return round(parse_date_time(value).timestamp(), 3)
    if name == "dataRequested" and isinstance(value, list):
        return {item if isinstance(item, str) else repr(item) for item in value}
    return value
