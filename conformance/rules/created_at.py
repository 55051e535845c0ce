"""createdAt against the clocks of a run: is it the moment of this creation, and not that of others? (2.1)"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from email.utils import parsedate_to_datetime
from typing import Final

from conformance.model.errors import answer_of
from conformance.model.exchange import Exchange
from conformance.model.formats import is_date_time, parse_date_time

_EARLY: Final = timedelta(seconds=90)
"""How long before its creation a request may say that it was created: cut to the minute, and clocks that differ."""
_LATE: Final = timedelta(seconds=45)
"""How long after the answer: rounded to the minute, and clocks that differ."""
_DIFFERENT: Final = timedelta(days=1)
"""How far the clock of a target without a Date header may be from that of the suite."""

APART: Final = timedelta(seconds=2)
"""A clock that is read in such a time has gone on, whether it keeps whole seconds or is read once a second."""
OFTEN: Final = 3
"""Creations with one createdAt that show it to be shared."""


def created_at(creation: Exchange) -> datetime | None:
    """Return createdAt of a data request; None where there is none that is a date-time of the years 1 to 9999."""
    value = answer_of(creation).document.value
    given = value.get("createdAt") if isinstance(value, dict) else None
    if not isinstance(given, str) or not is_date_time(given):
        return None
    try:
        return parse_date_time(given)
    except ValueError:
        return None


def date_of(exchange: Exchange) -> datetime | None:
    """Return the Date header of an answer, the clock of the target; None where there is none."""
    try:
        return parsedate_to_datetime(answer_of(exchange).header("date") or "").astimezone(UTC)
    except (ValueError, OverflowError):
        return None


def is_moment_of(creation: Exchange, moment: datetime) -> bool:
    """Tell whether `moment` may be that of the creation, by the target's own clock or by that of the suite."""
    took, date = timedelta(seconds=creation.seconds), date_of(creation)
    if date is None:
        return abs(moment - creation.started) <= _DIFFERENT
    answered = (date, creation.started + took)
    # A Date header is cut to the second.
    return any(each - took - _EARLY <= moment <= each + timedelta(seconds=1) + _LATE for each in answered)


def shared_moment(creations: Sequence[Exchange]) -> list[Exchange]:
    """Return creations with one createdAt though they were made at least APART; none where there are no such.

    A whole minute may be shared: how precisely a moment is kept is not stated.
    """
    return next((shown for shown in _sharing(creations) if shown[-1].started - shown[0].started >= APART), [])


def sharing_all(creations: Sequence[Exchange]) -> list[Exchange]:
    """Return all creations of the run where they share one createdAt, though not for long enough to tell."""
    return next((shown for shown in _sharing(creations) if len(shown) == len(creations)), [])


def _sharing(creations: Sequence[Exchange]) -> list[list[Exchange]]:
    same: dict[datetime, list[Exchange]] = defaultdict(list)
    for each in creations:
        if (moment := created_at(each)) is not None and (moment.second or moment.microsecond):
            same[moment].append(each)
    return [shown for shown in same.values() if len(shown) >= OFTEN]
