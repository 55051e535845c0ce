"""One exchange of the evidence as text for people: request and response, JSON laid out for reading."""

from __future__ import annotations

import re
from contextlib import suppress

import msgspec

from conformance.model.errors import trouble_of
from conformance.model.exchange import EARLIER, ErrorKind, Exchange, Headers
from conformance.model.printable import clip
from conformance.model.strict_json import Unread, depth_of

BODY_LIMIT = 4096
BODY_LINES = 80
HEADER_LIMIT = 512
HEADERS_SHOWN = 40

_LARGEST, _DEEPEST = 1 << 20, 32
"""Bytes and levels of a JSON text that is laid out, which takes two spaces of indent for each level."""

_ORIGIN = re.compile(r"^[a-z]+://[^/]*")

_TROUBLES = {
    ErrorKind.DNS: "the host name could not be resolved",
    ErrorKind.CONNECT: "no connection could be made",
    ErrorKind.TLS: "no trustworthy TLS connection could be made",
    ErrorKind.PROXY: "the proxy did not let the call through",
    ErrorKind.DEADLINE: "the response did not arrive in time",
    ErrorKind.CLOSED: "the connection was closed before a response arrived",
    ErrorKind.TRUNCATED: "the response ended early",
    ErrorKind.NOT_HTTP: "the response was not HTTP",
    ErrorKind.TOO_LARGE: "the response was larger than the suite reads",
    ErrorKind.CODING: "the content coding of the response was not accepted, or was invalid",
    ErrorKind.SILENT: "the call was not made, because others like it had no response",
}


_INTENTS = {
    "request": "{} request",
    "body": "body: {}",
    "limit": "limit: {}",
    "language": "{} language",
    "racing": "at the same time as others",
}
"""The words for what a call was meant as, by the member of its intent."""


def called(exchange: Exchange) -> str:
    """Return the method and the address of a call in one line."""
    return f"{exchange.request.method} {clip(_ORIGIN.sub('', exchange.request.url), 120)}"


def meant(exchange: Exchange) -> str:
    """Return what a call was meant as; empty if as nothing particular."""
    intent = exchange.intent.stated()
    words = [words.format(intent[name]) for name, words in _INTENTS.items() if intent.get(name)]
    return ", ".join([*words, *(["of an earlier run"] if exchange.check == EARLIER else [])])


def outcome(exchange: Exchange) -> str:
    """Return the status of the answer, or why there is none."""
    return f"no response ({exchange.error})" if exchange.error else str(exchange.status)


def question(exchange: Exchange) -> str:
    """Return the request, a long body cut at BODY_LIMIT characters or BODY_LINES lines and saying so."""
    request, response = exchange.request, exchange.response
    version = response.http_version if response else "HTTP/1.1"
    start = f"{request.method} {clip(request.url, HEADER_LIMIT)} {version}"
    return "\n".join([start, *_headers(request.headers), *_body(exchange.id, request.body)])


def answer(exchange: Exchange) -> str:
    """Return the response as the request; empty without one."""
    response = exchange.response
    if response is None:
        return ""
    status = f"{response.http_version} {response.status} {clip(response.reason, HEADER_LIMIT)}".rstrip()
    body = _body(exchange.id, response.body) or ["", "[no body]"]
    if isinstance(response.content, Unread):
        body = ["", f"[a body of {response.size:,} bytes, not read: {response.content.problem}]"]
    return "\n".join([status, *_headers(response.headers), *body])


def trouble(exchange: Exchange) -> str:
    """Return why there is no response, or why it decides nothing; empty for one that counts."""
    if exchange.superseded is not None:
        return f"The response decides nothing: {trouble_of(exchange)}."
    if not exchange.error:
        return ""
    detail = f": {exchange.error_detail}" if exchange.error_detail else ""
    return f"No response: {_TROUBLES.get(exchange.error, exchange.error)}{detail}"


def milliseconds_of(exchange: Exchange) -> float:
    """Return the duration of an exchange."""
    return round(exchange.seconds * 1000, 3)


def _headers(headers: Headers) -> list[str]:
    lines = [clip(f"{name}: {value}", HEADER_LIMIT) for name, value in headers[:HEADERS_SHOWN]]
    left = len(headers) - len(lines)
    return [*lines, f"[{left:,} more header fields]"] if left else lines


def _body(exchange_id: str, body: bytes) -> list[str]:
    text = _laid_out(body)
    shown = "\n".join(text[:BODY_LIMIT].split("\n")[:BODY_LINES])
    if len(shown) == len(text):
        return ["", shown] if body else []
    return ["", shown, f"[cut short; all {len(body):,} bytes are in evidence.har, entry {exchange_id}]"]


def _laid_out(body: bytes) -> str:
    """Return the beginning of a body as text, a JSON object or array with a line for each member and element.

    Only the space between its tokens changes, so that repeated members stay visible. What is not valid stays as it is,
    and so does what would take much memory.
    """
    if body.lstrip()[:1] in (b"{", b"[") and len(body) <= _LARGEST and depth_of(body) <= _DEEPEST:
        with suppress(msgspec.DecodeError):
            body = msgspec.json.format(body, indent=2)
    # More than BODY_LIMIT characters, each of which takes at most four bytes.
    return body[: 4 * BODY_LIMIT + 4].decode("utf-8", "backslashreplace")
