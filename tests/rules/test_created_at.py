"""createdAt against the clocks of a run."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from email.utils import format_datetime

import pytest
from answered import creation
from hand_made import data_request

from conformance.model.exchange import Exchange
from conformance.rules.consistency import created_at, is_moment_of, shared_moment, sharing_all

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


@pytest.mark.parametrize("given", ["2026-03-01T00:00:00Z", "2026-03-01T10:07:00.000Z", "yesterday"])
def test_a_whole_minute_may_be_shared(given: str) -> None:
    assert shared_moment(made((0, given), (1, given), (3, given))) == []


def test_a_clock_that_is_read_once_a_second_may_be_shared() -> None:
    assert shared_moment(made((0, OLD), (0.3, OLD), (1.1, OLD))) == []


def test_a_run_too_short_to_tell_is_recognised() -> None:
    assert len(sharing_all(made((0, OLD), (0.1, OLD), (0.2, OLD)))) == 3
    assert sharing_all(made((0, OLD), (0.1, OLD), (0.2, OLD), (0.3, "2026-03-01T10:00:01.500Z"))) == []


@pytest.mark.parametrize(
    ("seconds", "right"), [(0, True), (-60, True), (30, True), (60, False), (-120, False), (-7200, False)]
)
def test_created_at_is_compared_with_the_clock_of_the_target(seconds: int, right: bool) -> None:
    plain = creation()
    moment = plain.started + timedelta(days=3)
    dated = creation(
        answer=data_request(createdAt=(moment + timedelta(seconds=seconds)).isoformat()),
        headers=[("Date", format_datetime(moment, usegmt=True))],
    )
    given = created_at(dated)

    assert given is not None
    assert is_moment_of(dated, given) is right


def test_created_at_may_be_right_by_the_clock_of_the_suite_alone() -> None:
    plain = creation()
    dated = creation(headers=[("Date", format_datetime(plain.started - timedelta(hours=1), usegmt=True))])

    assert is_moment_of(dated, plain.started)


def test_without_a_date_header_clocks_may_differ_by_a_day() -> None:
    plain = creation()

    assert is_moment_of(plain, plain.started + timedelta(hours=23))
    assert not is_moment_of(plain, plain.started + timedelta(hours=25))
