from __future__ import annotations

import random

import pytest
from identifier_samples import stamped

from conformance.randomness.linear import linear
from conformance.randomness.sample import Drawn

LONGS = (-5025562857975149833, -5843495416241995736)
"""The first two longs of java.util.Random with seed 42."""

WORDS = (0xBA419D35, 0x0DFE8AF7, 0xAEE7BBE1, 0x0C45C028)
"""The same state by words: a long takes one from its upper word where the lower is negative."""


def drawn(value: int) -> list[Drawn]:
    return [Drawn(stamped(value), 0.0, 1.0)]


@pytest.mark.parametrize(
    "raw",
    [
        b"".join(each.to_bytes(8, signed=True) for each in LONGS),
        b"".join(each.to_bytes(4) for each in WORDS),
        b"".join(each.to_bytes(4, "little") for each in WORDS),
    ],
)
def test_an_identifier_that_gives_away_the_state_of_its_generator_is_found(raw: bytes) -> None:
    assert linear(drawn(int.from_bytes(raw)))
    assert not linear(drawn(int.from_bytes(raw) ^ 1 << 40))


def test_random_identifiers_give_nothing_away() -> None:
    chance = random.Random(48)
    assert not any(linear(drawn(chance.getrandbits(128))) for _ in range(500))
