"""The calls of the interface in a HAR document that another program wrote: what each asked, and how it was answered.

A call is left out if a rule could take it for another one: with a query, answered by a cache, without an answer or a
duration. Of its header fields those stay that a rule reads; every other one may hold a secret.
"""

from __future__ import annotations

import base64
import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from math import isfinite
from typing import Any, Final
from urllib.parse import urlsplit

import httpx

from conformance.model.errors import ConfigurationFault
from conformance.model.exchange import Headers, Operation, Response, header, operation
from conformance.model.strict_json import Content, Unread

MOST: Final = 2_000
"""Calls of the interface: the time that the judge takes grows faster than their number."""

_OF_THE_INTERFACE: Final = re.compile(r"(.*)/(?:settings|data|data/me|requests|requests/[^/?#]+)")

_ASKED: Final = ("accept", "accept-language", "authorization", "content-type", "host", "user-agent")
_PLAIN: Final = frozenset(
    (
        *_ASKED,
        *("accept-encoding", "connection", "content-length", "origin", "referer", "dnt", "te", "priority", "via"),
        *("cache-control", "pragma", "sec-fetch-dest", "sec-fetch-site", "sec-gpc", "sec-fetch-mode", "x-request-id"),
        *("sec-ch-ua", "sec-ch-ua-mobile", "sec-ch-ua-platform", "traceparent", "tracestate", "keep-alive"),
        "x-schemathesis-testcaseid",
    )
)
"""Header fields that change nothing of what a call asks. With any other one the call is not plain."""
_GIVEN: Final = ("content-type", "content-language", "date", "retry-after", "www-authenticate", "allow")

_FROM_A_CACHE: Final = ("_fromCache", "_fromDiskCache", "_fetchedViaServiceWorker", "_servedFromCache")


@dataclass(frozen=True)
class Call:
    """A call of the interface, as it was made and answered."""

    started: datetime
    seconds: float
    method: str
    url: str
    """Without user, query and fragment."""
    path: str
    """Below the base_url, percent-encoded."""
    headers: Headers
    """The fields of the request that a rule reads."""
    body: bytes
    response: Response
    is_plain: bool
    """Whether no header field and no lost body can change what it asks."""
    lacks_body: bool
    """Whether the recording lacks a part of the answer."""

    @property
    def operation(self) -> Operation | None:
        """The operation that it calls."""
        return operation(self.method, self.path)

    @property
    def token(self) -> str:
        """The bearer token; empty for a call that brings none in the usual way."""
        scheme, _, token = (header(self.headers, "authorization") or "").partition(" ")
        return token.strip() if scheme.lower() == "bearer" else ""


def calls_of(entries: Iterable[object], base_url: str) -> tuple[str, list[Call]]:
    """Return the base_url and the calls of the interface below it, in the order in which they began.

    Without a `base_url` it is the one that the entries show. Raise ConfigurationFault for several, for none, and for
    too many calls.
    """
    known = [each for each in entries if isinstance(each, dict)]
    base_url = (base_url or _base_url_of(known)).rstrip("/")
    calls = [call for each in known if (call := _call_of(each, base_url)) is not None and call.operation is not None]
    if not calls:
        raise ConfigurationFault(
            f"No call of the recording is a call of the interface below {_origin_of(base_url)} that can be judged.",
            remedy=f"{_ADDRESS} Record requests and responses with their bodies and times.",
        )
    if len(calls) > MOST:
        raise ConfigurationFault(
            f"Expected at most {MOST:,} calls of the interface; received {len(calls):,}.", remedy="Split the recording."
        )
    return base_url, _without_repetitions(sorted(calls, key=lambda each: each.started))


_ADDRESS: Final = "Name the base_url of the service with --base-url, such as https://service.example/api."


def _base_url_of(entries: Sequence[Mapping[str, Any]]) -> str:
    """Return the address below which all calls of the interface are; raise ConfigurationFault for several, or none."""
    found: Counter[str] = Counter()
    for entry in entries:
        asked = entry.get("request")
        url = _plain_url(str(asked.get("url"))) if isinstance(asked, dict) else None
        if url and (match := _OF_THE_INTERFACE.fullmatch(url)):
            found[match[1]] += 1
    if len(found) != 1:
        some = ", ".join(sorted({_origin_of(each) for each in found})[:3])
        what = f"several base_urls: {some}" if found else "no call of the interface"
        raise ConfigurationFault(f"Expected the calls of one service; received {what}.", remedy=_ADDRESS)
    return next(iter(found))


def _origin_of(url: str) -> str:
    """Return scheme, host and port of an address: its path and its user may be secrets."""
    parts = urlsplit(url)
    return f"{parts.scheme}://{parts.netloc.rpartition('@')[2]}"


