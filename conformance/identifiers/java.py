"""Identifiers of java.util.Random: its state has 48 bits, so what it draws for an identifier holds no more.

The first word and each value of the other 16 bits of the state give the three words that follow. Those of a random
identifier agree in 88 bits with one of them in less than one of 10^20 runs.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final, Literal

from conformance.identifiers.sample import FREE, ObservedId

_FACTOR: Final = 0x5_DEEC_E66D
_STEP: Final = 0xB


def drawn_by_java(ids: Iterable[ObservedId]) -> ObservedId | None:
    """Return an identifier that is two calls of nextLong(), or 16 bytes of nextBytes(), or None."""
    return next((one for one in ids if _follow(one.id.int, "big") or _follow(one.id.int, "little")), None)


def _follow(number: int, order: Literal["big", "little"]) -> bool:
    """Tell whether the last three words of an identifier follow from the first, apart from version and variant."""
    words, free = _words(number, order), _words(FREE, order)
    if order == "big":  # nextLong() adds its second word as a signed number
        words[0] += words[1] >> 31
        words[2] += words[3] >> 31
    first = (words[0] & (1 << 32) - 1) << 16
    following = tuple(zip(words[1:], free[1:], strict=True))
    for state in range(first, first + (1 << 16)):
        drawn = state
        for word, mask in following:
            drawn = drawn * _FACTOR + _STEP
            if (drawn >> 16 ^ word) & mask:
                break
        else:
            return True
    return False


def _words(number: int, order: Literal["big", "little"]) -> list[int]:
    raw = number.to_bytes(16)
    return [int.from_bytes(raw[place : place + 4], order) for place in range(0, 16, 4)]
