"""The time until a service answers."""

from __future__ import annotations

from collections.abc import Iterator

import httpx
import pytest
from hand_made import Waits

from conformance.http.waiting import PAUSE, wait_for
from conformance.model.exchange import ErrorKind, TransportError


class Clock(Waits):
    """A clock that only waiting moves."""

    def seconds(self) -> float:  # type: ignore[override]
        return sum(self)


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


def waited(transport: Answers, clock: Clock, seconds: float) -> str:
    headers = httpx.Headers({"User-Agent": "test"})
    return wait_for("http://service/settings", seconds, headers=headers, transport=transport, clock=clock)


@pytest.mark.parametrize("status", [200, 301, 401, 404])
def test_the_first_answer_ends_the_wait(status: int) -> None:
    transport, clock = Answers(iter([0, 503, 0, status])), Clock()

    assert waited(transport, clock, 60) == ""
    assert clock.seconds() == 3 * PAUSE
    assert {(each.method, str(each.url), each.headers["User-Agent"]) for each in transport.asked} == {
        ("GET", "http://service/settings", "test")
    }


@pytest.mark.parametrize(
    ("statuses", "trouble"), [([0, 0, 0], "connection refused"), ([0, 0, 503], "the answer has the status 503")]
)
def test_the_wait_ends_after_its_time_with_the_reason(statuses: list[int], trouble: str) -> None:
    clock = Clock()

    assert waited(Answers(iter(statuses)), clock, 2 * PAUSE) == trouble
    assert clock.seconds() == 2 * PAUSE
