"""The notation of the smallest traces at a check, which docs/traces.md describes, and the traces it stands for.

`c1`, `c2` and so on are identifiers that count. They count in sevens: the calls are a second apart, so that others
would be clocks.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from itertools import chain, groupby
from random import Random
from typing import Any, Final
from uuid import UUID

from hand_made import SETTINGS, data_type
from results_by_parts import Part, result_of

from conformance.model.error_table import CONDITIONS, KNOWN_CREDENTIALS
from conformance.model.errors import NotDecided
from conformance.model.exchange import ErrorKind, Exchange, Intent, Operation, Request, Response, Superseded, operation
from conformance.model.run_record import Conditions
from conformance.model.target import Budget, Target
from conformance.trace.trace import Trace

LISTED: Final = ("a", "b")
"""The data types that the service lists; a trace may have lists with others."""

BASE: Final = "https://service.test/api"

BEGIN: Final = datetime(2026, 1, 31, 12, tzinfo=UTC)
"""When the first call began; each call is answered within half a second, and the next one begins a second later."""

_CALLERS: Final = {"user": "user", "other": "other user", "anonymous": "no token"}
_OPTIONS: Final[Mapping[str, dict[str, Any]]] = {
    "--empty-account": {"account_is_empty": True},
    "--thorough": {"budget": Budget(thorough=True)},
}
_ERRORS: Final = {each.error: each for each in CONDITIONS}
_USUAL_ERRORS: Final = {401: "Unauthorized", 404: "Not Found"}
_LINE: Final = re.compile(
    r"""(?P<beside>\|\s*)?
    ((?P<part>[a-z_]\w*(?:\.\w+|\[[^\]]+\])*):\s+)?
    ((?P<caller>user|other|anonymous|"[^"]+")\s+)?
    (?P<method>GET|POST|DELETE|HEAD|PUT)\s*
    (?P<path>/\S*|[^\s\[{-]\S*)?\s*
    (?P<types>\[[^\]]*\])?\s*
    ->\s*(?P<status>\S+)\s*(?P<answer>.*?)
    (\s*with\ (?P<header>[A-Za-z-]+):\ (?P<value>.*))?""",
    re.VERBOSE,
)
_RANGE: Final = re.compile(r"(?P<letter>[rc])(?P<first>\d+) \.\.\. (?P=letter)(?P<last>\d+)")
_VALUE: Final = re.compile(r"(?P<part>[a-z_]\w*(?:\.\w+|\[[^\]]+\])*)\s*=\s*(?P<value>.*)")
_END: Final = re.compile(r"(?P<scenario>[a-z_]+) ended: (?P<why>.*)")


class Unreadable(ValueError):
    """A line that is not in the notation, or lacks what another one needs."""


def request_id(name: str) -> str:
    """Return the identifier that a short name stands for: r1 is random, c1 counts; any other text is one itself."""
    found = re.fullmatch(r"([rc])(\d+)", name)
    if found is None:
        return name
    counted = found[1] == "c"
    number = Random("c").getrandbits(128) + 7 * int(found[2]) if counted else Random(name).getrandbits(128)
    return str(UUID(int=number, version=4))


def steps_of(text: str, verdict: str) -> list[str]:
    """Return the steps of the trace with a verdict, FAIL or PASS: a line each, or those of simultaneous calls.

    What a check says in an open matter is no step.
    """
    lines = [each.strip() for each in text.splitlines() if each.strip() and not each.strip().startswith("SAYS ")]
    marked = [(each.partition(" ")[0], each) for each in lines]
    mine = [
        line.removeprefix(mark).strip() if mark == verdict else line
        for mark, line in marked
        if mark == verdict or mark not in ("FAIL", "PASS")
    ]
    groups = groupby(enumerate(mine), lambda each: "beside" if each[1].startswith("|") else each[0])
    return ["\n".join(line for _, line in group) for _, group in groups]


def observation_of(text: str) -> str:
    """Return what a check of an open matter says of its trace."""
    return next(found[1] for line in text.splitlines() if (found := re.fullmatch(r"\s*SAYS\s+(.*?)\s*", line)))


def _calls_of(line: str) -> list[str]:
    """Return a line for each call of one that has a range of requests."""
    found = _RANGE.search(line)
    if found is None:
        return [line]
    numbers = range(int(found["first"]), int(found["last"]) + 1)
    return [line.replace(found[0], f"{found['letter']}{number}") for number in numbers]


def trace_of(steps: Iterable[str]) -> Trace:
    """Return the trace that steps in the notation describe; raise Unreadable, which names the line."""
    return _Reading().trace([line for step in steps for line in step.splitlines()])


def trace_in(text: str) -> Trace:
    """Return the trace of a text with `;` between its steps."""
    return trace_of(step.strip() for step in text.split(";"))


def call_in(text: str, **meant: Any) -> Exchange:
    """Return the last call of the trace in a text; members of its intent that the trace does not show may be given."""
    call = trace_in(text).exchanges[-1]
    call.intent = replace(call.intent, **meant)
    return call


class _Reading:
    """A trace while it is read."""

    def __init__(self) -> None:
        self.exchanges: list[Exchange] = []
        self.results = Part()
        self.ends: dict[str, Exception] = {}
        self.options: dict[str, Any] = {}
        self.documents: dict[str, dict[str, Any]] = {}
        """The documents of the creations, by requestId."""
        self.owners: dict[str, str] = {}
        self.deleted: set[str] = set()
        self.listed = set(LISTED)
        self.groups = 0
        self.goes_on = False
        """Whether the last line was of a simultaneous call."""

    def trace(self, lines: list[str]) -> Trace:
        calls = [found for line in lines if (found := _LINE.fullmatch(line))]
        self.listed |= {each for call in calls if call["path"] == "/data" for each in _types(call["answer"])}
        # A request that a trace does not create was there before, if any answer finds it.
        self.owners |= {request_id(call["path"]): "user" for call in calls if call["path"] and call["status"] == "200"}
        for line in chain.from_iterable(map(_calls_of, lines)):
            try:
                self._read(line)
            except (LookupError, TypeError, ValueError) as error:
                raise Unreadable(f"{line!r}: {error}") from error
        try:
            results = {name: result_of(name, part) for name, part in self.results.parts.items()}
        except (LookupError, TypeError, ValueError) as error:
            raise Unreadable(str(error)) from error
        callers = {each.request.credential for each in self.exchanges}
        return Trace(
            self.exchanges,
            Target(**{"base_url": BASE, "account_is_for_testing": True, **self.options}),
            results=results,
            ends=self.ends,
            conditions=Conditions(
                users=tuple(each for each in KNOWN_CREDENTIALS if each == "user" or each in callers),
                ever_listed=tuple(self.listed),
            ),
        )

    def _read(self, line: str) -> None:
        option, _, value = line.partition(" ")
        if option in _OPTIONS:
            self.options |= _OPTIONS[option]
        elif option == "--base-url":
            self.options["base_url"] = value
        elif found := _LINE.fullmatch(line):
            self._call(**found.groupdict())
        elif found := _END.fullmatch(line):
            self.ends[found["scenario"]] = NotDecided(found["why"])
        elif found := _VALUE.fullmatch(line):
            self.results.at(found["part"]).value = found["value"]
        else:
            raise ValueError("it is no call with an answer, value or option")

    def _call(
        self, *, part: str | None, beside: str | None, method: str, path: str | None, **words: str | None
    ) -> None:
        one = ""
        if method == "POST":
            path = path or "/requests"
        elif path is not None and not path.startswith("/"):
            one = request_id(path)
            path = f"/requests/{one}"
        asked = operation(method, path or "")
        at_requests = (path or "").startswith("/requests")
        caller = words["caller"] or ("user" if at_requests else "anonymous")
        credential = _CALLERS.get(caller, caller.strip('"'))
        types_asked = None if words["types"] is None else _types(words["types"])
        number = len(self.exchanges) + 1
        if beside and not self.goes_on:
            self.groups += 1
        # Simultaneous calls begin with the first of their group.
        again = beside and self.goes_on
        started = self.exchanges[-1].started if again else BEGIN + timedelta(seconds=number)
        self.goes_on = bool(beside)
        exchange = Exchange(
            f"e{number}",
            "a check",
            asked,
            started,
            Request(
                method,
                BASE + (path or ""),
                (("Authorization", f"Bearer [{credential}]"),) if credential in KNOWN_CREDENTIALS else (),
                b"" if types_asked is None else _json(types_asked),
                credential,
            ),
            seconds=0.5,
            intent=Intent(**self._meant(asked, one, credential, types_asked), racing=bool(beside)),
            path=path or "",
            beside=f"g{self.groups}#{number}" if beside else "",
        )
        self._answer(exchange, one, types_asked, words)
        self.exchanges.append(exchange)
        if part:
            self.results.at(part).exchanges.append(exchange)

    def _meant(self, asked: Operation | None, one: str, credential: str, sent: list[str] | None) -> dict[str, Any]:
        """Return what a call means, by what came before it."""
        if asked is Operation.CREATE:
            known = sent is None or set(sent) <= self.listed
            return {"body": "omitted" if sent is None else "known types" if known else "unknown type", "types": sent}
        if asked not in (Operation.READ, Operation.DELETE):
            return {}
        if one in self.deleted:
            return {"request": "deleted"}
        owner = self.owners.get(one)
        if owner is None:
            return {"request": "unknown"}
        is_foreign = credential in KNOWN_CREDENTIALS and credential != owner
        return {"request": "foreign" if is_foreign else "existing"}

    def _answer(self, exchange: Exchange, one: str, sent: list[str] | None, words: Mapping[str, str | None]) -> None:
        status, answer = words["status"] or "", words["answer"] or ""
        if not status.isdecimal():
            exchange.error, exchange.error_detail = ErrorKind(status), status
            exchange.settle()
            return
        body, label = self._body(exchange, int(status), answer, one, sent)
        headers = {"Content-Type": label} if label else {}
        if words["header"]:
            headers[words["header"]] = words["value"] or ""
        exchange.response = Response(int(status), "", "HTTP/1.1", tuple(headers.items()), body)
        exchange.settle()
        if status in ("429", "503"):
            exchange.supersede(Superseded.RATE_LIMITED if status == "429" else Superseded.UNAVAILABLE)

    def _body(
        self, exchange: Exchange, status: int, answer: str, one: str, sent: list[str] | None
    ) -> tuple[bytes, str]:
        """Return the body of an answer and its media type."""
        if answer.startswith("'"):
            return answer[1:-1].encode(), "application/json"
        words, brace, rest = answer.partition("{")
        changes = json.loads(brace + rest) if brace else {}
        words = words.strip()
        if words in _ERRORS or (status in _USUAL_ERRORS and not words):
            row = _ERRORS[words or _USUAL_ERRORS[status]]
            return _json({"error": row.error, "message": row.message} | changes), "application/json"
        if not 200 <= status < 300:
            if words:
                raise ValueError(f"{words!r} is no error of the table")
            return _json(changes) if changes else b"", "application/json"
        match exchange.operation:
            case Operation.DELETE:
                self.deleted.add(one)
                return b"OK", "text/plain"
            case Operation.CREATE | Operation.READ:
                return _json(self._document(exchange, words, changes, one, sent)), "application/json"
            case Operation.SETTINGS:
                limit = {"maxNumberOfRequests": int(words.removeprefix("limit "))} if words else {}
                return _json(SETTINGS | limit | changes), "application/json"
            case Operation.DATA:
                return _json([data_type(each) | changes for each in _types(words) or LISTED]), "application/json"
        return _json(changes), "application/json"

    def _document(
        self, exchange: Exchange, words: str, changes: dict[str, Any], one: str, sent: list[str] | None
    ) -> dict[str, Any]:
        """Return the data request that a creation or a reading shows."""
        name, _, state = words.partition(" ")
        if words in ("", "completed", "in progress"):
            name, state = "", words
        if name and not re.search(r"\d", name):
            raise ValueError(f"{name!r} is no state of a request, and no identifier")
        shown = request_id(name) if name else one
        if exchange.operation is Operation.CREATE and not name and "requestId" not in changes:
            raise ValueError("the creation names no request, such as r1")
        moment = f"{exchange.started:%Y-%m-%dT%H:%M:%SZ}"
        usual = {"createdAt": moment, "isCompleted": False, "dataRequested": list(sent or LISTED)}
        before = {} if exchange.operation is Operation.CREATE else self.documents.get(shown, {})
        document = {"requestId": shown} | usual | before
        if state == "completed":
            document |= {"isCompleted": True, "completedAt": moment}
        elif state not in ("", "in progress"):
            raise ValueError(f"{state!r} is no state of a request")
        document |= changes
        if exchange.operation is Operation.CREATE:
            self.documents[shown] = document
            self.owners[shown] = exchange.request.credential
            self.deleted.discard(shown)
        return document


def _types(text: str) -> list[str]:
    """Return the types of a list such as [a, b]; none for any other text."""
    return [each.strip() for each in text[1:-1].split(",")] if text.startswith("[") and text != "[]" else []


def _json(value: Any) -> bytes:
    return json.dumps(value).encode()
