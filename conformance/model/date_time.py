"""Date-times of the interface (2.1): the forms of ISO 8601 with a UTC offset or Z, and the narrower form of RFC 3339.

The table names the format date-time, which is RFC 3339, and the text below it names ISO 8601. So a form of RFC 3339 is
right, and a form that only ISO 8601 has is readable, but not what every client reads.
"""

from __future__ import annotations

import re
from calendar import isleap, monthrange
from datetime import UTC, date, datetime, timedelta, timezone
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

_MINUTES_OF_A_DAY: Final = 1440


def is_date_time(text: str) -> bool:
    """Whether `text` is a date-time with an offset or Z, in a form of ISO 8601."""
    found = _ISO_8601.fullmatch(text)
    return found is not None and _is_possible(found)


def is_rfc_3339(text: str) -> bool:
    """Whether `text` is an RFC 3339 date-time, with an offset or Z."""
    return _RFC_3339.fullmatch(text) is not None and is_date_time(text) and text[11:13] != "24"


def fraction_digits(text: str) -> int:
    """Return the number of digits in the fraction of a date-time, without trailing zeros."""
    found = _ISO_8601.fullmatch(text)
    return len((found["fraction"] or "").rstrip("0")) if found else 0


def parse_date_time(text: str) -> datetime:
    """Return a date-time as an aware datetime; raise ValueError for anything else.

    The fraction is cut to microseconds. A leap second becomes the microsecond before it, and a time in year 0 the
    first one of year 1, because a datetime cannot hold them.
    """
    found = _ISO_8601.fullmatch(text)
    if found is None or not _is_possible(found):
        raise ValueError(f"not a date-time with an offset: {text[:60]!r}")
    offset = timedelta(minutes=_shift(found))
    zone = timezone(offset) if offset else UTC
    if int(found["year"]) == 0:
        return datetime.min.replace(tzinfo=zone)
    hour, minute, second = (int(found[name] or 0) for name in ("hour", "minute", "second"))
    if second == 60:
        second, fraction = 59, timedelta(microseconds=999_999)
    else:
        unit = 1 if found["second"] else 60 if found["minute"] else 3600
        fraction = timedelta(microseconds=int((found["fraction"] or "0")[:12].ljust(12, "0")) * unit // 10**6)
    midnight = datetime.combine(_day(found), datetime.min.time(), zone)
    try:
        return midnight + timedelta(hours=hour, minutes=minute, seconds=second) + fraction
    except OverflowError:
        raise ValueError(f"a date-time after the year 9999: {text[:60]!r}") from None


def _is_possible(found: re.Match[str]) -> bool:
    """Whether there is such a day and such a time."""
    hour, minute, second = (int(found[name] or 0) for name in ("hour", "minute", "second"))
    if not _is_day(found) or minute > 59 or second > 60 or int(found["hours"] or 0) > 23:
        return False
    if int(found["minutes"] or 0) > 59 or hour > 24:
        return False
    if hour == 24:  # the end of the day
        return not (minute or second or (found["fraction"] or "").strip("0"))
    # A leap second is the last second of a day in UTC, at every offset.
    return second < 60 or (hour * 60 + minute - _shift(found)) % _MINUTES_OF_A_DAY == _MINUTES_OF_A_DAY - 1


def _is_day(found: re.Match[str]) -> bool:
    year = int(found["year"])
    if found["week"]:
        # The standard calendar begins with year 1, the grammar with year 0; 28 December is in the last week of a year.
        return 1 <= int(found["week"]) <= date(year or 2000, 12, 28).isocalendar().week
    if found["ordinal"]:
        return 1 <= int(found["ordinal"]) <= 365 + isleap(year)
    month = int(found["month"])
    days = 28 + isleap(year) if month == 2 else monthrange(2001, month)[1] if 1 <= month <= 12 else 0
    return 1 <= int(found["day"]) <= days


def _day(found: re.Match[str]) -> date:
    """Return the day; the caller has excluded year 0 and impossible days."""
    year = int(found["year"])
    if found["week"]:
        try:
            return date.fromisocalendar(year, int(found["week"]), int(found["weekday"]))
        except ValueError:  # the last week of 9999 ends in the year 10000
            return date.max
    if found["ordinal"]:
        return date(year, 1, 1) + timedelta(days=int(found["ordinal"]) - 1)
    return date(year, int(found["month"]), int(found["day"]))


def _shift(found: re.Match[str]) -> int:
    """Return the offset in minutes."""
    minutes = int(found["hours"] or 0) * 60 + int(found["minutes"] or 0)
    return minutes if found["sign"] in (None, "+") else -minutes


def http_date(value: str | None) -> datetime | None:
    """Return the moment that a header field such as Date shows, in UTC; None if it shows none."""
    try:
        when = parsedate_to_datetime(value or "")
        return when.replace(tzinfo=when.tzinfo or UTC).astimezone(UTC)
    except (ValueError, OverflowError):
        return None
