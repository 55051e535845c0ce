"""What a reproduction script does: it repeats calls, tests the decisive response, and deletes what it created.

A script holds the text of `model/credential_forms.py`, `plan.py`, `answers.py`, `wire.py` and this file. So they need
Python 3.9 and its standard library, and nothing else. What the suite recorded is data in the plan, never code.
"""

from __future__ import annotations

import os
import re
import signal
import socket
import sys
from collections.abc import Iterable
from urllib.parse import urlsplit

from conformance.model.credential_forms import FORMS
from conformance.reports.scripts.answers import USERS, Answer, NotTested, deviates, digest_at
from conformance.reports.scripts.plan import Call, Plan
from conformance.reports.scripts.wire import received

WITHOUT_HEADER = ("no token", "a made-up token in the query")


_MADE_UP = "1d0f8e2b7c6a5f4e3d2c9b8a7f6e5d4c3b2a1f0e5c4b3a2f1e0d9c8b7a6f"


def credential_of(who: str, tokens: dict[str, str]) -> str:
    """Return the header Authorization of a caller: the token of a user, or a form of a credential that is none."""
    if who in WITHOUT_HEADER:
        return ""
    return FORMS[who](tokens["user"], _MADE_UP) if who in FORMS else f"Bearer {tokens[who]}"


class Service:
    """The service at an address. A call that is under way ends before an interruption counts."""

    def __init__(
        self, base_url: str, tokens: dict[str, str], further: Iterable[list[str]] = (), proxied: bool = False
    ) -> None:
        self._base_url, self._tokens = base_url.rstrip("/"), tokens
        self._further, self._proxied = list(further), proxied
        self.interrupted = False
        self.created: list[tuple[str, str]] = []
        for name in ("SIGINT", "SIGTERM", "SIGHUP"):
            if hasattr(signal, name):
                signal.signal(getattr(signal, name), self._interrupt)

    def _interrupt(self, *_: object) -> None:
        self.interrupted = True

    def send(self, call: Call, path: str) -> Answer:
        """Make a call, and note the data request that it created."""
        credential = credential_of(call["who"], self._tokens)
        headers = [*call.get("headers", []), *self._further, ["Authorization", credential]]
        body = call.get("body", "").encode("utf-8")
        creates = call["method"] == "POST" and path.startswith("/requests")
        try:
            answer = received(call["method"], self._base_url + path, headers, body, self._proxied)
        except NotTested as problem:
            if creates and not isinstance(problem.__context__, (ConnectionRefusedError, socket.gaierror)):
                self.created.append(("", call["who"]))
            raise
        if creates and not _is_refused(answer, call["who"]):
            self.created.append((id_in(answer), call["who"]))
        return answer

    def delete_created(self) -> None:
        """Delete every data request that the calls created, and name those that are left."""
        while self.created:
            id, who = self.created.pop(0)
            if not id:
                print(
                    "Perhaps left behind: a data request whose creation answered no usable requestId", file=sys.stderr
                )
                continue
            for owner in (who, "user"):
                status = self._status("DELETE", id, owner)
                if status // 100 == 2 or (status == 404 and owner in USERS):
                    left = self._status("GET", id, owner) == 200
                    break
            else:
                left = True
            if left:
                print(f"Left behind: /requests/{id} (DELETE answered {status})", file=sys.stderr)

    def _status(self, method: str, id: str, who: str) -> int:
        try:
            return self.send({"method": method, "who": who}, f"/requests/{id}").status
        except NotTested:
            return 0


def _is_refused(answer: Answer, who: str) -> bool:
    """Whether the answer to a creation says clearly that nothing was created."""
    to_login = answer.status // 100 == 3 and who not in USERS
    return answer.status // 100 == 4 or answer.status in (301, 307, 308) or to_login


def id_in(answer: Answer) -> str:
    """Return the identifier in the answer to a creation; empty if none can stand in a path."""
    found = re.search(r'"requestId"\s*:\s*"([0-9A-Za-z._~-]+)"', answer.body.decode("latin-1"))
    found = found or re.search("/requests/([0-9A-Za-z._~-]+)/?$", answer.headers.get("location", ""))
    id = found[1] if found else ""
    return "" if id in (".", "..") else id


def _show(call: Call, path: str, answer: Answer) -> None:
    lines = answer.body[:2000].decode("utf-8", "replace").splitlines()
    for line in ["", f"{call['method']} {path}, {call['who']}: {answer.status}", *(f"    {each}" for each in lines)]:
        print(_printable(line))


