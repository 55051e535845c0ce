"""The answers that a reproduction script gets, and whether the decisive one deviates."""

from __future__ import annotations

import fnmatch
import hashlib
import json
import re
from datetime import datetime
from email.utils import parsedate_to_datetime
from typing import Any

from conformance.reports.scripts.plan import Plan, ProbeOfPlan

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


USERS = ("user", "other user")


class NotTested(Exception):
    """The deviation can be neither shown nor excluded, and why."""


class Answer:
    """A response: status, headers with names in lower case, and body, decoded as its Content-Encoding says."""

    def __init__(self, status: int, headers: dict[str, str], body: bytes, received: float = 0) -> None:
        self.status, self.headers, self.body = status, headers, body
        self.received = received or datetime.now().astimezone().timestamp()

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
            return self.received


def _refuse(constant: str) -> None:
    raise ValueError(constant)


def _integer(digits: str) -> int:
    return int(digits[:400])  # a longer one is a number too, and Python reads no more than some thousand digits


def deviates(plan: Plan, answers: dict[str, Answer], ids: list[str]) -> bool:
    """Whether the decisive response is not as it has to be; NotTested if it is none that can be tested."""
    probe, decisive = plan["probe"], plan["calls"][-1]
    answer = answers[decisive["name"]]
    kind: str = probe["kind"]
    values: list[str] = probe["values"]
    if decisive["who"] in USERS and answer.status == 401 != decisive["status"]:
        raise NotTested("the token was not accepted.")
    if plan["needs_room"] and answer.status // 100 == 4 and b"MaximumAmountOfRequestsReached" in answer.body:
        raise NotTested("the account has no room for another data request. Empty it first.")
    if "status" not in kind and answer.status // 100 != decisive["status"] // 100:
        raise NotTested(f"the decisive call answered {answer.status}.")
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
        return _differs(probe["pointer"], answers[decisive["about"]], answer)
    return _of_value(probe, answer)


def _is_status(status: int, values: list[str]) -> bool:
    return any(fnmatch.fnmatchcase(str(status), each.replace("x", "?")) for each in values)


def _of_value(probe: ProbeOfPlan, answer: Answer) -> bool:
    kind: str = probe["kind"]
    values: list[str] = probe["values"]
    steps: list[str] = probe["pointer"].split("/")[1:]
    found, missing = _values(answer.document, steps)
    if kind == "absent":
        if probe["pointer"] == "/completedAt" and _values(answer.document, ["isCompleted"])[0] == [True]:
            raise NotTested("the data request is completed.")
        return bool(found)
    if kind == "equals":
        return found != values
    if kind in ("among", "set"):
        if not any(isinstance(each, list) for each in found):
            raise NotTested(f"the response has no array {probe['pointer']}.")
        given, wanted = {json.dumps(each) for each in found[0]}, {json.dumps(each) for each in values}
        return bool(given - wanted if kind == "among" else given ^ wanted)
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


def digest_at(answer: Answer, pointer: str) -> str:
    """Return a digest of the values at a JSON Pointer, which may have any order; empty without one."""
    found = _values(answer.document, pointer.split("/")[1:])[0] if answer.is_json else []
    return hashlib.sha256("".join(sorted({json.dumps(each) for each in found})).encode()).hexdigest() if found else ""


def _types(value: Any) -> set[str]:
    """Return the names that the type of a value has in JSON."""
    if isinstance(value, bool):
        return {"boolean"}
    if isinstance(value, (int, float)):
        return {"number", "integer"} if isinstance(value, int) or value.is_integer() else {"number"}
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
