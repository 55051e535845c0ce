"""Identifiers of rand() in the GNU C library: each number is the sum of those 3 and 31 before it, and perhaps 1 more.

So are the highest and the lowest bits of the numbers. Calls at the same time may change the order of the identifiers.
Of random identifiers about one sum of 8 is right at most. Constant parts and sums of zeros alone do not count.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from conformance.identifiers.sample import FREE

_ENOUGH: Final = 60


def drawn_by_glibc(ids: Sequence[int]) -> bool:
    """Tell whether 16, 8 or 4 bits of each number form identifiers, given in the order of creation, from either end."""
    return any(_add_up([*_draws(ids, bits, step)], 1 << bits) for bits in (16, 8, 4) for step in (1, -1))


def _draws(ids: Sequence[int], bits: int, step: int) -> Iterator[int]:
    """Yield the numbers, and -1 for one of version or variant, or of a constant part; templates draw no version."""
    places = [place for place in range(128 - bits, -1, -bits) if (bits, place) != (4, 76)][::step]
    ones = (1 << bits) - 1
    vary = sum(ones << place for place in places if len({each >> place & ones for each in ids}) > 1) & FREE
    for number in ids:
        yield from (number >> place & ones if vary >> place & ones == ones else -1 for place in places)


def _add_up(draws: list[int], size: int) -> bool:
    terms = [each for each in zip(draws[31:], draws[28:], draws, strict=False) if min(each) >= 0 and any(each)]
    right = sum((total - one - other) % size < 2 for total, one, other in terms)
    return len(terms) >= _ENOUGH and right > 0.4 * len(terms)