def _printable(text: str) -> str:
    """Return a text without what could control a terminal: the service may have written it."""
    return "".join(char if char.isprintable() else " " for char in text)


def make(service: Service, calls: list[Call]) -> tuple[dict[str, Answer], list[str]]:
    """Make calls; return the answers by the names of the calls, and the identifiers of the requests they created."""
    answers: dict[str, Answer] = {}
    ids: dict[str, str] = {}
    needed = {call["about"] for call in calls if "about" in call}
    for call in calls:
        path = _path(call, ids)
        answer = answers[call["name"]] = service.send(call, path)
        _show(call, path, answer)
        if answer.status in (429, 503) and answer.status != call["status"]:
            raise NotTested("the service asks to retry later.")
        if call["method"] == "POST" and answer.status // 100 == 2:
            ids[call["name"]] = id_in(answer)
        if call["name"] in needed and not ids.get(call["name"]):
            raise NotTested("a data request that is needed could not be created. Is the account empty?")
        if service.interrupted:
            raise NotTested("it was interrupted.")
    return answers, [each for each in ids.values() if each]


def _path(call: Call, ids: dict[str, str]) -> str:
    """Return the path of a call; {} in it stands for the identifier of a data request that an earlier call created."""
    path: str = call["path"]
    if "about" not in call:
        return path
    return path.replace("{}", ids[call["about"]], 1)


def _see(service: Service, plan: Plan, answers: Iterable[Answer]) -> None:
    """Raise NotTested if something else than when the run was recorded may explain the answer."""
    for path, pointer, shown in plan.get("shown", []):
        answer = service.send({"method": "GET", "who": "no token"}, path)
        if answer.status == 429 or answer.status // 100 == 5:
            raise NotTested(f"GET {path} answered {answer.status}.")
        if digest_at(answer, pointer) not in (shown, ""):
            name = pointer.rpartition("/")[2]
            raise NotTested(f"GET {path} shows another {name} than when the run was recorded.")
    if plan.get("in_progress") and any(re.search(rb'"isCompleted"\s*:\s*true', each.body) for each in answers):
        raise NotTested("a data request is completed, and may be hidden or not count against the limit.")


def repeat(plan: Plan) -> int:
    """Repeat the calls of a plan; return 1 if the deviation persists, 0 if it was not shown, 2 if it was not tested."""
    tokens = {who: os.environ.get(variable, "") for who, variable in plan["tokens"].items()}
    for who, variable in plan["tokens"].items():
        if not tokens[who]:
            print(f"Not tested: set {variable} to the access token ({who}).", file=sys.stderr)
            return 2
    variables = [*plan.get("further", {}).values(), *(["DRSI_CLIENT_CERT"] if plan.get("certificate") else [])]
    if missing := [each for each in variables if not os.environ.get(each)]:
        print(f"Not tested: set {', '.join(missing)}, as the head of this script says.", file=sys.stderr)
        return 2
    further = [[name, os.environ[variable]] for name, variable in plan.get("further", {}).items()]
    further += [["Host", plan["host"]]] if "host" in plan else []
    named, recorded = (sys.argv[1:] or [os.environ.get("BASE_URL", "")])[0], plan["base_url"]
    if not named and (tokens or variables) and urlsplit(recorded).hostname not in ("localhost", "127.0.0.1", "::1"):
        # The record may come from anybody.
        print(_printable(f"Not tested: tokens go to an address that you name, such as: {recorded}"), file=sys.stderr)
        return 2
    service = Service(named or recorded, {"user": "", **tokens}, further, plan.get("proxy", False))
    try:
        for _ in range(plan["rounds"]):
            answers, ids = make(service, plan["calls"])
            if deviates(plan, answers, ids):
                _see(service, plan, answers.values())
                print(f"\nThe deviation persists. Expected: {plan['expected']}")
                return 1
            service.delete_created()
    except NotTested as problem:
        is_served = not isinstance(problem.__context__, ConnectionRefusedError)
        first = "" if is_served or not plan["start"] else f" First, in another terminal: {plan['start']}"
        print(_printable(f"Not tested: {problem}{first}"), file=sys.stderr)
        return 2
    finally:
        service.delete_created()
    print(f"\nThe deviation was not shown. This decides it: {plan['again']}")
    return 0
