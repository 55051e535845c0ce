"""Identifiers of Math.random() in V8: each of its numbers is a linear function of a state of 128 bits (xorshift128+).

Two identifiers that were drawn one after the other hold more bits than the state, so some of their sums are zero. For
random identifiers all of 48 sums are zero in less than one of 10^9 runs. V8 draws 64 numbers at a time and hands them
out backwards, so a window of numbers is searched that lies in one such batch.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from itertools import pairwise
from typing import Final

_STATE: Final = 128
_SUMS: Final = 48
_VARIANT: Final = 16
"""The digit of which a template keeps two bits: (Math.random() * 16 | 0) & 3 | 8."""
_GROUP: Final = 16
_SEARCHED: Final = 30
"""Identifiers that are searched, which takes a thousandth of a second for each."""


def drawn_by_v8(ids: Sequence[int]) -> tuple[int, int] | None:
    """Return two neighbours in the order of creation that follow from one state of V8, or None.

    Calls at the same time may change the order by one place.
    """
    for one, other in (pair for both in pairwise(ids[:_SEARCHED]) for pair in (both, both[::-1])):
        if any(_follow([*draw(one), *draw(other)], bits) for draw, bits in ((_digits, 4), (_groups, _GROUP))):
            return one, other
    return None


def _digits(number: int) -> Iterator[tuple[int, int]]:
    """Yield each digit of xxxxxxxx-xxxx-4xxx-yxxx-xxxxxxxxxxxx that is drawn, and which of its bits are not known."""
    for place, digit in enumerate(f"{number:032x}"):
        if place != 12:
            yield (int(digit, 16) & 3, 0b1100) if place == _VARIANT else (int(digit, 16), 0)


def _groups(number: int) -> Iterator[tuple[int, int]]:
    """Yield each group of four digits, Math.floor((1 + Math.random()) * 0x10000) without its first digit."""
    return ((number >> place & 0xFFFF, 0) for place in range(112, -1, -16))


def _follow(calls: Sequence[tuple[int, int]], bits: int) -> bool:
    window = (_STATE + _SUMS) // bits
    values = _packed((value for value, _ in reversed(calls)), bits)
    hidden = _packed((unknown for _, unknown in reversed(calls)), bits)
    size = (1 << window * bits) - 1
    for start in range(len(calls) - window + 1):
        value, unknown = values >> start * bits & size, hidden >> start * bits & size
        if value and not any((value & each).bit_count() & 1 for each in _sums_without(unknown, window, bits)):
            return True
    return False


def _packed(values: Iterable[int], bits: int) -> int:
    return sum(value << place * bits for place, value in enumerate(values))


@cache
def _sums_without(hidden: int, calls: int, bits: int) -> tuple[int, ...]:
    """Return sums of bits that are zero for every state, and that hold none of the hidden bits."""
    sums = _sums_of_nothing(calls, bits)
    for place in (each for each in range(hidden.bit_length()) if hidden >> each & 1):
        one = next((each for each in sums if each >> place & 1), 0)
        sums = tuple(each ^ one if each >> place & 1 else each for each in sums if each != one)
    return sums


@cache
def _sums_of_nothing(calls: int, bits: int) -> tuple[int, ...]:
    """Return which of the first bits of so many numbers have the sum zero in GF(2), for every state."""
    older, newer = [[1 << half + bit for bit in range(64)] for half in (0, 64)]
    reduced: dict[int, int] = {}
    found = []
    for call in range(calls):
        for bit in range(bits):
            row = older[64 - bits + bit] | 1 << _STATE + call * bits + bit
            while (low := row & (1 << _STATE) - 1) and (lead := low.bit_length()) in reduced:
                row ^= reduced[lead]
            if low:
                reduced[lead] = row
            else:
                found.append(row >> _STATE)
        older, newer = newer, _next(older, newer)
    return tuple(found)


def _next(older: list[int], newer: list[int]) -> list[int]:
    left = [each ^ (older[bit - 23] if bit >= 23 else 0) for bit, each in enumerate(older)]
    right = [each ^ (left[bit + 17] if bit + 17 < 64 else 0) for bit, each in enumerate(left)]
    return [each ^ newer[bit] ^ (newer[bit + 26] if bit + 26 < 64 else 0) for bit, each in enumerate(right)]
