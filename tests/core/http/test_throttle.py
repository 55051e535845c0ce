from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime

import pytest
from hand_made import SETTINGS, Scripted, Waits, json_answer, session_with

from conformance.http.noise import retry_after
from conformance.model.target import Budget

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
        (None, None),
        ("1.5", None),
        ("٣", None),
        (" 120 ", 120),
        ("-5", None),
        ("9" * 400, float("inf")),
        ("Thu, 01 Jan 2026 12:01:00 GMT", 60),
        ("Thursday, 01-Jan-26 12:01:00 GMT", 60),
        ("Thu Jan  1 12:01:00 2026", 60),
        ("Thu, 01 Jan 99999 12:01:00 GMT", None),
    ],
)
def test_retry_after_is_read(value: str | None, seconds: float | None) -> None:
    assert retry_after(value, NOW) == seconds
