"""What a reproduction script does: it repeats calls, tests the decisive response, and deletes what it created.

A script holds the text of this file. So the file needs Python 3.9 and its standard library, and nothing else. What the
suite recorded is data in a plan, never code; `repeat` says which members a plan has.
"""

from __future__ import annotations

import base64
import fnmatch
import http.client
import json
import os
import re
import signal
import ssl
import sys
import threading
import time
import zlib
from collections.abc import Callable
from datetime import datetime
from email.utils import parsedate_to_datetime
from typing import Any, TypedDict
from urllib.parse import urljoin, urlsplit


class Call(TypedDict, total=False):
    """A call of a plan."""

    name: str
    method: str
    path: str  # {} in it stands for an identifier
    about: str  # the name of the creation whose request that is
    middle: str  # what stands in the middle of the identifier instead, so that it is that of no request
    who: str
    headers: list[list[str]]
    body: str
    base64: str  # a body that is no text
    group: str  # calls with the same one are made at the same time
    status: int  # 429 or 503 where the recorded answer had it
    needed: bool  # later calls are about the request that it creates
    completed: bool  # the reading showed a completed request
    follows: bool  # it was redirected


class ProbeOfPlan(TypedDict):
    """What the decisive response has to be: `conformance/model/probe.py` describes it."""

    kind: str
    pointer: str
    values: list[str]
    optional: bool


class Plan(TypedDict, total=False):
    """What a script does."""

    base_url: str
    tokens: dict[str, str]  # the variable of each caller's token
    calls: list[Call]
    decisive: str  # the name of that call
    probe: ProbeOfPlan
    needs_token: bool  # whether 401 says only that the token is wrong
    needs_room: bool  # whether a refusal at the limit says only that the account is full
    group: list[str]  # the names of the calls that count together, because chance decides which is answered how
    creation: str  # the name of the call to which the value is compared
    answered: int  # the first digit of the status with which the probe can be tested
    rounds: int
    expected: str
    again: str


SECONDS, PATIENCE, MOST_BYTES = 60, 10, 20_000_000
FORMATS = {
    "uuid": "[0-9A-Fa-f]{8}(-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12}",
    "uuid4": "[0-9A-Fa-f]{8}-[0-9A-Fa-f]{4}-4[0-9A-Fa-f]{3}-[89ABab][0-9A-Fa-f]{3}-[0-9A-Fa-f]{12}",
    "date-time": (
        "[0-9]{4}-(0[1-9]|1[0-2])-(0[1-9]|[12][0-9]|3[01])[Tt]([01][0-9]|2[0-3]):[0-5][0-9]:([0-5][0-9]|60)"
        r"(\.[0-9]+)?([Zz]|[+-]([01][0-9]|2[0-3]):[0-5][0-9])"
    ),
    "iri": r"[Hh][Tt][Tt][Pp][Ss]?://([^/?#@ ]*@)?[^/?#@: \\][^/?#@ \\]*([/?#][^ \\]*)?",
    "idn-email": "[^@ ]+@[^@ ]+",
}


class NotTested(Exception):
    """The deviation can be neither shown nor excluded, and why."""


class Answer:
    """A response: status, headers with names in lower case, and body, decoded as its Content-Encoding says."""

    def __init__(self, status: int, headers: dict[str, str], body: bytes) -> None:
        self.status, self.headers, self.body = status, headers, body

    @property
    def document(self) -> Any:
        """The JSON document; ValueError if the body is none, in UTF-8."""
        try:
            return json.loads(self.body.decode("utf-8"), parse_constant=_refuse, parse_int=_integer)
        except RecursionError:
            raise NotTested("the JSON document is nested too deep.") from None

    @property
    def is_json(self) -> bool:
        """Whether the body is one JSON text, in UTF-8."""
        try:
            return self.document is not ...
        except ValueError:
            return False

    @property
    def media_type(self) -> str:
        """The media type in lower case, without parameters; empty for none."""
        return self.headers.get("content-type", "").partition(";")[0].strip().lower()

    @property
    def moment(self) -> float:
        """The moment of the response in seconds: by the clock of the service, or by the one of this machine."""
        try:
            return parsedate_to_datetime(self.headers["date"]).timestamp()
        except (KeyError, TypeError, ValueError):
            return datetime.now().astimezone().timestamp()


