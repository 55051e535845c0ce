"""What answers where no service is reached says nothing about it; a service that lacks routes does not conform."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import httpx
import pytest
from hand_made import Waits
from whole_runs import USERS, Silent, problem_of, target_of

from conformance.http.session import Session
from conformance.model.findings import Note
from conformance.model.verdict import Blame, Exit
from conformance.run.check import CannotBegin, check
from conformance.run.doctor import examine
from conformance.run.options import Plan

Answer = Callable[[httpx.Request], httpx.Response]

PAGES: dict[str, Answer] = {
    "nginx": lambda _: httpx.Response(404, html="<html><center><h1>404 Not Found</h1></center><hr>nginx</html>"),
    "Caddy": lambda _: httpx.Response(200, headers={"server": "Caddy"}),
    "Railway": lambda asked: httpx.Response(
        404, json={"message": "Application not found", "request_id": f"7{id(asked)}"}
    ),
    "Spring": lambda asked: httpx.Response(404, json={"path": asked.url.path, "status": 404, "error": "Not Found"}),
    "Django, with DEBUG": lambda asked: httpx.Response(
        404, html=f"<p>The current path, <code>{asked.url.path[1:]}</code>, did not match. Your Django settings file …"
    ),
    "Django": lambda _: httpx.Response(400, html="<h1>Bad Request (400)</h1>"),
    "a file server": lambda asked: httpx.Response(405 if asked.method == "POST" else 410),
    "an upgrade": lambda _: httpx.Response(426, headers={"upgrade": "h2c"}),
    "to another name": lambda asked: httpx.Response(
        308, headers={"location": str(asked.url.copy_with(host="www.test"))}
    ),
}


def session_with(answer: Answer, **target: Any) -> Session:
    known = target_of("http://service.test/api", tuple(user.token for user in USERS), **target)
    return Session(known, transport=httpx.MockTransport(answer), clock=Waits())


def fatal(answer: Answer, **target: Any) -> Note | None:
    return examine(session_with(answer, **target), needs_token=True).fatal


@pytest.mark.parametrize("page", PAGES)
def test_one_answer_to_every_path_is_about_the_address(page: str) -> None:
    with pytest.raises(CannotBegin) as caught:
        check(session_with(PAGES[page]), Plan(), Silent())

    found = problem_of(caught.value)
    assert (found.blame, found.exit_code) == (Blame.CONFIGURATION, Exit.INCONCLUSIVE)
    assert found.remedy


@pytest.mark.parametrize("status", [405, 500])
def test_a_failure_of_every_reading_is_not_about_the_address(status: int) -> None:
    assert fatal(lambda _: httpx.Response(status, json={"error": "x", "message": "y"})) is None
