"""Which createdAt cannot be that of every request that has it."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

import pytest
from answered import creation
from hand_made import data_request

from conformance.judging.moments import repeated_moment
from conformance.traffic.exchange import Exchange

OLD = "2026-03-01T10:00:00.123Z"


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


def test_a_moment_that_comes_again_while_the_clock_goes_on_is_found() -> None:
    found = repeated_moment(made((0, OLD), (1, OLD), (1.5, "2026-03-01T10:00:01.500Z"), (3, OLD)))

    assert found is not None
    assert (found[0], [each.id for each in found[1]]) == (OLD, ["e1", "e2", "e4"])


def test_a_moment_that_never_changes_is_found_among_many_requests_only() -> None:
    assert repeated_moment(made(*((number, OLD) for number in range(16)))) is not None
    assert repeated_moment(made(*((number, OLD) for number in range(15)))) is None


@pytest.mark.parametrize(
    "given", ["2026-03-01T00:00:00Z", "2026-03-01T10:00:00.000Z", "2026-03-01T10:00:00.5Z", "yesterday"]
)
def test_a_moment_that_is_not_told_to_the_millisecond_may_be_shared(given: str) -> None:
    other = (1.5, "2026-03-01T10:00:01.500Z")
    assert repeated_moment(made((0, given), (1, given), other, (3, given))) is None


def test_a_clock_that_is_read_once_a_second_may_be_shared() -> None:
    assert repeated_moment(made((0, OLD), (0.3, OLD), (0.5, "2026-03-01T10:00:00.500Z"), (1.1, OLD))) is None
