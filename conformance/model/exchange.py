"""The exchange: a recorded call with its intent, and its response or the error of transport."""

from __future__ import annotations

import re
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from functools import cached_property
from typing import Any, Final, Self
from urllib.parse import unquote

import httpx

from conformance.model import strict_json
from conformance.model.strict_json import Content, bytes_of, parsed
from conformance.model.text import LONGEST_TEXT


@dataclass(frozen=True, slots=True, kw_only=True)
class Intent:
    """The meaning of one call, stated when it is made; each member has a default that claims nothing."""

    request: str = ""
    """Of a read or deletion: "existing", "deleted", "lost", "unknown", "foreign", "clean-up", or LEFT."""
    body: str = ""
    """Of a creation: "known types", "unknown type", "unprintable type", "omitted", or "odd"."""
    types: Sequence[str] | None = None
    """The data types that the body lists."""
    label: str = ""
    """"unusual" where the body's media type is unusual, "empty" where there is a media type but no content."""
    language: str | None = None
    """"supported", "unsupported", or "malformed"; None where no language is asked for."""
    selected: bool = False
    """Whether the configured language selector is used to make GET /data answer at all."""
    offered: bool = False
    """Whether the call brings a token that it does not need."""
    open: bool = False
    """Whether the specification leaves the response open."""
    unusual: bool = False
    """Whether something between the suite and the service may refuse the call in its own words."""
    racing: bool = False
    """Whether other simultaneous calls change the same state."""
    generated: bool = False
    """Whether the call was generated."""

    def stated(self) -> dict[str, Any]:
        """Return the members that claim something, by name."""
        found = ((name, getattr(self, name)) for name in self.__slots__)
        return {name: value for name, value in found if value not in (None, "", False)}


NO_INTENT = Intent()

LEFT: Final = "left"
"""What a call asks for that an earlier run left on purpose: the request may be gone since."""

EARLIER: Final = "an earlier run"
"""The name, in place of a check, of the exchanges of an earlier run. That run judged them; here they show a request."""


class Superseded(StrEnum):
    """Why an answer decides nothing."""

    RATE_LIMITED = "rate-limited"
    """The service asks to send fewer calls."""
    UNAVAILABLE = "unavailable"
    """What is before the service has no answer of it, or refuses every call alike."""
    PASSING = "passing"
    """It did not come again when the same call was made again."""
    MISPLACED = "misplaced"
    """It did not come again either: it answered the unread body of an earlier call on the connection."""
    EXPIRED = "expired"
    """The token had expired: the same call was accepted with a new one."""


class ErrorKind(StrEnum):
    """What went wrong between the suite and the target."""

    DNS = "dns"
    CONNECT = "connect"
    TLS = "tls"
    PROXY = "proxy"
    """The proxy did not let the call through: it reached no service."""
    DEADLINE = "deadline"
    CLOSED = "closed"
    TRUNCATED = "truncated"
    NOT_HTTP = "not-http"
    TOO_LARGE = "too-large"
    CODING = "coding"
    SILENT = "silent"
    """The call was not made: calls of its kind had no answer."""
    BUDGET = "budget"


class TransportError(httpx.TransportError):
    """The call ended without a response.

    `reused` says that the connection had served an earlier call: the target may have closed it before it saw this
    request, so a request without effects may be sent again.
    """

    def __init__(self, kind: ErrorKind, detail: str, *, reused: bool = False) -> None:
        """Describe in `detail`, for a person, what happened."""
        super().__init__(detail)
        self.kind = kind
        self.detail = detail
        self.reused = reused


Headers = tuple[tuple[str, str], ...]


_CHARSET: Final = re.compile(r"\s*text/.*?;\s*charset\s*=\s*\"?([^\s;\"]+).*", re.IGNORECASE | re.DOTALL)

_HELD_BACK: Final = (ErrorKind.BUDGET, ErrorKind.SILENT)

NOT_REACHED: Final = (ErrorKind.DNS, ErrorKind.CONNECT, ErrorKind.TLS, ErrorKind.PROXY)
"""Errors of calls that were sent to a target which was not there."""

NEVER_ARRIVED: Final = (*_HELD_BACK, *NOT_REACHED)
"""Errors of calls that certainly did not reach the target."""

RETRY_LATER: Final = (Superseded.RATE_LIMITED, Superseded.UNAVAILABLE)
"""Of answers that ask the client to retry later."""

INTERRUPTED: Final = "the run was interrupted"
"""Detail of the error of calls that were given up because of a signal; creations only before they were sent."""


