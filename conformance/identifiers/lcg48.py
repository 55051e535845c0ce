"""Identifiers of java.util.Random, a linear congruential generator whose state has 48 bits.

The first two words leave a few states, each of which gives the two that follow. The words of a random identifier agree
in 88 bits with those of a state in less than one of 10^20 runs.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Final, Literal

from conformance.identifiers.sample import FREE, ObservedId

_FACTOR: Final = 0x5_DEEC_E66D
_STEP: Final = 0xB


def drawn_by_java(ids: Iterable[ObservedId]) -> ObservedId | None:
    """Return an identifier that is two calls of nextLong(), four of nextInt(), or 16 bytes of nextBytes(), or None."""
    ways: tuple[tuple[Literal["big", "little"], bool], ...] = (("big", True), ("big", False), ("little", False))
    return next((one for one in ids if any(_follow(one.id.int, *way) for way in ways)), None)


def _follow(number: int, order: Literal["big", "little"], signed: bool) -> bool:
    """Tell whether the last three words of an identifier follow from the first, apart from version and variant."""
    words, free = _words(number, order), _words(FREE, order)
    if signed:  # nextLong() adds its second word as a signed number
        words[0] += words[1] >> 31
        words[2] += words[3] >> 31
    following = tuple(zip(words[1:], free[1:], strict=True))
    for state in _states(words[0], words[1] & free[1], (1 << 32) - 1 & ~free[1]):
        drawn = state
        for word, mask in following:
            drawn = drawn * _FACTOR + _STEP
            if (drawn >> 16 ^ word) & mask:
                break
        else:
            return True
    return False


def _states(first: int, second: int, hidden: int) -> Iterator[int]:
    """Yield the states that draw two words; `hidden` are the bits of the second that are not known.

    The factor exceeds the 16 bits of a state that no word shows, so each product has at most one state for a word.
    """
    start, size = (first & (1 << 32) - 1) << 16, 1 << 48
    drawn = start * _FACTOR + _STEP
    unknown = hidden
    while True:
        for turns in range((_FACTOR << 16) // size + 2):
            distance = ((second | unknown) << 16) - drawn % size + turns * size
            state = -(-distance // _FACTOR)
            if 0 <= state < 1 << 16:
                yield start + state
        if not unknown:
            return
        unknown = unknown - 1 & hidden


def _words(number: int, order: Literal["big", "little"]) -> list[int]:
    raw = number.to_bytes(16)
    return [int.from_bytes(raw[place : place + 4], order) for place in range(0, 16, 4)]