def _plain_url(url: str) -> str | None:
    """Return an address in its usual form, without user and fragment; None if it has a query or another scheme."""
    try:
        found = httpx.URL(url)
        if found.scheme not in ("http", "https") or found.query:
            return None
        return str(found.copy_with(userinfo=b"", fragment=None))
    except (httpx.InvalidURL, ValueError):
        return None


def _call_of(entry: Mapping[str, Any], base_url: str) -> Call | None:
    """Return the call of an entry below the base_url; None for one that cannot be judged."""
    try:
        asked, given = entry["request"], entry["response"]
        url, base = _plain_url(str(asked["url"])), _plain_url(base_url)
        status, milliseconds = given["status"], float(entry["time"])
        if url is None or base is None or not url.startswith(f"{base.rstrip('/')}/") or _is_cached(entry, given):
            return None
        if type(status) is not int or not 100 <= status <= 599 or status == 304 or not 0 < milliseconds < _A_DAY:
            return None
        started = datetime.fromisoformat(entry["startedDateTime"])
        if started.tzinfo is None:  # of which it is not known when it was
            return None
        started = started.astimezone(UTC)
        precision = _PRECISE if started.microsecond else _COARSE
        headers, shown = _headers(asked), _headers(given)
        body, content = _bytes_of(asked.get("postData") or {}), _content_of(given, shown)
        kept = tuple(each for each in shown if each[0].lower() in _GIVEN)
        return Call(
            # Calls that are closer than the clock of the recording is precise were made at the same time.
            started=started,
            seconds=milliseconds / 1000 + precision.total_seconds(),
            method=str(asked["method"]).upper(),
            url=url,
            path=url.removeprefix(base.rstrip("/")),
            headers=tuple(each for each in headers if each[0].lower() in _ASKED),
            body=body,
            response=Response(status, "", "HTTP/1.1", kept, content),
            is_plain=_is_plain(asked, headers, body),
            lacks_body=isinstance(content, Unread),
        )
    except (LookupError, TypeError, ValueError, AttributeError, OverflowError):
        return None


_A_DAY: Final = 86_400_000.0
_PRECISE, _COARSE = timedelta(milliseconds=2), timedelta(seconds=1)
"""How far the times of a recording may be from the true ones: with a fraction of a second, and without."""


def _headers(message: Mapping[str, Any]) -> Headers:
    pairs = ((str(each["name"]), str(each["value"])) for each in message.get("headers") or ())
    return tuple(pair for pair in pairs if not pair[0].startswith(":"))  # those of HTTP/2


def _is_cached(entry: Mapping[str, Any], given: Mapping[str, Any]) -> bool:
    headers = _headers(given)
    is_hit = "hit" in (header(headers, "x-cache") or "").lower() or header(headers, "age") not in (None, "0")
    return is_hit or any(entry.get(each) for each in _FROM_A_CACHE)


def _is_plain(asked: Mapping[str, Any], headers: Headers, body: bytes) -> bool:
    """Tell whether a call asks what its method, path, body and token say, for JSON, and nothing else."""
    accept = (header(headers, "accept") or "*/*").lower()
    stated = [header(headers, "content-length") or "0", str(asked.get("bodySize") or 0)]
    is_lost = not body and any(each.isdecimal() and int(each) > 0 for each in stated)
    is_navigation = header(headers, "sec-fetch-mode") == "navigate"
    is_json = "*/*" in accept or "json" in accept
    names = {name.lower() for name, _ in headers}
    return names <= _PLAIN and not asked.get("cookies") and is_json and not is_lost and not is_navigation


def _bytes_of(part: Mapping[str, Any]) -> bytes:
    text = str(part.get("text") or "")
    if part.get("encoding") == "base64":
        return base64.b64decode(text, validate=True)
    return text.encode("utf-8", "surrogatepass")


def _content_of(given: Mapping[str, Any], headers: Headers) -> Content:
    """Return the body of an answer, or what stands for one of which the recording lacks a part."""
    part = given.get("content") or {}
    body, size = _bytes_of(part), part.get("size")
    size = size if isinstance(size, int | float) and isfinite(size) else -1
    is_coded = body[:2] == b"\x1f\x8b" and header(headers, "content-encoding") is not None
    if is_coded or len(body) < size or (not body and (size != 0 or given["status"] != 204)):
        return Unread(repr(part).encode("utf-8", "replace"), max(int(size), 0), "the recording lacks the body")
    return body


def _without_repetitions(calls: Sequence[Call]) -> list[Call]:
    """Return the calls without those that the recording holds twice, as a browser and a gateway may write them.

    Two creations that name one request are one, also where a client repeated it with a key.
    """
    kept: dict[tuple[object, ...], Call] = {}
    for call in calls:
        named = call.response.member("requestId") if call.operation is Operation.CREATE else None
        same = named if isinstance(named, str) else (call.started, call.seconds, call.token, call.body)
        kept.setdefault((call.method, call.path, call.response.status, same), call)
    return list(kept.values())
