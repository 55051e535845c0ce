"""The evidence of a run as a HAR 1.2 document, and the way back from it to the exchanges and to the trace.

Members that begin with an underscore are ours: `_id`, `_check`, `_operation`, `_credential`, `_intent`, `_trouble`,
`_trouble_detail` and others of an entry, `_same_as` of a body that an earlier entry holds already, `_unread` of one
that the run did not read, and `_run` of the log: what a recomputation of the verdicts needs beside the exchanges.
"""

from __future__ import annotations

import base64
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from datetime import UTC, datetime
from enum import StrEnum
from functools import lru_cache
from operator import attrgetter
from typing import Any, Final
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
from conformance.model.run_record import Conditions
from conformance.model.strict_json import LARGE, Content, Unread
from conformance.trace import codec
from conformance.trace.trace import Trace

_UNKNOWN_TYPE = "x-unknown"

_MEMBERS = (
    *("id", "check", "operation", "path", "beside", "redirected_from", "repeats", "ended"),
    *("superseded", "raised"),
)
"""The members of an exchange that an entry has under the same names, each after an underscore."""

_WORDS: Mapping[str, Callable[[str], StrEnum]] = {"operation": Operation, "superseded": Superseded}
"""Those that are words of the suite."""

_NO_ANSWER = Response(status=0, reason="", http_version="", headers=(), content=b"")

Har = dict[str, Any]
"""A HAR document, or a part of one. Outside of this module, its exchanges are read by `exchanges_of`."""


