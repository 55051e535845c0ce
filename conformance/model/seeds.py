"""The numbers of a generator with a known seed: the same each time, so a verdict that rests on them asks no chance."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random


def python_numbers(seed: int | bytes, count: int) -> Iterator[int]:
    """Yield the first numbers of 128 bits that random.Random of Python draws with a seed."""
    draw = Random(seed).getrandbits
    for _ in range(count):
        yield draw(128)
