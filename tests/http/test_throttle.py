from __future__ import annotations

import threading
import time
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime

import pytest

from conformance.http.clock import Throttle, retry_after
from conformance.model.date_time import http_date

NOW = datetime(2026, 1, 1, 12, 0, 0, tzinfo=UTC)


class Clock:
    def __init__(self) -> None:
        self.now = 100.0
        self.slept: list[float] = []

    def sleep(self, seconds: float) -> None:
        self.slept.append(seconds)
        self.now += seconds


def test_starts_are_spaced_evenly() -> None:
    clock = Clock()
    pace = Throttle(4, lambda: clock.now, clock.sleep)
    starts = []
    for _ in range(4):
        pace.wait()
        starts.append(clock.now)

    assert starts == [100.0, 100.25, 100.5, 100.75]


def test_time_already_passed_is_not_waited_for_and_not_saved_up() -> None:
    clock = Clock()
    pace = Throttle(4, lambda: clock.now, clock.sleep)
    pace.wait()
    clock.now += 10
    for _ in range(2):
        pace.wait()

    assert clock.slept == [0.25]


def test_threads_share_one_pace() -> None:
    slept: list[float] = []
    pace, start = Throttle(10, lambda: 0.0, slept.append), threading.Barrier(8)

    def ask(_: int) -> None:
        start.wait()
        pace.wait()

    with ThreadPoolExecutor(8) as threads:
        list(threads.map(ask, range(8)))

    assert sorted(slept) == pytest.approx([0.1 * turn for turn in range(1, 8)])


def test_without_a_rate_nothing_waits() -> None:
    clock = Clock()
    pace = Throttle(None, lambda: clock.now, clock.sleep)
    for _ in range(3):
        pace.wait()

    assert clock.slept == []


@pytest.mark.parametrize(
    ("value", "seconds"),
    [
        (None, None),
        ("", None),
        ("soon", None),
        ("1.5", None),
        ("٣", None),
        ("0", 0),
        (" 120 ", 120),
        ("86400", 86400),
        ("-5", 0),
        ("9" * 400, 1e10),
        ("Thu, 01 Jan 2026 12:01:00 GMT", 60),
        ("Thu, 01 Jan 2026 11:59:00 GMT", 0),
        ("Thursday, 01-Jan-26 12:01:00 GMT", 60),
        ("Thu Jan  1 12:01:00 2026", 60),
        ("Thu, 01 Jan 99999 12:01:00 GMT", None),
        ("Thu, 99 Jan 2026 12:01:00 GMT", None),
    ],
)
def test_retry_after_is_read(value: str | None, seconds: float | None) -> None:
    assert retry_after(value, NOW) == seconds


@pytest.mark.skipif(not hasattr(time, "tzset"), reason="This system keeps the time zone of a process.")
def test_a_date_without_a_zone_is_that_of_utc_everywhere(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TZ", "America/New_York")
    time.tzset()
    try:
        assert http_date("Thu, 01 Jan 2026 12:00:00 -0000") == NOW
    finally:
        monkeypatch.undo()
        time.tzset()
