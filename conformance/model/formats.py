"""The formats of values in the interface: UUID, date-time, URL and e-mail address.

A validator ignores a `format` that it does not know; `checker()` knows exactly the formats of the schemas.

The table of 2.1 names the format date-time, which is RFC 3339, and the text below it names ISO 8601. So a form of
RFC 3339 is right, and a form that only ISO 8601 has is readable, but not what every client reads.
"""

from __future__ import annotations

import re
from calendar import isleap
from collections.abc import Callable
from datetime import UTC, date, datetime, time, timedelta, timezone
from email.utils import parsedate_to_datetime
from functools import cache
from ipaddress import IPv6Address
from typing import TYPE_CHECKING, Final
from uuid import UUID

if TYPE_CHECKING:
    from jsonschema import FormatChecker

_UUID = re.compile(r"[0-9A-Fa-f]{8}-(?:[0-9A-Fa-f]{4}-){3}[0-9A-Fa-f]{12}")
# Square brackets are allowed outside the host: queries such as ?filter[x]=1 are common, and every client sends them.
_NOT_IN_URL = re.compile(r"[\s\x00-\x20\x7f-\x9f\ud800-\udfff\u200e\u200f\u202a-\u202e<>\"\\^`{|}]|%(?![0-9A-Fa-f]{2})")
_URL = re.compile(
    r"https?://(?:[^/?#@]*@)?(?:\[(?P<ipv6>[^\]/?#@]*)\]|(?P<name>[^/?#@:\[\]]+))(?::(?P<port>[0-9]*))?(?:[/?#].*)?",
    re.IGNORECASE,
)
_OF_ANOTHER_SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*:.+")
_HOST_AND_PORT = re.compile(r"(?:localhost|[^:/?#.]*\.[^:/?#]*):[0-9]+(?:[/?#].*)?", re.IGNORECASE)
"""A host and a port without a scheme, which a parser takes for a scheme and a path."""

_ATOM = r"[^\s\x00-\x20\x7f-\x9f\ud800-\udfff()<>\[\]:;@\\,.\"]+"
_QUOTED = r"\"(?:[^\"\\\x00-\x1f\x7f-\x9f\ud800-\udfff]|\\[\x20-\x7e])*\""
_LABEL = r"[^\s\x00-\x2c./:-@\[-`{-\x9f\ud800-\udfff]+"
_EMAIL = re.compile(rf"(?P<local>{_ATOM}(?:\.{_ATOM})*|{_QUOTED})@(?:\[[^\]]+\]|{_LABEL}(?:\.{_LABEL})+)")


def is_uuid(text: str) -> bool:
    """Whether `text` is a UUID: 8-4-4-4-12 hexadecimal digits, in either case and of any version (2.1)."""
    return _UUID.fullmatch(text) is not None


def uuids_in(text: str) -> set[str]:
    """Return the UUIDs of a text, in lower case."""
    return set(map(str.lower, _UUID.findall(text)))


def is_url(text: str) -> bool:
    """Whether `text` is an absolute URL (2.3), of http and https with a host; non-ASCII characters are allowed."""
    if _NOT_IN_URL.search(text):
        return False
    if not _is_of_http(text):
        return _OF_ANOTHER_SCHEME.fullmatch(text) is not None and not _HOST_AND_PORT.fullmatch(text)
    found = _URL.fullmatch(text)
    if found is None or int((found["port"] or "0")[:20]) > 65535:
        return False
    if found["ipv6"] is None:
        return all(found["name"].removesuffix(".").split("."))
    try:
        return IPv6Address(found["ipv6"]).scope_id is None
    except ValueError:
        return False


def _is_of_http(text: str) -> bool:
    return text.partition(":")[0].lower() in ("http", "https")


def is_email(text: str) -> bool:
    """Whether `text` is a plain e-mail address (2.3), which may be internationalised or have a quoted local part."""
    found = _EMAIL.fullmatch(text)
    return found is not None and len(found["local"]) <= 64 and len(text) <= 254


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
    if second == 60 and (timedelta(hours=hour, minutes=minute + 1) - offset) % timedelta(days=1) == timedelta():
        # A leap second is the last second of a day in UTC, at every offset.
        second, clock = 59, timedelta(hours=hour, minutes=minute + 1, microseconds=-1)
    try:
        if minute > 59 or second > 59 or minutes > 59 or clock > timedelta(days=1):  # 24:00 is the end of the day
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


FORMATS: dict[str, Callable[[str], bool]] = {
    "uuid": is_uuid,
    # The recommended forms hold for a text that is no UUID, date-time or URL, which the wider format judges.
    "uuid4": lambda text: not is_uuid(text) or UUID(text).version == 4,
    "date-time": is_date_time,
    "rfc-3339": lambda text: is_rfc_3339(text) or not is_date_time(text),
    "http-url": lambda text: _is_of_http(text) or not is_url(text),
    # The schema of URLs also has a pattern, for validators that ignore formats.
    "iri": is_url,
    "uri": lambda text: text.isascii() and _is_of_http(text) and is_url(text),
    "idn-email": is_email,
}
"""The predicate of every `format` that the schemas use."""


@cache
def checker() -> FormatChecker:
    """Return the format checker for jsonschema, with `FORMATS` only."""
    from jsonschema import FormatChecker

    made = FormatChecker(formats=())
    for name, holds in FORMATS.items():
        made.checks(name)(_of_strings(holds))
    return made


def _of_strings(holds: Callable[[str], bool]) -> Callable[[object], bool]:
    # A format applies to strings only; `type` requires the string.
    return lambda value: not isinstance(value, str) or holds(value)