def har(exchanges: Iterable[Exchange], conditions: Conditions | None = None) -> Har:
    """Return the HAR 1.2 document of `exchanges`, in their order, without digests. Times of entries are milliseconds.

    The `conditions` of the run are for a recomputation.
    """
    entries = Entries()
    return {
        "log": {
            "version": "1.2",
            "creator": {"name": NAME, "version": __version__},
            "_run": {} if conditions is None else data_of(conditions),
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
    members = {name: entry[f"_{name}"] for name in _MEMBERS if f"_{name}" in entry}
    members |= {name: members[name] and kind(members[name]) for name, kind in _WORDS.items()}
    return Exchange(
        **members,
        started=datetime.fromisoformat(entry["startedDateTime"]),
        seconds=round(entry["time"] / 1000, 6),
        request=Request(
            method=asked["method"],
            url=asked["url"],
            headers=_headers(asked),
            body=_bytes_in(asked.get("postData", {})),
            credential=entry["_credential"],
            pieces=asked.get("_pieces", 1),
        ),
        response=Response(
            status=given["status"],
            reason=given["statusText"],
            http_version=given["httpVersion"],
            headers=_headers(given),
            content=_content_of(evidence, entry),
        )
        if given["httpVersion"]
        else None,
        error=trouble and ErrorKind(trouble),
        error_detail=entry["_trouble_detail"],
        intent=Intent(**entry["_intent"]),
    )


def _headers(message: Har) -> Headers:
    return _shared(tuple((each["name"], each["value"]) for each in message["headers"]))


_shared: Final = lru_cache(maxsize=256)(tuple[tuple[str, str], ...])
"""Returns the same object for equal header fields: most exchanges have those of another one."""


def _content_of(evidence: Har, entry: Har) -> Content:
    """Return the body of a response, also if another entry holds it; raise KeyError when none does."""
    content = entry["response"]["content"]
    if (kept_by := content.get("_same_as")) is not None:
        holders = {each["_id"]: each["response"]["content"] for each in evidence["log"]["entries"]}
        content = holders[kept_by]
    if (problem := content.get("_unread")) is not None:
        return Unread(f"of {kept_by or entry['_id']}".encode(), content["size"], problem)
    return _bytes_in(content)


def _bytes_in(part: Har) -> bytes:
    text: str = part.get("text", "")
    encoding = part.get("encoding", part.get("_encoding"))
    return base64.b64decode(text) if encoding == "base64" else text.encode("utf-8", "surrogatepass")


class Entries:
    """The entries of one document: a large body that an earlier entry holds is not written again."""

    def __init__(self) -> None:
        self._kept_by: dict[Content, str] = {}
        """The entries that hold the large bodies so far."""

    def of(self, exchange: Exchange) -> Har:
        """Return the entry of an exchange."""
        milliseconds = round(exchange.seconds * 1000, 3)
        answer = exchange.response or _NO_ANSWER
        started = exchange.started.astimezone(UTC).isoformat(timespec="microseconds")
        return {
            **{f"_{name}": getattr(exchange, name) for name in _MEMBERS},
            "_credential": exchange.request.credential,
            "_intent": exchange.intent.stated(),
            "_trouble": exchange.error,
            "_trouble_detail": exchange.error_detail,
            "startedDateTime": started.replace("+00:00", "Z"),
            "time": milliseconds,
            "request": _request(exchange.request, answer.http_version or "HTTP/1.1"),
            "response": _response(answer, self._content(answer, exchange.id)),
            "cache": {},
            "timings": {"send": 0, "wait": milliseconds, "receive": 0},
        }

    def _content(self, answer: Response, entry_id: str) -> Har:
        """Return what holds the body of an answer, or points to the entry that does."""
        content = answer.content
        described = {"size": answer.size, "mimeType": answer.header("content-type") or _UNKNOWN_TYPE}
        holder = self._kept_by.setdefault(content, entry_id) if answer.size > LARGE else entry_id
        if holder != entry_id:
            return described | {"text": "", "comment": f"same content as entry {holder}", "_same_as": holder}
        if isinstance(content, Unread):
            return described | {"text": "", "comment": f"not read: {content.problem}", "_unread": content.problem}
        return described | _text_of(content, "encoding")


def _text_of(body: bytes, encoding_member: str) -> Har:
    try:
        return {"text": body.decode("utf-8")}
    except UnicodeDecodeError:
        return {"text": base64.b64encode(body).decode("ascii"), encoding_member: "base64"}


def _request(question: Request, version: str) -> Har:
    query = question.url.partition("#")[0].partition("?")[2]
    request: Har = {
        "method": question.method,
        "url": question.url,
        "httpVersion": version,
        "headers": _pairs(question.headers),
        "queryString": _pairs(tuple(parse_qsl(query, keep_blank_values=True))),
        "cookies": [],
        "headersSize": -1,
        "bodySize": len(question.body),
    }
    if question.pieces > 1:
        request["_pieces"] = question.pieces
    if question.body:
        label = header(question.headers, "content-type") or _UNKNOWN_TYPE
        # HAR has an encoding for what was received only; ours for what was sent is therefore underscored.
        request["postData"] = {"mimeType": label, **_text_of(question.body, "_encoding")}
    return request


def _response(answer: Response, content: Har) -> Har:
    cookies = [value for name, value in answer.headers if name.lower() == "set-cookie"]
    set_cookies = (value.partition(";")[0].partition("=") for value in cookies)
    return {
        "status": answer.status,
        "statusText": answer.reason,
        "httpVersion": answer.http_version,
        "headers": _pairs(answer.headers),
        "cookies": _pairs(tuple((name.strip(), value.strip()) for name, _, value in set_cookies)),
        "content": content,
        "redirectURL": answer.header("location") or "",
        "headersSize": -1,
        # The record holds the decoded body only, so the size of a coded one is unknown.
        "bodySize": -1 if answer.header("content-encoding") else answer.size,
    }


@lru_cache(maxsize=256)  # most exchanges have the fields of another one
def _pairs(pairs: tuple[tuple[str, str], ...]) -> list[dict[str, str]]:
    return [{"name": name, "value": value} for name, value in pairs]


def trace_of(evidence: Har, base_url: str, result_types: Mapping[str, Any]) -> Trace:
    """Return the trace that evidence holds; `result_types` are by the names of the scenarios.

    A scenario that is not in `result_types` is one of another build, and is left out. Raise LookupError, TypeError,
    ValueError or AttributeError for evidence that the suite did not write.
    """
    conditions = conditions_in(evidence)
    exchanges = sorted(exchanges_of(evidence), key=attrgetter("number"))
    by_id = {each.id: each for each in exchanges}
    for each in exchanges:
        if each.redirected_from:
            by_id[each.redirected_from].redirected_to = each.id
    named: dict[str, dict[str, Exchange]] = {name: {} for name in result_types}
    return Trace(
        exchanges,
        replace(conditions.target, base_url=base_url),
        results={
            name: codec.read(data, result_types[name], by_id, named[name])
            for name, data in conditions.results.items()
            if name in result_types
        },
        ends={
            name: codec.read(data, Exception, by_id, named[name])
            for name, data in conditions.ends.items()
            if name in result_types
        },
        named={name: tuple(shown.values()) for name, shown in named.items()},
        conditions=conditions,
    )


def data_of(conditions: Conditions) -> dict[str, Any]:
    """Return conditions as evidence has them: without those that have their default."""
    usual, given = codec.written(Conditions()), codec.written(conditions)
    return {name: value for name, value in given.items() if name == _ALWAYS or value != usual[name]}


def conditions_in(evidence: Har) -> Conditions:
    """Return the conditions of a run; those of another build may have other members. Raise as `trace_of` does."""
    conditions: Conditions = codec.read({_ALWAYS: None, **evidence["log"]["_run"]}, Conditions, {})
    return conditions


_ALWAYS: Final = "target"
"""The condition that every evidence has."""
