"""The evidence of a run as a HAR 1.2 document, and the way back from it to the exchanges.

Members that begin with an underscore are ours: `_id`, `_check`, `_operation`, `_credential`, `_intent`, `_trouble`,
`_trouble_detail` and others of an entry, `_same_as` of a body that an earlier entry holds already, `_unread` of one
that the run did not read, and `_run` of the log: what a recomputation of the verdicts needs beside the exchanges.
"""

from __future__ import annotations

import base64
from collections.abc import Iterable, Mapping
from datetime import UTC, datetime
from typing import Any, Literal
from urllib.parse import parse_qsl

from conformance import NAME, __version__
from conformance.model.exchange import (
    ErrorKind,
    Exchange,
    Headers,
    Intent,
    Operation,
    Request,
    Response,
    Superseded,
    header,
)
from conformance.model.strict_json import Content, Unread, bytes_of

LARGE = 64 * 1024
"""Bytes beyond which a body that repeats is written once only."""

_UNKNOWN_TYPE = "x-unknown"

_OF_OLDER_BUILDS = "limit"
"""The member of an intent that older builds wrote: whether there was room for a creation."""

Har = dict[str, Any]
"""A HAR document, or a part of one. Outside of this module, its exchanges are read by `exchanges_of`."""


def har(exchanges: Iterable[Exchange], *, run: Mapping[str, Any] | None = None) -> Har:
    """Return the HAR 1.2 document of `exchanges`, in their order. Times of entries are milliseconds.

    `run` holds the conditions of the run, for a recomputation.
    """
    entries = Entries()
    return {
        "log": {
            "version": "1.2",
            "creator": {"name": NAME, "version": __version__},
            "_run": dict(run or {}),
            "entries": [entries.of(exchange) for exchange in exchanges],
        }
    }


def exchanges_of(evidence: Har) -> list[Exchange]:
    """Return the exchanges of a HAR document that `har` made; raise KeyError, TypeError or ValueError for another."""
    entries = evidence["log"]["entries"]
    if len({entry["_id"] for entry in entries}) < len(entries):
        raise ValueError("two exchanges have one id")
    return [_exchange(evidence, entry) for entry in entries]


def _exchange(evidence: Har, entry: Har) -> Exchange:
    asked, given, trouble = entry["request"], entry["response"], entry["_trouble"]
    return Exchange(
        id=entry["_id"],
        check=entry["_check"],
        operation=entry["_operation"] and Operation(entry["_operation"]),
        started=datetime.fromisoformat(entry["startedDateTime"]),
        seconds=round(entry["time"] / 1000, 6),
        request=Request(
            method=asked["method"],
            url=asked["url"],
            headers=_headers(asked),
            body=body_of(evidence, entry, "request"),
            credential=entry["_credential"],
            pieces=asked.get("_pieces", 1),
        ),
        response=Response(
            status=given["status"],
            reason=given["statusText"],
            http_version=given["httpVersion"],
            headers=_headers(given),
            content=_content_of(evidence, entry, "response"),
        )
        if given["httpVersion"]
        else None,
        error=trouble and ErrorKind(trouble),
        error_detail=entry["_trouble_detail"],
        intent=_intent(entry["_intent"]),
        path=entry["_path"],
        beside=entry["_beside"],
        redirected_from=entry["_redirected_from"],
        repeats=entry.get("_repeats", ""),
        ended=entry.get("_ended", 0),
        superseded=entry.get("_superseded") and Superseded(entry["_superseded"]),
        read_by=list(entry.get("_read_by", ())),
        raised=entry.get("_raised", ""),
    )


def _intent(stated: Har) -> Intent:
    return Intent(**{name: value for name, value in stated.items() if name != _OF_OLDER_BUILDS})


def _headers(message: Har) -> Headers:
    return tuple((each["name"], each["value"]) for each in message["headers"])


def body_of(evidence: Har, entry: Har, part: Literal["request", "response"] = "response") -> bytes:
    """Return the body of `entry`, wherever in `evidence` it is kept; raise KeyError when it is nowhere."""
    return bytes_of(_content_of(evidence, entry, part))


def _content_of(evidence: Har, entry: Har, part: Literal["request", "response"]) -> Content:
    body = _body(entry, part)
    if (kept_by := body.get("_same_as")) is not None:
        holders = (other for other in evidence["log"]["entries"] if other["_id"] == kept_by)
        if (holder := next(holders, None)) is None:
            raise KeyError(kept_by)
        body = _body(holder, part)
    if (problem := body.get("_unread")) is not None:
        return Unread(f"of {kept_by or entry['_id']}".encode(), body["size"], problem)
    text: str = body.get("text", "")
    encoding = body.get("encoding", body.get("_encoding"))
    return base64.b64decode(text) if encoding == "base64" else text.encode("utf-8", "surrogatepass")


