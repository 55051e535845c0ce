"""The formats of values in the interface: UUID, date-time, URL, e-mail address, and numbers of any size.

A validator ignores a `format` that it does not know; `checker()` knows exactly the formats of the schemas.
"""

from __future__ import annotations

import re
from calendar import isleap, monthrange
from collections.abc import Callable
from datetime import UTC, datetime, timedelta, timezone
from decimal import Decimal
from functools import cache
from ipaddress import IPv4Address, IPv6Address
from typing import TYPE_CHECKING
from unicodedata import category

if TYPE_CHECKING:
    from jsonschema import FormatChecker, TypeChecker

_UUID = re.compile(r"[0-9A-Fa-f]{8}-(?:[0-9A-Fa-f]{4}-){3}[0-9A-Fa-f]{12}")
_DATE_TIME = re.compile(
    r"([0-9]{4})-([0-9]{2})-([0-9]{2})[Tt]([0-9]{2}):([0-9]{2}):([0-9]{2})(?:\.([0-9]+))?"
    r"(?:[Zz]|([+-])([0-9]{2}):([0-9]{2}))"
)
# Square brackets are allowed outside the host: queries such as ?filter[x]=1 are common, and every client sends them.
_NOT_IN_URL = re.compile(r"[\s\x00-\x20\x7f-\x9f\ud800-\udfff\u200e\u200f\u202a-\u202e<>\"\\^`{|}]|%(?![0-9A-Fa-f]{2})")
_URL = re.compile(
    r"https?://(?:[^/?#@]*@)?(?:\[(?P<ipv6>[^\]/?#@]*)\]|(?P<name>[^/?#@:\[\]]+))(?::(?P<port>[0-9]*))?(?:[/?#].*)?",
    re.IGNORECASE,
)
_NUMBER = re.compile(r"0x[0-9a-f]{1,8}|0[0-7]{0,11}|[1-9][0-9]{0,9}", re.IGNORECASE)

_ATOM = r"[^\s\x00-\x20\x7f-\x9f\ud800-\udfff()<>\[\]:;@\\,.\"]+"
_QUOTED = r"\"(?:[^\"\\\x00-\x1f\x7f-\x9f\ud800-\udfff]|\\[\x20-\x7e])*\""
_EMAIL = re.compile(rf"(?P<local>{_ATOM}(?:\.{_ATOM})*|{_QUOTED})@(?:\[(?P<literal>[^\]]+)\]|(?P<domain>[^@\[\]]+))")


def is_uuid(text: str) -> bool:
    """Whether `text` is a UUID: 8-4-4-4-12 hexadecimal digits, in either case and of any version (2.1)."""
    return _UUID.fullmatch(text) is not None


def is_date_time(text: str) -> bool:
    """Whether `text` is an RFC 3339 date-time, with an offset or Z (2.1)."""
    found = _DATE_TIME.fullmatch(text)
    if found is None:
        return False
    year, month, day, hour, minute, second, hours, minutes = (int(found[n] or 0) for n in (1, 2, 3, 4, 5, 6, 9, 10))
    if not (1 <= month <= 12 and 1 <= day <= _days(year, month)):
        return False
    if hour > 23 or minute > 59 or second > 60 or hours > 23 or minutes > 59:
        return False
    shift = (hours * 60 + minutes) * (-1 if found[8] == "-" else 1)
    # A leap second is the last second of a day in UTC, whatever the offset.
    return second < 60 or (hour * 60 + minute - shift) % 1440 == 1439


def _days(year: int, month: int) -> int:
    # The standard calendar begins with year 1, the grammar with year 0.
    return 28 + isleap(year) if month == 2 else monthrange(2001, month)[1]


def fraction_digits(text: str) -> int:
    """Return the number of digits in the fraction of an RFC 3339 date-time, without trailing zeros."""
    found = _DATE_TIME.fullmatch(text)
    return len((found[7] or "").rstrip("0")) if found else 0


