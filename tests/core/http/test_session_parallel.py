from __future__ import annotations

import threading

import httpx
from hand_made import SETTINGS, Scripted, created, json_answer, session_with

from conformance.model.target import Budget

settings = json_answer(200, SETTINGS)


def test_calls_made_together_are_all_in_the_journal_before_the_first_is_sent() -> None:
    pending = []

    def answer(_: httpx.Request) -> httpx.Response:
        pending.append(session.journal.created + session.journal.pending)
        return created(f"8b1d8f0e-3c50-4f0c-9d34-{len(pending):012x}")()

    session = session_with(Scripted(by=answer))

    session.race([lambda: session.send("POST", "/requests", credential="user")] * 6)

    assert pending == [6] * 6


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