def _body(entry: Har, part: Literal["request", "response"]) -> Har:
    body: Har = entry["response"]["content"] if part == "response" else entry["request"].get("postData", {})
    return body


class Entries:
    """The entries of one document: a large body that an earlier entry holds is not written again."""

    def __init__(self) -> None:
        self._questions: dict[Content, str] = {}
        self._answers: dict[Content, str] = {}
        """The entries that hold the large bodies so far."""

    def of(self, exchange: Exchange) -> Har:
        """Return the entry of an exchange."""
        milliseconds = round(exchange.seconds * 1000, 3)
        answer = exchange.response
        version = answer.http_version if answer else "HTTP/1.1"
        started = exchange.started.astimezone(UTC).isoformat(timespec="microseconds")
        return {
            "_id": exchange.id,
            "_check": exchange.check,
            "_read_by": exchange.read_by,
            "_operation": exchange.operation.value if exchange.operation else None,
            "_credential": exchange.request.credential,
            "_intent": exchange.intent.stated(),
            "_path": exchange.path,
            "_beside": exchange.beside,
            "_redirected_from": exchange.redirected_from,
            "_repeats": exchange.repeats,
            "_ended": exchange.ended,
            "_superseded": exchange.superseded.value if exchange.superseded else None,
            "_trouble": exchange.error.value if exchange.error else None,
            "_trouble_detail": exchange.error_detail,
            "startedDateTime": started.replace("+00:00", "Z"),
            "time": milliseconds,
            "request": _request(exchange.request, version, exchange.id, self._questions),
            "response": _response(answer, exchange.id, self._answers) if answer else _no_response(),
            "cache": {},
            "timings": {"send": 0, "wait": milliseconds, "receive": 0},
            **({"_raised": exchange.raised} if exchange.raised else {}),
        }


def _with_body(members: Har, content: Content, entry_id: str, encoding_member: str, kept_by: dict[Content, str]) -> Har:
    """Return `members` and those that hold the body, or that point to the entry which does, by `kept_by`."""
    size = len(content) if isinstance(content, bytes) else content.size
    if size > LARGE:
        holder = kept_by.setdefault(content, entry_id)
        if holder != entry_id:
            return members | {"text": "", "comment": f"same content as entry {holder}", "_same_as": holder}
    if isinstance(content, Unread):
        return members | {"text": "", "comment": f"not read: {content.problem}", "_unread": content.problem}
    return members | _text_of(content, encoding_member)


def _text_of(body: bytes, encoding_member: str) -> Har:
    try:
        return {"text": body.decode("utf-8")}
    except UnicodeDecodeError:
        return {"text": base64.b64encode(body).decode("ascii"), encoding_member: "base64"}


def _request(question: Request, version: str, entry_id: str, kept_by: dict[Content, str]) -> Har:
    query = question.url.partition("#")[0].partition("?")[2]
    request: Har = {
        "method": question.method,
        "url": question.url,
        "httpVersion": version,
        "headers": _pairs(question.headers),
        "queryString": _pairs(parse_qsl(query, keep_blank_values=True)),
        "cookies": [],
        "headersSize": -1,
        "bodySize": len(question.body),
    }
    if question.pieces > 1:
        request["_pieces"] = question.pieces
    if question.body:
        label = header(question.headers, "content-type") or _UNKNOWN_TYPE
        # HAR has an encoding for what was received only; ours for what was sent is therefore underscored.
        request["postData"] = _with_body({"mimeType": label}, question.body, entry_id, "_encoding", kept_by)
    return request


def _response(answer: Response, entry_id: str, kept_by: dict[Content, str]) -> Har:
    cookies = [value for name, value in answer.headers if name.lower() == "set-cookie"]
    set_cookies = (value.partition(";")[0].partition("=") for value in cookies)
    return {
        "status": answer.status,
        "statusText": answer.reason,
        "httpVersion": answer.http_version,
        "headers": _pairs(answer.headers),
        "cookies": _pairs((name.strip(), value.strip()) for name, _, value in set_cookies),
        "content": _with_body(
            {"size": answer.size, "mimeType": answer.header("content-type") or _UNKNOWN_TYPE},
            answer.content,
            entry_id,
            "encoding",
            kept_by,
        ),
        "redirectURL": answer.header("location") or "",
        "headersSize": -1,
        # The record holds the decoded body only, so the size of a coded one is unknown.
        "bodySize": -1 if answer.header("content-encoding") else answer.size,
    }


def _no_response() -> Har:
    texts = dict.fromkeys(("statusText", "httpVersion", "redirectURL"), "")
    content = {"size": 0, "mimeType": _UNKNOWN_TYPE}
    return {"status": 0, **texts, "headers": [], "cookies": [], "content": content, "headersSize": -1, "bodySize": -1}


def _pairs(pairs: Iterable[tuple[str, str]]) -> list[dict[str, str]]:
    return [{"name": name, "value": value} for name, value in pairs]
