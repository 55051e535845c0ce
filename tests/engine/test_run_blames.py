"""Where little can be decided, a run says why, and blames whom it is due to."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import httpx
from whole_runs import USERS, Wrap, run_over

from conformance.reference.config import ReferenceConfig
from conformance.reports.result import Finding, Report, RequirementResult
from conformance.verdict import Blame, Verdict


def config(**changes: Any) -> ReferenceConfig:
    return ReferenceConfig(users=USERS, seed=1, **changes)


def creations_answer(answer: Callable[[], httpx.Response]) -> Wrap:
    """Answer every creation otherwise, and everything else as usual."""

    def wrap(inner: httpx.BaseTransport) -> httpx.BaseTransport:
        def handle(request: httpx.Request) -> httpx.Response:
            return answer() if request.method == "POST" else inner.handle_request(request)

        return httpx.MockTransport(handle)

    return wrap


def row(report: Report, requirement_id: str) -> RequirementResult:
    return next(each for each in report.requirements if each.id == requirement_id)


def only_finding(report: Report, requirement_id: str) -> Finding:
    (found,) = row(report, requirement_id).findings
    return found


def test_where_every_answer_is_a_server_error_that_is_said() -> None:
    failing = httpx.MockTransport(lambda _: httpx.Response(500, json={"error": "Internal", "message": "broken"}))

    report = run_over(config(), wrap=lambda _: failing).report

    assert row(report, "0-server-errors").verdict is Verdict.WARN
    assert "a server error" in only_finding(report, "0-server-errors").message
    assert {each.blame for each in row(report, "0-server-errors").findings} == {Blame.TARGET}