class Operation(StrEnum):
    """The operations of the interface: name, method and path, as the OpenAPI document has them."""

    _value_: str
    method: str
    path: str

    CREATE = "createRequest", "POST", "/requests"
    READ = "readRequest", "GET", "/requests/{requestId}"
    DELETE = "deleteRequest", "DELETE", "/requests/{requestId}"
    SETTINGS = "getSettings", "GET", "/settings"
    DATA = "getData", "GET", "/data"
    DATA_ME = "getDataMe", "GET", "/data/me"

    def __new__(cls, name: str, method: str = "", path: str = "") -> Self:
        """Make an operation; its value is its name."""
        made = str.__new__(cls, name)
        made._value_, made.method, made.path = name, method, path
        return made

    @property
    def call(self) -> str:
        """Method and path, as people write them."""
        return f"{self.method} {self.path}"


def header(headers: Headers, name: str) -> str | None:
    """Return the first value of header `name`, or None."""
    name = name.lower()
    return next((value for key, value in headers if key.lower() == name), None)


@dataclass(frozen=True, slots=True)
class Request:
    """The request as sent; `credential` says what went into Authorization ("user", "no token", "a made-up token" …).

    A traceback may show its repr(), so that has neither the header fields, which contain the token, nor the body.
    """

    method: str
    url: str
    headers: Headers = field(repr=False)
    body: bytes = field(repr=False)
    credential: str
    pieces: int = 1
    """The number of pieces in which the body was sent, with a pause between them."""


@dataclass(frozen=True)
class Response:
    """The response as received, after the content coding was undone; its repr() has nothing that may be a secret."""

    status: int
    reason: str
    http_version: str
    headers: Headers = field(repr=False)
    content: Content = field(repr=False)
    """The body, or what stands for one that is not read: of two responses quickly compared."""

    @property
    def body(self) -> bytes:
        """The body; empty where it is not read."""
        return bytes_of(self.content)

    @property
    def size(self) -> int:
        """Bytes of the body."""
        return len(self.content) if isinstance(self.content, bytes) else self.content.size

    def header(self, name: str) -> str | None:
        """Return the first value of response header `name`, or None."""
        return header(self.headers, name)

    @property
    def text(self) -> str:
        """The body as text for a person: in the charset of its Content-Type, else UTF-8; without a byte order mark.

        Of a longer body it is the beginning, `LONGEST_TEXT` bytes: binary data takes a second for each megabyte.
        """
        body = self.body[:LONGEST_TEXT]
        found = _CHARSET.fullmatch(self.header("content-type") or "")
        # Nearly every charset contains ASCII.
        if found is not None and not (body.isascii() and b"\0" not in body):
            with suppress(LookupError, ValueError):
                return body.decode(found[1], "backslashreplace").removeprefix("\ufeff")
        return body.decode("utf-8", "backslashreplace").removeprefix("\ufeff")

    @property
    def document(self) -> strict_json.Document:
        """The body, parsed strictly. Never raises: a body that is not JSON has `problem` set."""
        return parsed(self.content)

    def member(self, name: str) -> Any:
        """Return a member of the JSON object in the body; None if there is no such object or member."""
        value = self.document.value
        return value.get(name) if isinstance(value, dict) else None

    @cached_property
    def media_type(self) -> str | None:
        """The media type of the body in lower case without parameters, or None if there is none."""
        label = self.header("content-type")
        return label.partition(";")[0].strip().lower() if label and label.strip() else None


Moment = tuple[float, int]
"""Seconds of the clock of a run, and the place of the call in it, which orders equal ones."""


