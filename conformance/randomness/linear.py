"""Identifiers from the 48-bit linear generator of java.util.Random and drand48: one gives away all the others (2.1).

A random identifier is never found: of its bits 72 more have to fit than the state of the generator has.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import cache
from typing import Final
from uuid import UUID

from conformance.randomness.sample import FREE, Drawn

_TIMES: Final = 0x5DEECE66D
_PLUS: Final = 0xB
_SIZE: Final = 1 << 48
_HIDDEN: Final = 1 << 16
"""Of each state all but the lowest sixteen bits come out."""

_TRIED: Final = 16
"""So many identifiers are looked at: each costs 0.25 ms."""

_Words = tuple[int, int, int, int]


def _of_longs(words: _Words) -> int:
    """Return the number of two longs, each of two signed words: who adds a negative one takes from the one before."""
    one, two, three, four = words
    borrowed = (one - (two >> 31)) % (1 << 32), two, (three - (four >> 31)) % (1 << 32), four
    return _of_words(borrowed)


def _of_words(words: _Words) -> int:
    one, two, three, four = words
    return one << 96 | two << 64 | three << 32 | four


def _of_bytes(words: _Words) -> int:
    """Return the number of sixteen bytes, of each word the lowest first."""
    return int.from_bytes(b"".join(word.to_bytes(4, "little") for word in words))


def _starts_of_words(value: int) -> Iterator[tuple[int, int]]:
    """Yield what the first two words may have been: the version stands in place of four bits of the second."""
    one, two = value >> 96, value >> 64 & 0xFFFFFFFF
    for digit in range(16):
        yield one, two & ~0xF000 | digit << 12


def _starts_of_longs(value: int) -> Iterator[tuple[int, int]]:
    for one, two in _starts_of_words(value):
        yield (one + (two >> 31)) % (1 << 32), two


def _starts_of_bytes(value: int) -> Iterator[tuple[int, int]]:
    for digit in range(16):
        raw = (value & ~(0xF << 76) | digit << 76).to_bytes(16)
        yield int.from_bytes(raw[:4], "little"), int.from_bytes(raw[4:8], "little")


_Starts = Iterator[tuple[int, int]]
_FORMS: Final[tuple[tuple[Callable[[_Words], int], Callable[[int], _Starts]], ...]] = (
    (_of_longs, _starts_of_longs),
    (_of_words, _starts_of_words),
    (_of_bytes, _starts_of_bytes),
)


def linear(drawn: Sequence[Drawn]) -> Drawn | None:
    """Return an identifier whose bits are four outputs of the generator that follow on one another; or None."""
    return next((each for each in drawn[:_TRIED] if _is_linear(each.id)), None)


def _is_linear(one: UUID) -> bool:
    return any(
        not (make(_four(state)) ^ one.int) & FREE
        for make, starts in _FORMS
        for first, second in starts(one.int)
        if (state := _state(first, second)) is not None
    )


def _four(state: int) -> _Words:
    words = []
    for _ in range(4):
        words.append(state >> 16)
        state = _next(state)
    return words[0], words[1], words[2], words[3]


def _next(state: int) -> int:
    return (state * _TIMES + _PLUS) % _SIZE


def _state(first: int, second: int) -> int | None:
    """Return the state whose output is `first` where that of the next one is `second`; or None where there is none.

    The sixteen hidden bits of both are a point of the lattice of (1, multiplier) and (0, 2^48), but for a shift. It has
    so few points that the nearest one to the middle is the only one that may fit.
    """
    shift = (second * _HIDDEN - _next(first * _HIDDEN)) % _SIZE
    (ax, ay), (bx, by) = _basis()
    across = ax * by - ay * bx
    x, y = _HIDDEN // 2, shift + _HIDDEN // 2
    of_a, of_b = round((x * by - y * bx) / across), round((ax * y - ay * x) / across)
    low, moved = of_a * ax + of_b * bx, of_a * ay + of_b * by - shift
    return first * _HIDDEN + low if 0 <= low < _HIDDEN and 0 <= moved < _HIDDEN else None


@cache
def _basis() -> tuple[tuple[int, int], tuple[int, int]]:
    """Return two short vectors that make the lattice (Gauss)."""
    one, two = (1, _TIMES), (0, _SIZE)
    while True:
        if one[0] ** 2 + one[1] ** 2 > two[0] ** 2 + two[1] ** 2:
            one, two = two, one
        times = round((one[0] * two[0] + one[1] * two[1]) / (one[0] ** 2 + one[1] ** 2))
        if not times:
            return one, two
        two = two[0] - times * one[0], two[1] - times * one[1]
