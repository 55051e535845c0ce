"""One exchange of the evidence as text for people: request and response, JSON laid out for reading."""

from __future__ import annotations

import re
from dataclasses import dataclass

from conformance.model.errors import trouble_of
from conformance.model.exchange import ErrorKind, Exchange, Headers, Response
from conformance.model.printable import clip
from conformance.model.strict_json import Unread

BODY_LIMIT = 4096
BODY_LINES = 80
HEADER_LIMIT = 512
HEADERS_SHOWN = 40

_PIECE = re.compile(r'"(?:[^"\\]|\\.)*"?|\{\s*\}|\[\s*\]|[\[\]{},:]|[^\s\[\]{},:"]+|\s+', re.DOTALL)
_DEEPEST = 12
"""Levels that are indented; what is nested deeper stays at this depth, so the result is never much longer."""

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


@dataclass(frozen=True)
class Line:
    """An exchange in one line: who called what and why, and how the service answered."""

    who: str
    what: str
    meant: str
    outcome: str
    milliseconds: float

    @property
    def kind(self) -> tuple[str, str]:
        """What repetitions of one call have in common."""
        return self.what.partition("?")[0], self.outcome


@dataclass(frozen=True)
class ExchangeText:
    """Request and response of an exchange; `trouble` states why there is no response, or why it decides nothing.

    `raised` is the traceback of what the code of the service raised, if that is known.
    """

    question: str
    answer: str
    trouble: str
    raised: str = ""


def exchange_line(exchange: Exchange) -> Line:
    """Return an exchange as one line."""
    request, intent = exchange.request, exchange.intent.stated()
    return Line(
        who=request.credential or "no token",
        what=f"{request.method} {clip(_ORIGIN.sub('', request.url), 120)}",
        meant=", ".join(words.format(intent[name]) for name, words in _INTENTS.items() if intent.get(name)),
        outcome=f"no response ({exchange.error})" if exchange.error else str(exchange.status),
        milliseconds=exchange.seconds * 1000,
    )


def exchange_text(exchange: Exchange) -> ExchangeText:
    """Return an exchange as text, long bodies cut at BODY_LIMIT characters or BODY_LINES lines and saying so."""
    request, response, word, detail = exchange.request, exchange.response, exchange.error, exchange.error_detail
    trouble = f"No response: {_TROUBLES.get(word, word)}{f': {detail}' if detail else ''}" if word else ""
    if exchange.superseded is not None:
        trouble = f"The response decides nothing: {trouble_of(exchange)}."
    version = response.http_version if response else "HTTP/1.1"
    start = f"{request.method} {clip(request.url, HEADER_LIMIT)} {version}"
    return ExchangeText(
        question="\n".join([start, *_headers(request.headers), *_body(exchange.id, request.body)]),
        answer="" if response is None else _answer(exchange.id, response),
        trouble=trouble,
        raised=exchange.raised,
    )


def _answer(exchange_id: str, response: Response) -> str:
    status = f"{response.http_version} {response.status} {clip(response.reason, HEADER_LIMIT)}".rstrip()
    body = _body(exchange_id, response.body) or ["", "[no body]"]
    if isinstance(response.content, Unread):
        body = ["", f"[a body of {response.size:,} bytes, not read: {response.content.problem}]"]
    return "\n".join([status, *_headers(response.headers), *body])


def _headers(headers: Headers) -> list[str]:
    lines = [clip(f"{name}: {value}", HEADER_LIMIT) for name, value in headers[:HEADERS_SHOWN]]
    left = len(headers) - len(lines)
    return [*lines, f"[{left:,} more header fields]"] if left else lines


def _body(exchange_id: str, body: bytes) -> list[str]:
    if not body:
        return []
    # A character takes at most four bytes.
    text = body[: 4 * BODY_LIMIT].decode("utf-8", "backslashreplace")
    lines = (lay_out(text[:BODY_LIMIT]) if looks_like_json(text) else text[:BODY_LIMIT]).split("\n")
    shown = "\n".join(lines[:BODY_LINES])
    if len(lines) <= BODY_LINES and len(text) <= BODY_LIMIT and len(body) <= 4 * BODY_LIMIT:
        return ["", shown]
    return ["", shown, f"[cut short; all {len(body):,} bytes are in evidence.har, entry {exchange_id}]"]


def looks_like_json(text: str) -> bool:
    """Tell whether `text` begins as a JSON object or array does."""
    return text.lstrip()[:1] in ("{", "[")


def lay_out(text: str) -> str:
    """Return JSON with a line for each member and element; only the space between tokens changes.

    Nothing is parsed, so repeated members and errors stay visible, and a text that was cut does no harm.
    """
    parts: list[str] = []
    depth = 0
    for piece in _PIECE.findall(text):
        match piece:
            case "{" | "[":
                depth += 1
                parts += [piece, _line(depth)]
            case "}" | "]":
                depth -= 1
                parts += [_line(depth), piece]
            case ",":
                parts += [piece, _line(depth)]
            case ":":
                parts.append(": ")
            case _ if piece[0] in "{[":
                parts.append(piece[0] + piece[-1])
            case _ if not piece.isspace():
                parts.append(piece)
    return "".join(parts)


def _line(depth: int) -> str:
    return "\n" + "  " * max(0, min(depth, _DEEPEST))
