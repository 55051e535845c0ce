"""Moments as stores and registers have them: RFC 3339 in UTC with milliseconds, so that texts are in order of time."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Annotated

import msgspec

Moment = Annotated[str, msgspec.Meta(pattern=r"^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}\.[0-9]{3}Z\Z")]
"""The type of a member of a document that is such a text."""


def stamp(time: datetime) -> str:
    """Return a time of UTC as such a text."""
    return f"{time.replace(tzinfo=None).isoformat(timespec='milliseconds')}Z"


def now() -> str:
    """Return the present moment."""
    return stamp(datetime.now(UTC))


def moment(text: str) -> str:
    """Return a date-time as such a text; raise ValueError, or OverflowError before the year 1, for another text."""
    time = datetime.fromisoformat(text)
    if time.tzinfo is None:
        raise ValueError("it has no offset from UTC")
    return stamp(time.astimezone(UTC))