def _refuse(constant: str) -> None:
    raise ValueError(constant)


def _integer(digits: str) -> int:
    return int(digits[:400])  # a longer one is a number too, and Python reads no more than some thousand digits


def _altered(token: str, place: int) -> str:
    return token[:place] + ("B" if token[place : place + 1] in ("A", "a") else "A") + token[place + 1 :]


def _middle(token: str) -> int:
    inside = (place for place in range(len(token) // 2, len(token) - 1) if token[place : place + 2].isalnum())
    return next(inside, 0)


CREDENTIALS: dict[str, Callable[[str], str]] = {
    "no token": lambda _: "",
    "another scheme": lambda _: "Basic bm9ib2R5OjFkMGY4ZTJiN2M2YTVmNGU=",
    "a made-up token": lambda _: "Bearer 1d0f8e2b7c6a5f4e3d2c.9b8a7f6e5d4c3b2a1f0e.5c4b3a2f1e0d9c8b7a6f",
    "an empty token": lambda _: "Bearer",
    "the word null as a token": lambda _: "Bearer null",
    "a token with extra characters": lambda token: "Bearer " + re.sub("(=*)$", r"xxxx\1", token, count=1),
    "a token altered in one character": lambda token: "Bearer " + _altered(token, max(0, len(token) - 8)),
    "a token altered in its middle": lambda token: "Bearer " + _altered(token, _middle(token)),
    "a token altered in its first character": lambda token: "Bearer " + _altered(token, 0),
    "a token cut short": lambda token: "Bearer " + token[: len(token) - len(token) // 3],
    "a token with upper and lower case swapped": lambda token: "Bearer " + token.swapcase(),
    "a token without its signature": lambda token: (
        f"Bearer eyJhbGciOiJub25lIiwidHlwIjoiSldUIn0.{(token + '.').split('.')[1]}."
    ),
}
"""The header Authorization of callers without a token of their own, made of the token of the user."""


class Service:
    """The service at an address. A call that is under way ends before an interruption counts."""

    def __init__(self, base_url: str, tokens: dict[str, str]) -> None:
        self._base_url, self._tokens = base_url.rstrip("/"), tokens
        self.interrupted = False
        self.created: list[tuple[str, str]] = []
        for name in ("SIGINT", "SIGTERM", "SIGHUP"):
            if hasattr(signal, name):
                signal.signal(getattr(signal, name), self._interrupt)

    def _interrupt(self, *_: object) -> None:
        self.interrupted = True

    def send(self, call: Call, path: str) -> Answer:
        """Make a call, and note the data request that it created."""
        url, follows = self._base_url + path, call.get("follows", False)
        made = CREDENTIALS.get(call["who"])
        credential = made(self._tokens["user"]) if made else f"Bearer {self._tokens[call['who']]}"
        headers = [*call.get("headers", []), ["Authorization", credential]]
        body = base64.b64decode(call["base64"]) if "base64" in call else call.get("body", "").encode("utf-8")
        answer = _answer(call["method"], url, headers, body)
        if follows and answer.status in (301, 302, 303, 307, 308) and "location" in answer.headers:
            elsewhere = urljoin(url, answer.headers["location"])
            if urlsplit(elsewhere)[:2] != urlsplit(url)[:2]:
                headers.pop()  # the token is for this service
            answer = _answer(call["method"], elsewhere, headers, body)
        if call["method"] == "POST" and path.startswith("/requests") and answer.status // 100 == 2:
            id = _created(answer)
            if id:
                self.created.append((id, call["who"]))
        return answer

    def delete_created(self) -> None:
        """Delete every data request that the calls created, and name those that are left."""
        while self.created:
            id, who = self.created.pop(0)
            for owner in (who, "user"):
                try:
                    status = self.send({"method": "DELETE", "who": owner}, f"/requests/{id}").status
                except NotTested:
                    status = 0
                if status // 100 == 2 or (status == 404 and owner in ("user", "other user")):
                    break
            else:
                print(f"Left behind: /requests/{id} (DELETE answered {status})")


def _answer(method: str, url: str, headers: list[list[str]], body: bytes) -> Answer:
    parts = urlsplit(url)
    try:
        if parts.scheme == "https":
            # What a service shows with a certificate that is not trusted would prove nothing.
            connection: http.client.HTTPConnection = http.client.HTTPSConnection(
                parts.netloc, timeout=SECONDS, context=ssl.create_default_context()
            )
        else:
            connection = http.client.HTTPConnection(parts.netloc, timeout=SECONDS)
        try:
            connection.putrequest(method, url[url.index(parts.netloc) + len(parts.netloc) :], skip_accept_encoding=True)
            names = {name.lower() for name, _ in headers}
            for name, value in headers:
                if value or name != "Authorization":
                    connection.putheader(name, value.encode("utf-8"))
            if "user-agent" not in names:
                connection.putheader("User-Agent", "reproduction")
            is_chunked = "transfer-encoding" in names
            if not is_chunked and (body or method == "POST"):
                connection.putheader("Content-Length", str(len(body)))
            connection.endheaders([body] if body else None, encode_chunked=is_chunked)
            response = connection.getresponse()
            fields = {name.lower(): value for name, value in response.getheaders()}
            content = response.read(MOST_BYTES)
            if fields.get("content-encoding", "").lower() in ("gzip", "deflate"):
                content = zlib.decompressobj(zlib.MAX_WBITS | 32).decompress(content, MOST_BYTES)
            return Answer(response.status, fields, content)
        finally:
            connection.close()
    except (OSError, http.client.HTTPException, ValueError, zlib.error) as error:
        raise NotTested(f"the service did not answer ({error}).") from None


def _created(answer: Answer) -> str:
    """Return the identifier in the answer to a creation; empty if none can stand in a path."""
    found = re.search(rb'"requestId"\s*:\s*"([0-9A-Za-z._~-]+)"', answer.body)
    id = found[1].decode() if found else ""
    return "" if id in (".", "..") else id


def _show(call: Call, path: str, answer: Answer) -> None:
    lines = answer.body[:2000].decode("utf-8", "replace").splitlines()
    for line in ["", f"{call['method']} {path}, {call['who']}: {answer.status}", *(f"    {each}" for each in lines)]:
        print("".join(char if char.isprintable() else " " for char in line))


def make(service: Service, calls: list[Call]) -> tuple[dict[str, Answer], list[str]]:
    """Make calls, those of one group at the same time.

    Return the answers by the names of the calls, and the identifiers of the data requests that they created.
    """
    answers: dict[str, Answer] = {}
    ids: dict[str, str] = {}
    while calls:
        group = calls[0].get("group")
        beside = [each for each in calls if group and each.get("group") == group] or calls[:1]
        calls = [each for each in calls if each not in beside]
        paths = {each["name"]: _path(each, ids) for each in beside}
        problems: list[NotTested] = []

        def send(call: Call, paths: dict[str, str] = paths, problems: list[NotTested] = problems) -> None:
            try:
                answers[call["name"]] = _sent(service, call, paths[call["name"]])
            except NotTested as problem:
                problems.append(problem)

        threads = [threading.Thread(target=send, args=(call,)) for call in beside]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        for call in beside:
            if call["name"] in answers:
                _note(call, paths[call["name"]], answers[call["name"]], ids)
        if problems:
            raise problems[0]
        if service.interrupted:
            raise NotTested("it was interrupted.")
    return answers, [each for each in ids.values() if each]


def _sent(service: Service, call: Call, path: str) -> Answer:
    """Make a call; repeat a reading until it shows a completed request, if it showed one when it was recorded."""
    end = time.monotonic() + PATIENCE
    while True:
        answer = service.send(call, path)
        is_waiting = call.get("completed") and not re.search(rb'"isCompleted"\s*:\s*true', answer.body)
        if not is_waiting or service.interrupted or time.monotonic() > end:
            return answer
        time.sleep(0.1)


def _note(call: Call, path: str, answer: Answer, ids: dict[str, str]) -> None:
    _show(call, path, answer)
    if answer.status in (429, 503) and answer.status != call.get("status"):
        raise NotTested("the service asks to retry later.")
    if call["method"] == "POST" and answer.status // 100 == 2:
        ids[call["name"]] = _created(answer)
    if call.get("needed") and not ids.get(call["name"]):
        raise NotTested("a data request that is needed could not be created. Is the account empty?")


def _path(call: Call, ids: dict[str, str]) -> str:
    """Return the path of a call; {} in it stands for the identifier of a data request that an earlier call created."""
    path: str = call["path"]
    if "about" not in call:
        return path
    id = ids[call["about"]]
    if "middle" in call:  # the identifier of no request, which begins and ends as that of one
        id = id[:8] + call["middle"] + id[24:]
    return path.replace("{}", id, 1)


def deviates(plan: Plan, answers: dict[str, Answer], ids: list[str]) -> bool:
    """Whether the decisive response is not as it has to be; NotTested if it is none that can be tested."""
    probe, answer = plan["probe"], answers[plan["decisive"]]
    kind: str = probe["kind"]
    values: list[str] = probe["values"]
    if plan["needs_token"] and answer.status == 401:
        raise NotTested("the token was not accepted.")
    if plan["needs_room"] and answer.status // 100 == 4 and b"MaximumAmountOfRequestsReached" in answer.body:
        raise NotTested("the account has no room for another data request. Empty it first.")
    if "answered" in plan and answer.status // 100 != plan["answered"]:
        raise NotTested(f"the decisive call answered {answer.status}.")
    if "group" in plan:
        met = [_is_status(answers[each].status, values) for each in plan["group"]]
        # Where all but one have to be refused, two that are accepted are too many.
        return met.count(False) > 1 if values == ["4xx"] else not all(met)
    if kind in ("status", "other-status"):
        return _is_status(answer.status, values) != (kind == "status")
    if kind == "media-type":
        return not any(fnmatch.fnmatchcase(answer.media_type, each) for each in values)
    if kind == "text":
        return answer.body.decode("utf-8", "replace").rstrip("\r\n") != values[0]
    if kind == "json":
        return not answer.is_json
    if kind == "new-id":
        return len({each.lower() for each in ids}) < len(ids)
    if not answer.is_json:
        if probe["pointer"]:
            raise NotTested("the body of the decisive response is not JSON.")
        return True
    if kind == "as-created":
        return _differs(probe["pointer"], answers[plan["creation"]], answer)
    return _of_value(probe, answer)


def _is_status(status: int, values: list[str]) -> bool:
    return any(fnmatch.fnmatchcase(str(status), each.replace("x", "?")) for each in values)


def _of_value(probe: ProbeOfPlan, answer: Answer) -> bool:
    kind: str = probe["kind"]
    values: list[str] = probe["values"]
    steps: list[str] = probe["pointer"].split("/")[1:]
    found, missing = _values(answer.document, steps)
    if kind == "absent":
        return bool(found)
    if kind == "equals":
        return found != values
    if kind in ("among", "includes", "set"):
        if not any(isinstance(each, list) for each in found):
            raise NotTested(f"the response has no array {probe['pointer']}.")
        given, wanted = {json.dumps(each) for each in found[0]}, {json.dumps(each) for each in values}
        return bool({"among": given - wanted, "includes": wanted - given, "set": given ^ wanted}[kind])
    if kind == "recent":
        then = seconds(found[0]) if found else None
        if then is None:
            raise NotTested("the response has no such date-time.")
        return abs(answer.moment - then) > int(values[0])
    if steps and not isinstance(answer.document, list if steps[0].isdigit() else dict):
        raise NotTested(f"the response is not an {'array' if steps[0].isdigit() else 'object'}.")
    if kind == "format":
        good = [isinstance(each, str) and bool(re.fullmatch(FORMATS[values[0]], each)) for each in found]
    else:
        good = [bool(_types(each).intersection(values)) for each in found]
    return not all(good) or (missing > 0 and not probe["optional"])


def _values(document: Any, steps: list[str]) -> tuple[list[Any], int]:
    """Return the values at a JSON Pointer, in which an index stands for each, and how many objects have none."""
    parents, values, missing = [document], [document], 0
    for step in steps:
        parents, values = values, []
        for parent in parents:
            if isinstance(parent, list) and step.isdigit():
                values += parent
            elif isinstance(parent, dict) and step in parent:
                values.append(parent[step])
        missing = sum(isinstance(parent, dict) and step not in parent for parent in parents)
    return values, missing


def _types(value: Any) -> set[str]:
    """Return the names that the type of a value has in JSON."""
    if isinstance(value, bool):
        return {"boolean"}
    if isinstance(value, (int, float)):
        return {"number", "integer"} if float(value).is_integer() else {"number"}
    return {{str: "string", list: "array", dict: "object", type(None): "null"}[type(value)]}


def _differs(pointer: str, creation: Answer, answer: Answer) -> bool:
    """Whether a value is not that of the creation: as a set in an array, in any letter case, as a moment."""
    if not creation.is_json:
        raise NotTested("the creation did not answer with JSON.")
    before, after = (_values(each.document, pointer.split("/")[1:])[0] for each in (creation, answer))
    texts = [
        sorted(
            {json.dumps(part).lower() for value in found for part in (value if isinstance(value, list) else [value])}
        )
        for found in (before, after)
    ]
    if texts[0] == texts[1]:
        return False
    moments = [seconds(found[0]) if found else None for found in (before, after)]
    return moments[0] is None or moments[0] != moments[1]


def seconds(value: Any) -> float | None:
    """Return a date-time of RFC 3339 in whole seconds since 1970, also one without an offset; None for others."""
    found = re.match(r"(\d{4}-\d\d-\d\d)[Tt ](\d\d:\d\d:\d\d)(?:\.\d+)?([+-]\d\d:\d\d)?", str(value))
    try:
        return datetime.fromisoformat(f"{found[1]}T{found[2]}{found[3] or '+00:00'}").timestamp() if found else None
    except ValueError:
        return None


def repeat(plan: Plan) -> int:
    """Repeat the calls of a plan; return 1 if the deviation persists, 0 if it was not shown, 2 if it was not tested."""
    tokens = {who: os.environ.get(variable, "") for who, variable in plan["tokens"].items()}
    for who, variable in plan["tokens"].items():
        if not tokens[who]:
            print(f"Not tested: set {variable} to the access token ({who}).", file=sys.stderr)
            return 2
    arguments = sys.argv[1:] or [os.environ.get("BASE_URL") or plan["base_url"]]
    service = Service(arguments[0], {"user": "", **tokens})
    try:
        for _ in range(int(os.environ.get("ROUNDS") or plan["rounds"])):
            answers, ids = make(service, plan["calls"])
            if deviates(plan, answers, ids):
                print(f"\nThe deviation persists. Expected: {plan['expected']}")
                return 1
            service.delete_created()
    except NotTested as problem:
        print(f"Not tested: {problem}", file=sys.stderr)
        return 2
    finally:
        service.delete_created()
    print(f"\nThe deviation was not shown. This decides it: {plan['again']}")
    return 0
