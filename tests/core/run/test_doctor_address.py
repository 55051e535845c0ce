"""What answers where no service is reached says nothing about it; a service that lacks routes does not conform."""

from __future__ import annotations

from collections.abc import Callable

import httpx
import pytest
from whole_runs import Silent, problem_of, session_over

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
    "nginx, forbidden": lambda _: httpx.Response(403, html="<center><h1>403 Forbidden</h1></center><hr>nginx"),
    "an upgrade": lambda _: httpx.Response(426, headers={"upgrade": "h2c"}),
    "to another name": lambda asked: httpx.Response(
        308, headers={"location": str(asked.url.copy_with(host="www.test"))}
    ),
}


@pytest.mark.parametrize("page", PAGES)
def test_one_answer_to_every_path_is_about_the_address(page: str) -> None:
    with (
        session_over(wrap=lambda _service: httpx.MockTransport(PAGES[page])) as session,
        pytest.raises(CannotBegin) as caught,
    ):
        check(session, Plan(), Silent())

    found = problem_of(caught.value)
    assert (found.blame, found.exit_code) == (Blame.CONFIGURATION, Exit.INCONCLUSIVE)
    assert found.remedy


@pytest.mark.parametrize("status", [405, 500])
def test_a_failure_of_every_reading_is_not_about_the_address(status: int) -> None:
    failing = httpx.MockTransport(lambda _: httpx.Response(status, json={"error": "x", "message": "y"}))
    with session_over(wrap=lambda _service: failing) as session:
        assert examine(session, needs_token=True).fatal is None
