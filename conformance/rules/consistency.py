"""Consistency: a data request agrees with its creation (4.2), and createdAt with the clocks (2.1)."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime, timedelta
from email.utils import parsedate_to_datetime
from typing import Any, Final

from conformance.model.errors import answer_of
from conformance.model.exchange import Exchange
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