def parse_date_time(text: str) -> datetime:
    """Return an RFC 3339 date-time as an aware datetime; raise ValueError for anything else.

    The fraction is cut to microseconds. A leap second becomes the microsecond before it, and a time in year 0 the
    first one of year 1, because a datetime cannot hold them.
    """
    found = _DATE_TIME.fullmatch(text)
    if found is None or not is_date_time(text):
        raise ValueError(f"not an RFC 3339 date-time: {text[:60]!r}")
    year, month, day, hour, minute, second = (int(found[n]) for n in range(1, 7))
    offset = timedelta(hours=int(found[9] or 0), minutes=int(found[10] or 0)) * (-1 if found[8] == "-" else 1)
    zone = timezone(offset) if offset else UTC
    if year == 0:
        return datetime.min.replace(tzinfo=zone)
    microsecond = int((found[7] or "")[:6].ljust(6, "0"))
    if second == 60:
        second, microsecond = 59, 999_999
    return datetime(year, month, day, hour, minute, second, microsecond, zone)


def is_url(text: str) -> bool:
    """Whether `text` is an absolute http or https URL with a host (2.3); non-ASCII characters are allowed."""
    if _NOT_IN_URL.search(text):
        return False
    found = _URL.fullmatch(text)
    if found is None or int((found["port"] or "0")[:20]) > 65535:
        return False
    if found["ipv6"] is not None:
        return _is_address(IPv6Address, found["ipv6"])
    name = found["name"]
    labels = name.removesuffix(".").split(".")
    return _is_address_of_numbers(labels) if labels[-1].isdecimal() else all(labels)


def _is_address_of_numbers(labels: list[str]) -> bool:
    """Whether a host that ends in a number is an IPv4 address of one to four numbers, as in the URL Standard.

    The last number stands for all the bytes that the numbers before it leave.
    """
    if len(labels) > 4 or not all(map(_NUMBER.fullmatch, labels)):
        return False
    # A leading 0 makes a number octal, a leading 0x hexadecimal.
    *first, last = (int(each, 0) if each[0] != "0" or "x" in each.lower() else int(each, 8) for each in labels)
    return all(each < 256 for each in first) and last < 256 ** (4 - len(first))


def is_email(text: str) -> bool:
    """Whether `text` is a plain e-mail address (2.3), which may be internationalised or have a quoted local part."""
    found = _EMAIL.fullmatch(text)
    if found is None or len(found["local"]) > 64 or len(text) > 254:
        return False
    if (literal := found["literal"]) is not None:
        if literal[:5].casefold() == "ipv6:":
            return _is_address(IPv6Address, literal[5:])
        return _is_address(IPv4Address, literal)
    labels = found["domain"].split(".")
    return len(labels) > 1 and not labels[-1].isdecimal() and all(map(_is_label, labels))


def _is_label(label: str) -> bool:
    # Letters and digits of any script, with the marks and joiners that some scripts need.
    hyphens_inside = 0 < len(label) <= 63 and not (label.startswith("-") or label.endswith("-"))
    return hyphens_inside and all(
        char.isalnum() or char in "-\u00b7\u200c\u200d" or category(char).startswith("M") for char in label
    )


def _is_address(kind: type[IPv4Address] | type[IPv6Address], text: str) -> bool:
    try:
        kind(text)
    except ValueError:
        return False
    return "%" not in text


FORMATS: dict[str, Callable[[str], bool]] = {
    "uuid": is_uuid,
    "date-time": is_date_time,
    # Every URL in the schemas is http or https; its schema also has a pattern for validators that ignore formats.
    "iri": is_url,
    "uri": lambda text: text.isascii() and is_url(text),
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


@cache
def type_checker() -> TypeChecker:
    """Return the type checker for jsonschema that also knows Decimal, the type of numbers of unusual size."""
    from jsonschema import Draft202012Validator

    usual: TypeChecker = Draft202012Validator.TYPE_CHECKER  # to which a Decimal is a number already

    def is_integer(_: object, value: object) -> bool:
        if isinstance(value, Decimal):
            return value == value.to_integral_value()
        return bool(usual.is_type(value, "integer"))

    return usual.redefine("integer", is_integer)
