"""The calls of a session: which token they bring, how many are under way, at what pace, and what ends them."""

from __future__ import annotations

import threading
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime
from functools import partial
from pathlib import Path

import httpx
import pytest
from hand_made import (
    BASE,
    ONE,
    OTHER_TOKEN,
    SETTINGS,
    TOKEN,
    Scripted,
    Waits,
    created,
    json_answer,
    session_with,
)
from renewing import renewing

from conformance.http.noise import retry_after
from conformance.http.renewed_tokens import CommandToken
from conformance.http.waiting import PAUSE, wait_for
from conformance.model.errors import NotDecided
from conformance.model.exchange import ErrorKind, TransportError
from conformance.model.target import Budget, Target, Token

settings = json_answer(200, SETTINGS)


@pytest.fixture
def command(tmp_path: Path) -> str:
    """A command that prints another token each time it is run: token-no-1, token-no-2 …"""
    return renewing(tmp_path, "token-no-")


def sent_tokens(transport: Scripted) -> list[str]:
    return [request.headers["Authorization"].removeprefix("Bearer ") for request in transport.sent]


def test_a_new_token_that_is_refused_as_well_is_not_followed_by_a_third(command: str) -> None:
    transport = Scripted(json_answer(401, {"error": "Unauthorized"}))
    session = session_with(transport, token=CommandToken(command))

    exchange = session.send("GET", f"/requests/{ONE}", credential="user")

    assert sent_tokens(transport) == ["token-no-1", "token-no-2"]
    assert exchange.status == 401
    assert [each.superseded for each in session.record.in_order()] == [None, None]


def test_calls_that_are_refused_at_the_same_time_have_the_token_renewed_once(command: str) -> None:
    all_refused = threading.Barrier(4)

    def answer(request: httpx.Request) -> httpx.Response:
        # An issuer revokes the tokens before the one it issues: a third would make an end of the second.
        if request.headers["Authorization"] == "Bearer token-no-2":
            return created()()
        all_refused.wait(120)
        return json_answer(401, {})()

    transport = Scripted(by=answer)
    session = session_with(transport, token=CommandToken(command))

    exchanges = session.race([partial(session.send, "POST", "/requests", credential="user")] * 4)

    assert [each.response.status for each in exchanges if each.response] == [200] * 4
    assert sorted(sent_tokens(transport)) == ["token-no-1"] * 4 + ["token-no-2"] * 4


def test_no_token_shows_in_any_representation(command: str) -> None:
    renewable = CommandToken(command)
    values = [TOKEN, OTHER_TOKEN, renewable.current()]
    target = Target(base_url=BASE, user=Token(TOKEN), other=renewable)
    session = session_with(Scripted(settings))

    shown = f"{target!r} {target} {renewable!r} {session!r} {session.credentials!r} {vars(session)!r}"

    assert [value for value in values if value in shown] == []


class TwoAtOnce:
    """Answers nothing before two calls are under way, and counts how many are at most."""

    def __init__(self) -> None:
        self.lock, self.reached = threading.Lock(), threading.Event()
        self.under_way = self.most = 0

    def __call__(self, request: httpx.Request) -> httpx.Response:
        with self.lock:
            self.under_way += 1
            self.most = max(self.most, self.under_way)
            if self.under_way == 2:
                self.reached.set()
        assert self.reached.wait(120), request.url
        with self.lock:
            self.under_way -= 1
        return settings()


def test_no_more_calls_than_allowed_are_under_way_in_parallel() -> None:
    target = TwoAtOnce()
    session = session_with(Scripted(by=target), budget=Budget(concurrency=2))

    exchanges = session.parallel([lambda: session.send("GET", "/settings")] * 7)

    assert target.most == 2
    assert [exchange.id for exchange in exchanges] == [f"e{number}" for number in range(1, 8)]


NOW = datetime(2026, 1, 1, 12, 0, 0, tzinfo=UTC)


@pytest.mark.parametrize("rate", [4, None])
def test_the_calls_of_all_threads_share_one_pace(rate: float | None) -> None:
    """The clock of the test does not wait: each call waits a quarter of a second longer than the one before."""
    waits = Waits()
    session = session_with(Scripted(json_answer(200, SETTINGS)), clock=waits, budget=Budget(rate=rate))

    with ThreadPoolExecutor(4) as threads:
        for _ in range(4):
            threads.submit(session.send, "GET", "/settings")

    assert [round(each, 1) for each in sorted(waits)] == ([0.2, 0.5, 0.7] if rate else [])


@pytest.mark.parametrize(
    ("value", "seconds"),
    [
        ("1.5", None),
        ("٣", None),
        (" 120 ", 120),
        ("9" * 400, float("inf")),
        ("Thu, 01 Jan 2026 12:01:00 GMT", 60),
        ("Thursday, 01-Jan-26 12:01:00 GMT", 60),
        ("Thu Jan  1 12:01:00 2026", 60),
        ("Thu, 01 Jan 99999 12:01:00 GMT", None),
    ],
)
def test_retry_after_is_read(value: str | None, seconds: float | None) -> None:
    assert retry_after(value, NOW) == seconds


@pytest.mark.parametrize(
    "url",
    [
        "http://elsewhere.test/api/settings",
        "http://service.test:8080/api/settings",
        "http://service.test.evil.test/api/settings",
        "http://169.254.169.254/latest/meta-data",
    ],
)
def test_nothing_leaves_for_another_origin(url: str) -> None:
    transport = Scripted(settings)
    session = session_with(transport)

    with pytest.raises(NotDecided, match="not the target's origin"):
        session.record.call(httpx.Request("GET", url))

    assert transport.sent == []


def test_a_wait_for_a_service_pauses_between_its_attempts_and_ends_in_time_with_the_reason() -> None:
    class Clock(Waits):
        """A clock that only waiting moves."""

        def seconds(self) -> float:  # type: ignore[override]
            return sum(self)

    clock, transport = Clock(), Scripted(TransportError(ErrorKind.CONNECT, "refused"), json_answer(503, {}))

    trouble = wait_for(f"{BASE}/settings", 2 * PAUSE, headers=httpx.Headers(), transport=transport, clock=clock)

    assert (trouble, clock) == ("the answer has the status 503", [PAUSE, PAUSE])
