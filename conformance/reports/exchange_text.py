"""One exchange of the evidence as text for people: request and response, JSON laid out for reading."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any, Literal

from conformance.model.text import clip
from conformance.reports.har import body_of

BODY_LIMIT = 4096
BODY_LINES = 80
HEADER_LIMIT = 512
HEADERS_SHOWN = 40

_PIECE = re.compile(r'"(?:[^"\\]|\\.)*"?|\{\s*\}|\[\s*\]|[\[\]{},:]|[^\s\[\]{},:"]+|\s+', re.DOTALL)
_DEEPEST = 12
"""Levels that are indented; what is nested deeper stays at this depth, so the result is never much longer."""

_ORIGIN = re.compile(r"^[a-z]+://[^/]*")

_TROUBLES = {
    "dns": "the host name could not be resolved",
    "connect": "no connection could be made",
    "tls": "no trustworthy TLS connection could be made",
    "deadline": "the response did not arrive in time",
    "closed": "the connection was closed before a response arrived",
    "truncated": "the response ended early",
    "not-http": "the response was not HTTP",
    "too-large": "the response was larger than the suite reads",
    "coding": "the content coding of the response was not accepted, or was invalid",
    "rate-limited": "the target asked to slow down for longer than the run allows",
    "unavailable": "the target said that it was unavailable",
    "misplaced": "the response answers the body of an earlier request",
    "blocked": "the suite's safety rules prevented the request",
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
    """Request and response of an exchange; `answer` is empty if `trouble` states why there is none."""

    question: str
    answer: str
    trouble: str


def exchange_line(entry: dict[str, Any]) -> Line:
    """Return `entry` as one line."""
    request, intent = entry["request"], entry["_intent"]
    return Line(
        who=entry["_credential"] or "no token",
        what=f"{request['method']} {clip(_ORIGIN.sub('', request['url']), 120)}",
        meant=", ".join(words.format(intent[name]) for name, words in _INTENTS.items() if intent.get(name)),
        outcome=f"no response ({entry['_trouble']})" if entry["_trouble"] else str(entry["response"]["status"]),
        milliseconds=entry["time"],
    )


def exchange_text(evidence: dict[str, Any], entry: dict[str, Any]) -> ExchangeText:
    """Return `entry` as text, long bodies cut at BODY_LIMIT characters or BODY_LINES lines and saying so."""
    request, response = entry["request"], entry["response"]
    word, detail = entry["_trouble"], entry["_trouble_detail"]
    trouble = f"No response: {_TROUBLES.get(word, word)}{f': {detail}' if detail else ''}" if word else ""
    start = f"{request['method']} {clip(request['url'], HEADER_LIMIT)} {request['httpVersion']}"
    status = f"{response['httpVersion']} {response['status']} {clip(response['statusText'], HEADER_LIMIT)}".rstrip()
    return ExchangeText(
        question="\n".join([start, *_headers(request), *_body(evidence, entry, "request")]),
        answer="" if trouble else "\n".join([status, *_headers(response), *_body(evidence, entry, "response")]),
        trouble=trouble,
    )


def _headers(message: dict[str, Any]) -> list[str]:
    headers = message["headers"]
    lines = [clip(f"{pair['name']}: {pair['value']}", HEADER_LIMIT) for pair in headers[:HEADERS_SHOWN]]
    left = len(headers) - len(lines)
    return [*lines, f"[{left:,} more header fields]"] if left else lines


def _body(evidence: dict[str, Any], entry: dict[str, Any], part: Literal["request", "response"]) -> list[str]:
    body = body_of(evidence, entry, part)
    if not body:
        return ["", "[no body]"] if part == "response" else []
    # A character takes at most four bytes.
    text = body[: 4 * BODY_LIMIT].decode("utf-8", "backslashreplace")
    lines = (lay_out(text[:BODY_LIMIT]) if looks_like_json(text) else text[:BODY_LIMIT]).split("\n")
    shown = "\n".join(lines[:BODY_LINES])
    if len(lines) <= BODY_LINES and len(text) <= BODY_LIMIT and len(body) <= 4 * BODY_LIMIT:
        return ["", shown]
    return ["", shown, f"[cut short; all {len(body):,} bytes are in evidence.har, entry {entry['_id']}]"]


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
