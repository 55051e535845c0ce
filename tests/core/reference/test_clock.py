"""The clock of the reference service, and what waits by it."""

from __future__ import annotations

import asyncio
from datetime import UTC, datetime, timedelta
from typing import Any

import httpx

from conformance.reference.clock import ServiceClock, SharedClock
from conformance.reference.in_process import InProcessTransport


def test_a_transport_tells_when_a_call_waits_and_when_it_is_over() -> None:
    told: list[str] = []

    async def app(scope: Any, _: Any, send: Any) -> None:
        told.append("begins")
        if scope["path"] == "/waits":
            await asyncio.sleep(0)
            await asyncio.sleep(0)
        told.append("ends")
        await send({"type": "http.response.start", "status": 204, "headers": []})
        await send({"type": "http.response.body"})

    transport = InProcessTransport(app, under_way=lambda: told.append("under way"))
    with httpx.Client(transport=transport, base_url="http://service.test") as client:
        client.get("/waits")
        client.get("/")

    assert told == ["begins", "under way", "ends", "begins", "ends", "under way"]


def test_a_shared_clock_is_right_and_never_tells_the_same_moment_twice() -> None:
    clock = ServiceClock(offset=240.0, step=0.001, begins=1_000_000_000.0)
    shared = SharedClock(clock)

    first, second = shared.now(), shared.now()
    assert first < second < datetime.fromtimestamp(1_000_000_000.001, UTC)
    assert shared.seconds() < shared.seconds()

    before = clock.now()
    shared.sleep(3.0)
    shared.sleep(-9.0)
    assert clock.now() - before == timedelta(seconds=3)
    assert timedelta(seconds=239) < clock.now() - shared.now() < timedelta(seconds=240)
