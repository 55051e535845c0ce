"""createdAt against the clocks of a run."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from email.utils import format_datetime

import pytest
from answered import creation
from hand_made import data_request

from conformance.judge.moments import FAR, distance, rounded_to, shared_moment
from conformance.model.exchange import Exchange

OLD = "2026-03-01T10:00:01.123Z"


def made(*moments: tuple[float, str]) -> list[Exchange]:
    """Return creations, each so many seconds after the first, with its createdAt."""
    begun = creation().started
    return [
        replace(
            creation(answer=data_request(createdAt=given)),
            id=f"e{number}",
            started=begun + timedelta(seconds=seconds),
        )
        for number, (seconds, given) in enumerate(moments, 1)
    ]


def test_a_moment_that_creations_seconds_apart_share_is_found() -> None:
    shared = shared_moment(made((0, OLD), (1, OLD), (1.5, "2026-03-01T10:00:01.500Z"), (3, OLD)))

    assert [each.id for each in shared] == ["e1", "e2", "e4"]
    for whole in ("2026-03-01T10:07:00.000Z", "yesterday"):
        assert shared_moment(made((0, whole), (1, whole), (3, whole))) == []


def test_a_creation_that_took_seconds_may_share_the_moment_of_its_end() -> None:
    slow, *others = made((0, OLD), (3.1, OLD), (3.2, OLD))

    assert len(shared_moment([slow, *others])) == 3
    assert shared_moment([replace(slow, seconds=3.0), *others]) == []


@pytest.mark.parametrize(("ahead", "right"), [(12, True), (20, False)])
def test_a_date_header_counts_where_it_agrees_with_that_clock(ahead: int, right: bool) -> None:
    started = creation().started
    date = started + timedelta(minutes=ahead)
    dated = creation(headers=[("Date", format_datetime(date, usegmt=True))])

    # Thirteen minutes after the Date header.
    assert (distance(dated, date + timedelta(minutes=13)) <= FAR) is right
    assert distance(dated, started) == timedelta(0)


@pytest.mark.parametrize(
    ("moments", "unit"),
    [
        (["2026-03-01T10:00:01Z", "2026-03-01T10:00:00Z", "2026-03-01T10:00:00Z"], None),
        (["2026-03-01T10:07:00Z", "2026-03-01T10:07:00Z", "2026-03-01T10:08:00Z"], "minute"),
        (["2026-03-01T10:00:00Z", "2026-03-01T10:00:00Z", "2026-03-01T10:00:00Z"], "hour"),
        (["2026-03-01T00:00:00+05:30"] * 3, "day"),
    ],
)
def test_rounded_moments_are_recognised(moments: list[str], unit: str | None) -> None:
    found = rounded_to(made(*((number, given) for number, given in enumerate(moments))))

    assert (found and found[0]) == unit
