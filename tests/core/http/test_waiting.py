"""The time until a service answers."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from datetime import UTC, datetime

import httpx
import pytest

from conformance.http.waiting import PAUSE, wait_for
from conformance.model.exchange import ErrorKind, TransportError


class Clock:
    """A clock that only waiting moves."""

    def __init__(self) -> None:
        self.time = 0.0

    def now(self) -> datetime:
        return datetime(2026, 1, 1, tzinfo=UTC)

    def seconds(self) -> float:
        return self.time

    def sleep(self, seconds: float, /, stopped: Callable[[], bool] = bool) -> None:  # noqa: ARG002
        self.time += seconds


class Answers(httpx.BaseTransport):
    """Answers with one status after another; 0 stands for no connection."""

    def __init__(self, statuses: Iterator[int]) -> None:
        self.statuses = statuses
        self.asked: list[httpx.Request] = []

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        self.asked.append(request)
        status = next(self.statuses)
        if not status:
            raise TransportError(ErrorKind.CONNECT, "connection refused")
        return httpx.Response(status)


@pytest.fixture
def clock() -> Clock:
    return Clock()


def waited(transport: Answers, clock: Clock, seconds: float) -> str:
    headers = httpx.Headers({"User-Agent": "test"})
    return wait_for("http://service/settings", seconds, headers=headers, transport=transport, clock=clock)


@pytest.mark.parametrize("status", [200, 301, 401, 404])
def test_the_first_answer_ends_the_wait(clock: Clock, status: int) -> None:
    transport = Answers(iter([0, 503, 0, status]))

    assert waited(transport, clock, 60) == ""
    assert clock.time == 3 * PAUSE
    assert {(each.method, str(each.url), each.headers["User-Agent"]) for each in transport.asked} == {
        ("GET", "http://service/settings", "test")
    }


@pytest.mark.parametrize(
    ("statuses", "trouble"), [([0, 0, 0], "connection refused"), ([0, 0, 503], "the answer has the status 503")]
)
def test_the_wait_ends_after_its_time_with_the_reason(clock: Clock, statuses: list[int], trouble: str) -> None:
    assert waited(Answers(iter(statuses)), clock, 2 * PAUSE) == trouble
    assert clock.time == 2 * PAUSE
