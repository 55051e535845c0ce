"""The formats of values in the interface: UUID, date-time, URL, e-mail address, and numbers of any size.

A validator ignores a `format` that it does not know; `checker()` knows exactly the formats of the schemas.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import cache
from ipaddress import IPv6Address
from typing import TYPE_CHECKING
from uuid import UUID

from conformance.model.date_time import is_date_time, is_rfc_3339

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
