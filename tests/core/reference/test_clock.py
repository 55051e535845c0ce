"""The clock of the reference service, and what waits by it."""

from __future__ import annotations

import asyncio
import time
from datetime import UTC, datetime, timedelta
from typing import Any

import httpx
import pytest

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


@pytest.mark.parametrize("alone", [True, False])
def test_what_waits_in_a_lone_call_takes_no_time(alone: bool) -> None:
    waited: list[tuple[float, float]] = []
    pause = 600.0 if alone else 0.02

    async def app(_scope: Any, _receive: Any, send: Any) -> None:
        loop = asyncio.get_running_loop()
        began = time.monotonic()  # read first and last: what the machine does meanwhile only adds to it
        before = loop.time()
        await asyncio.sleep(pause)
        waited.append((loop.time() - before, time.monotonic() - began))
        await send({"type": "http.response.start", "status": 204, "headers": []})
        await send({"type": "http.response.body"})

    with httpx.Client(transport=InProcessTransport(app, alone=lambda: alone), base_url="http://service.test") as client:
        client.get("/")

    [(seen, passed)] = waited
    assert seen >= pause * 0.99
    # The loop's time goes on by the pause whether or not the machine's did.
    assert (seen - passed > pause / 2) is alone


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
