"""Where little can be decided, a run says why, and blames whom it is due to."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import httpx
import pytest
from whole_runs import USERS, Wrap, run_over

from conformance.reference.config import ReferenceConfig
from conformance.reports.result import Finding, Report, RequirementResult
from conformance.run import Plan
from conformance.verdict import Blame, Verdict
from conformance.wire.trouble import NoAnswer, Trouble


def config(**changes: Any) -> ReferenceConfig:
    return ReferenceConfig(users=USERS, seed=1, **changes)


class Otherwise(httpx.BaseTransport):
    """Answers as `answer` says, and as the service does where that says nothing."""

    def __init__(self, inner: httpx.BaseTransport, answer: Callable[[httpx.Request], httpx.Response | None]) -> None:
        self._inner = inner
        self._answer = answer

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        told = self._answer(request)
        return self._inner.handle_request(request) if told is None else told

    def close(self) -> None:
        self._inner.close()


def otherwise(answer: Callable[[httpx.Request], httpx.Response | None]) -> Wrap:
    return lambda inner: Otherwise(inner, answer)


def row(report: Report, requirement_id: str) -> RequirementResult:
    return next(each for each in report.requirements if each.id == requirement_id)


def only_finding(report: Report, requirement_id: str) -> Finding:
    (found,) = row(report, requirement_id).findings
    return found


def test_where_every_answer_is_a_server_error_that_is_said() -> None:
    failing = otherwise(lambda _: httpx.Response(500, json={"error": "Internal", "message": "broken"}))

    report = run_over(config(), wrap=failing).report

    assert row(report, "0-server-errors").verdict is Verdict.WARN
    assert "a server error" in only_finding(report, "0-server-errors").message
    assert {each.blame for each in row(report, "0-server-errors").findings} == {Blame.TARGET}


@pytest.mark.parametrize(
    ("trouble", "detail", "blame", "remedy"),
    [
        (Trouble.TOO_LARGE, "the body is more than 10 MiB decoded", Blame.TARGET, "answer with less"),
        (Trouble.CODING, "the body is not valid gzip", Blame.TARGET, "content coding"),
        (Trouble.CLOSED, "the connection was closed", Blame.NETWORK, "reachable"),
    ],
)
def test_a_body_that_is_too_large_is_not_blamed_on_the_network(
    trouble: Trouble, detail: str, blame: Blame, remedy: str
) -> None:
    def answer(request: httpx.Request) -> None:
        if request.url.path.endswith("/data"):
            raise NoAnswer(trouble, detail)

    report = run_over(config(), wrap=otherwise(answer), plan=Plan(select=("4.5-array", "2.2-type"))).report

    for name in ("4.5-array", "2.2-type"):
        found = only_finding(report, name)
        assert (found.verdict, found.blame) == (Verdict.INCONCLUSIVE, blame)
        assert detail in found.message
        assert remedy in found.remedy
