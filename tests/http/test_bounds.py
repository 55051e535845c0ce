from __future__ import annotations

import pytest

from conformance.http.limits import KIB, MIB, Limits, amount


def test_no_time_is_longer_than_the_deadline() -> None:
    bounds = Limits(deadline=2)

    assert (bounds.resolve, bounds.connect, bounds.first_byte) == (2, 2, 2)
    assert Limits().first_byte < Limits().deadline


@pytest.mark.parametrize(
    ("number", "words"),
    [(10 * MIB, "10 MiB"), (64 * KIB, "64 KiB"), (1536 * KIB, "1536 KiB"), (100_000, "100000 bytes"), (0, "0 bytes")],
)
def test_amounts_are_said_as_a_person_reads_them(number: int, words: str) -> None:
    assert amount(number) == words