@dataclass
class Exchange:
    """One exchange of a run. Once over it has a `response` or an `error`."""

    id: str
    check: str
    operation: Operation | None
    started: datetime
    """The start of the run and the seconds of a monotonic clock since: nothing that sets a clock changes the order."""
    request: Request
    response: Response | None = None
    error: ErrorKind | None = None
    error_detail: str = ""
    seconds: float = 0.0
    intent: Intent = NO_INTENT
    path: str = ""
    """Of the call, below base_url, percent-encoded."""
    beside: str = ""
    """The group of simultaneous calls that it belongs to, with its place in the group, such as "g2#0"."""
    redirected_from: str = ""
    """The id of the exchange whose redirect led here."""
    redirected_to: str = ""
    repeats: str = ""
    """The id of the exchange whose request was sent again: after a pause, with a new token, or on a new connection."""
    superseded: Superseded | None = None
    """Why its answer decides nothing."""
    ended: int = 0
    """The place in the order in which the exchanges of the run ended, counted from 1."""
    raised: str = ""
    """The traceback of what the code of the service raised, where the suite serves the application itself."""

    # Rules compare the following often, so they are values.
    number: int = field(init=False)
    """The place in the run, counted from 1."""
    request_id: str = field(init=False)
    """The identifier in the path of a read or deletion, decoded; a redirect may have added a slash to the path."""
    status: int = field(init=False)
    """The status of the answer; 0 if there is none."""
    was_sent: bool = field(init=False)
    """Whether the call went out; a budget or the transport may hold one back."""
    counts: bool = field(init=False)
    """Whether there is an answer that decides something."""
    failed: bool = field(init=False)
    """Whether the answer is a server error that counts."""
    sent: Moment = field(init=False)
    """When the call began. It was certainly sent after another one if that was over before: simultaneous calls have
    both orders."""
    over: Moment = field(init=False)
    """When the answer had come, or the call was given up."""

    def __repr__(self) -> str:
        """Return call and answer, without what may contain secrets."""
        answer = self.response.status if self.response is not None else self.error
        return f"<{self.id}: {self.request.method} {self.path}, answered {answer}>"

    def __post_init__(self) -> None:
        self.settle()

    def settle(self) -> None:
        """Set the members that follow from the others. Code that changes one of those calls this afterwards."""
        self.number = int(self.id.removeprefix("e") or 0)
        self.request_id = unquote(str(self.path).removesuffix("/").rpartition("/")[2])
        self.status = 0 if self.response is None else self.response.status
        self.was_sent = self.error not in _HELD_BACK
        self.counts = self.response is not None and self.superseded is None
        self.failed = self.counts and self.status >= 500
        began = self.started.timestamp()
        self.sent, self.over = (began, self.number), (began + self.seconds, self.number)

    def member(self, name: str) -> Any:
        """Return a member of the JSON object in the answer; None without such an answer or member."""
        return None if self.response is None else self.response.member(name)

    def supersede(self, reason: Superseded) -> None:
        """Let the answer decide nothing."""
        self.superseded, self.counts, self.failed = reason, False, False


CONFLICTS: Final = (409, 423)
"""The statuses by which a service refuses a call beside another one: a conflict, or a locked resource."""


def state_of(exchange: Exchange) -> bool | None:
    """Return isCompleted of an accepted creation or reading (2.1); None if it shows no state."""
    state = exchange.member("isCompleted") if exchange.counts and 200 <= exchange.status < 300 else None
    return state if isinstance(state, bool) else None


MISSING: Final = (404, 410)
"""Statuses that say of a request that it does not exist. Only 404 is in the table of errors (7)."""


def is_missing(exchange: Exchange) -> bool:
    """Tell whether a reading or a deletion was answered that the request does not exist."""
    return exchange.operation in (Operation.READ, Operation.DELETE) and exchange.counts and exchange.status in MISSING


def is_missing_again(deletion: Exchange) -> bool:
    """Tell whether a deletion that was made again found nothing: the first one may have removed the request."""
    return bool(deletion.repeats) and is_missing(deletion)


def operation(method: str, path: str) -> Operation | None:
    """Return the operation of section 4 that a method and a path below base_url name, or None."""
    for each in Operation:
        if (each.method, each.path) == (method, path):
            return each
    head, _, segment = path.removeprefix("/").partition("/")
    if head == "requests" and segment and "/" not in segment:
        return {"GET": Operation.READ, "DELETE": Operation.DELETE}.get(method)
    return None


def same_origin(one: httpx.URL | str, other: httpx.URL | str) -> bool:
    """Tell whether two addresses have the same scheme, host and port."""
    first, second = httpx.URL(one), httpx.URL(other)
    return (first.scheme, first.raw_host, first.port) == (second.scheme, second.raw_host, second.port)


def redirect_of(exchange: Exchange) -> httpx.URL | None:
    """Return where the response redirects to; None if it is no redirect, or names no address."""
    answer = exchange.response
    location = answer.header("location") if answer else None
    if answer is None or location is None or answer.status not in (301, 302, 303, 307, 308):
        return None
    try:
        here = httpx.URL(exchange.request.url)
        there = here.join(location)
    except (httpx.InvalidURL, ValueError):
        return None
    named = (header(exchange.request.headers, "host") or "").encode()
    # The host that the call named is the origin of the call, wherever it was sent.
    if there.scheme == here.scheme and there.netloc == named != here.netloc:
        return there.copy_with(netloc=here.netloc)
    return there
