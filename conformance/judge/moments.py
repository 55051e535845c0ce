"""createdAt against the clocks of a run (2.1): how far it is from the creation, and how precise it is."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from contextlib import suppress
from datetime import datetime, timedelta
from math import gcd
from typing import Final

from conformance.model.errors import answer_of
from conformance.model.exchange import Exchange
from conformance.model.formats import http_date, parse_date_time
from conformance.model.target import SEVERAL

NEAR: Final = timedelta(minutes=5)
"""createdAt so near to the creation is right: clocks differ, and a service may store whole minutes."""
FAR: Final = timedelta(minutes=15)
"""createdAt farther from the creation is another moment, unless the service rounds it."""

_UNITS: Final = (
    ("day", timedelta(days=1), timedelta(days=1, hours=14)),
    ("hour", timedelta(hours=1), timedelta(hours=1)),
    ("minute", timedelta(minutes=1), timedelta(minutes=1)),
)
"""Units to which a service may round, by the clock that it shows, with the most that rounding moves a moment.

The day of a place may begin up to 14 hours before or after that of UTC.
"""

APART: Final = timedelta(seconds=2)
"""After this time even a clock of whole seconds shows another value."""


def moment_of(exchange: Exchange, name: str) -> datetime | None:
    """Return a member of a data request, such as createdAt; None if it is no date-time of the years 1 to 9999."""
    given = answer_of(exchange).member(name)
    with suppress(ValueError):
        return parse_date_time(given) if isinstance(given, str) else None
    return None


def date_of(exchange: Exchange) -> datetime | None:
    """Return the Date header of a response, or None."""
    return http_date(answer_of(exchange).header("date"))


def clock_difference(exchange: Exchange) -> timedelta | None:
    """Return by how much the clock of the target (Date, whole seconds) is ahead of this machine's; None without one."""
    theirs = http_date(exchange.response.header("date")) if exchange.response else None
    return None if theirs is None else theirs - exchange.started - timedelta(seconds=exchange.seconds)


def distances(creation: Exchange, moment: datetime) -> tuple[timedelta, timedelta | None]:
    """Return how far `moment` is from the creation, and how far by the Date header alone; None without one.

    The clock of the suite counts, and the Date header, a clock of the service for the same creation, where both agree.
    """
    begun, took, date = creation.started, timedelta(seconds=creation.seconds), date_of(creation)
    by_suite = _from_interval(moment, begun, begun + took)
    if date is None:
        return by_suite, None
    by_date = _from_interval(moment, date - took, date + timedelta(seconds=1))  # which is cut to the second
    agrees = _from_interval(date, begun, begun + took) <= FAR
    return min(by_suite, by_date) if agrees else by_suite, by_date


def _from_interval(moment: datetime, start: datetime, end: datetime) -> timedelta:
    return max(start - moment, moment - end, timedelta(0))


def rounded_to(creations: Sequence[Exchange]) -> tuple[str, timedelta] | None:
    """Return the unit to which all creations are rounded, with the most that this moves a moment; None without one."""
    dated = [(each, moment) for each in creations if (moment := moment_of(each, "createdAt")) is not None]
    if len(dated) < SEVERAL:
        return None
    moments = [moment for _, moment in dated]
    since_midnight = [each - each.replace(hour=0, minute=0, second=0, microsecond=0) for each in moments]
    units = [(name, most) for name, unit, most in _UNITS if not any(each % unit for each in since_midnight)]
    # By another clock, the day of a place begins at a quarter of an hour.
    is_day = units and len({*moments}) == 1 and not since_midnight[0] % timedelta(minutes=15)
    if is_day and distances(*dated[0])[0] > FAR + units[0][1]:
        units = [(name, most) for name, _, most in _UNITS]
    return units[0] if units else None


def sharing(creations: Sequence[Exchange]) -> Iterator[tuple[list[Exchange], timedelta]]:
    """Yield creations with one createdAt, but no whole minute, and the time until another one was due at the last.

    It is below 0 where these are so far apart that a clock of the coarsest unit that the value may have had moved on.
    """
    same: dict[datetime, list[Exchange]] = defaultdict(list)
    for each in creations:
        if (moment := moment_of(each, "createdAt")) is not None and (moment.second or moment.microsecond):
            same[moment].append(each)
    for moment, shown in same.items():
        if len(shown) >= SEVERAL:
            yield shown, max(APART, unit_of(moment)) - between(shown)


def unit_of(moment: datetime) -> timedelta:
    """Return the coarsest unit, up to a minute, that a moment may have: 2.1 states no precision."""
    return timedelta(seconds=0 if moment.microsecond else gcd(moment.second, 60))


def between(creations: Sequence[Exchange]) -> timedelta:
    """Return how far apart creations certainly are: the last began so long after the first was answered."""
    answered = min(each.started + timedelta(seconds=each.seconds) for each in creations)
    return max(each.started for each in creations) - answered
