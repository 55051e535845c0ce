"""Date-times of the interface (2.1): the forms of ISO 8601 with a UTC offset or Z, and the narrower form of RFC 3339.

The table names the format date-time, which is RFC 3339, and the text below it names ISO 8601. So a form of RFC 3339 is
right, and a form that only ISO 8601 has is readable, but not what every client reads.
"""

from __future__ import annotations

import re
from calendar import isleap
from datetime import UTC, date, datetime, time, timedelta, timezone
from email.utils import parsedate_to_datetime
from typing import Final

_RFC_3339: Final = re.compile(
    r"[0-9]{4}-[0-9]{2}-[0-9]{2}[Tt][0-9]{2}:[0-9]{2}:[0-9]{2}(?:\.[0-9]+)?(?:[Zz]|[+-][0-9]{2}:[0-9]{2})"
)
_DATE: Final = (
    r"(?P<year>[0-9]{4})(?:(?P<hyphen>-?)(?P<month>[0-9]{2})(?P=hyphen)(?P<day>[0-9]{2})"
    r"|(?P<dash>-?)W(?P<week>[0-9]{2})(?P=dash)(?P<weekday>[1-7])|-?(?P<ordinal>[0-9]{3}))"
)
_TIME: Final = (
    r"(?P<hour>[0-9]{2})(?:(?P<colon>:?)(?P<minute>[0-9]{2})(?:(?P=colon)(?P<second>[0-9]{2}))?)?"
    r"(?:[.,](?P<fraction>[0-9]+))?"
)
_OFFSET: Final = r"(?:[Zz]|(?P<sign>[+\u2212-])(?P<hours>[0-9]{2})(?::?(?P<minutes>[0-9]{2}))?)"
_ISO_8601: Final = re.compile(f"{_DATE}[Tt ]{_TIME}{_OFFSET}")
"""RFC 3339 allows a blank in place of T (5.6). The date, the time and the offset have separators each by itself."""

_DAY: Final = timedelta(days=1)
_NOTHING: Final = timedelta()


def is_date_time(text: str) -> bool:
    """Whether `text` is a date-time with an offset or Z, in a form of ISO 8601."""
    try:
        return bool(parse_date_time(text))
    except ValueError:
        return False


def is_rfc_3339(text: str) -> bool:
    """Whether `text` is an RFC 3339 date-time, with an offset or Z."""
    return _RFC_3339.fullmatch(text) is not None and is_date_time(text) and text[11:13] != "24"


def fraction_digits(text: str) -> int:
    """Return the number of digits in the fraction of a date-time, without trailing zeros."""
    found = _ISO_8601.fullmatch(text)
    return len((found["fraction"] or "").rstrip("0")) if found else 0


def parse_date_time(text: str) -> datetime:
    """Return a date-time as an aware datetime; raise ValueError for anything else.

    The fraction is cut to microseconds. A leap second becomes the microsecond before it, and year 0 the next leap
    year, because a datetime cannot hold them.
    """
    if (found := _ISO_8601.fullmatch(text)) is None:
        raise ValueError(f"not a date-time with an offset: {text[:60]!r}")
    hour, minute, second, hours, minutes = (
        int(found[name] or 0) for name in ("hour", "minute", "second", "hours", "minutes")
    )
    offset = timedelta(hours=hours, minutes=minutes) * (1 if found["sign"] in (None, "+") else -1)
    unit = 1 if found["second"] else 60 if found["minute"] else 3600
    fraction = timedelta(microseconds=int((found["fraction"] or "0")[:12].ljust(12, "0")) * unit // 10**6)
    clock = timedelta(hours=hour, minutes=minute, seconds=second) + fraction
    if second == 60 and (timedelta(hours=hour, minutes=minute + 1) - offset) % _DAY == _NOTHING:
        # A leap second is the last second of a day in UTC, at every offset.
        second, clock = 59, timedelta(hours=hour, minutes=minute + 1, microseconds=-1)
    try:
        if minute > 59 or second > 59 or minutes > 59 or clock > _DAY:  # 24:00 is the end of the day
            raise ValueError(f"no time of a day: {text[:60]!r}")
        return datetime.combine(_day(found), time(), timezone(offset)) + clock
    except OverflowError:
        raise ValueError(f"a date-time after the year 9999: {text[:60]!r}") from None


def _day(found: re.Match[str]) -> date:
    """Return the day; raise ValueError if there is no such day."""
    year = int(found["year"]) or 4
    if found["week"]:
        return date.fromisocalendar(year, int(found["week"]), int(found["weekday"]))
    if found["ordinal"]:
        if not 1 <= int(found["ordinal"]) <= 365 + isleap(year):
            raise ValueError(f"the year {year} has no day {found['ordinal']}")
        return date(year, 1, 1) + timedelta(days=int(found["ordinal"]) - 1)
    return date(year, int(found["month"]), int(found["day"]))


def http_date(value: str | None) -> datetime | None:
    """Return the moment that a header field such as Date shows, in UTC; None if it shows none."""
    try:
        when = parsedate_to_datetime(value or "")
        return when.replace(tzinfo=when.tzinfo or UTC).astimezone(UTC)
    except (ValueError, OverflowError):
        return None
