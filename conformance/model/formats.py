"""The formats of values in the interface: UUID, date-time, URL, e-mail address, and numbers of any size.

A validator ignores a `format` that it does not know; `checker()` knows exactly the formats of the schemas.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from decimal import Decimal
from functools import cache
from ipaddress import IPv4Address, IPv6Address
from typing import TYPE_CHECKING
from unicodedata import category

from conformance.model.date_time import is_date_time, is_rfc_3339

if TYPE_CHECKING:
    from jsonschema import FormatChecker, TypeChecker

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
_NUMBER = re.compile(r"0x[0-9a-f]{1,8}|0[0-7]{0,11}|[1-9][0-9]{0,9}", re.IGNORECASE)

_ATOM = r"[^\s\x00-\x20\x7f-\x9f\ud800-\udfff()<>\[\]:;@\\,.\"]+"
_QUOTED = r"\"(?:[^\"\\\x00-\x1f\x7f-\x9f\ud800-\udfff]|\\[\x20-\x7e])*\""
_EMAIL = re.compile(rf"(?P<local>{_ATOM}(?:\.{_ATOM})*|{_QUOTED})@(?:\[(?P<literal>[^\]]+)\]|(?P<domain>[^@\[\]]+))")


def is_uuid(text: str) -> bool:
    """Whether `text` is a UUID: 8-4-4-4-12 hexadecimal digits, in either case and of any version (2.1)."""
    return _UUID.fullmatch(text) is not None


def is_url(text: str) -> bool:
    """Whether `text` is an absolute URL (2.3), of http and https with a host; non-ASCII characters are allowed."""
    if _NOT_IN_URL.search(text):
        return False
    if not _is_of_http(text):
        return _OF_ANOTHER_SCHEME.fullmatch(text) is not None and not _HOST_AND_PORT.fullmatch(text)
    found = _URL.fullmatch(text)
    if found is None or int((found["port"] or "0")[:20]) > 65535:
        return False
    if found["ipv6"] is not None:
        return _is_address(IPv6Address, found["ipv6"])
    name = found["name"]
    labels = name.removesuffix(".").split(".")
    return _is_address_of_numbers(labels) if labels[-1].isdecimal() else all(labels)


def _is_of_http(text: str) -> bool:
    return text.partition(":")[0].lower() in ("http", "https")


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
    # The recommended form; it holds for a text that is no date-time, or no URL, which the wider format judges.
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
