"""Identifiers of the linear congruential generator of 48 bits in java.util.Random, drand48 of POSIX and rand of Perl.

In Java the first word and each value of the other 16 bits of the state give the three words that follow. Those of a
random identifier agree in 88 bits with one of them in less than one of 10^20 runs.

Perl shows 16 bits of each state. A sum of the states 1, 2, 7 and 8, with factors so small that the hidden bits hardly
change it, is the same for every start.
So is a sum of many states that show four bits each: rand(16) of Perl and nextInt(16) of Java for each digit.
"""

from __future__ import annotations

import cmath
from collections.abc import Iterable
from typing import Final, Literal

from conformance.identifiers.sample import FREE, ObservedId

_FACTOR: Final = 0x5_DEEC_E66D
_STEP: Final = 0xB

_FACTORS: Final = (-1592, 19, 536, -3083)
_SUM: Final = 26185
_BELOW, _ABOVE = 555, 4675
"""How far the hidden bits move the sum: by the positive factors down, by the negative ones up."""
_ORDERS: Final[tuple[Literal["big", "little"], ...]] = ("big", "little")
_BY_DIGIT: Final = ("32233212231121332332122321132232", "32323311223321212122124312221122")
"""The factor of each digit, plus 2: where all 32 are drawn, and where that of the version is not."""
_RESULTANT: Final = 20
"""The squared resultant of the sums as angles, for each identifier. Random ones exceed it in one of 10^8 runs; 64
identifiers of these generators reach 51."""
_ENOUGH: Final = 10
"""Identifiers whose sums are all so near in less than one of 10^10 runs, if they are random."""


def drawn_by_java(ids: Iterable[ObservedId]) -> ObservedId | None:
    """Return an identifier that is two calls of nextLong(), four of nextInt(), or 16 bytes of nextBytes(), or None."""
    ways: tuple[tuple[Literal["big", "little"], bool], ...] = (("big", True), ("big", False), ("little", False))
    return next((one for one in ids if any(_follow(one.id.int, *way) for way in ways)), None)


def drawn_by_perl(ids: Iterable[ObservedId]) -> bool:
    """Tell whether each identifier is eight times int(rand(65536)), in either byte order of UUID::Tiny."""
    numbers = [one.id.int for one in ids]
    # Parts that hardly change, such as those of a clock, would show the same sum again.
    vary = all(len({number >> place & 0xFFFF for number in numbers}) >= _ENOUGH for place in (0, 16, 96, 112))
    return vary and any(all(_sums_up(number, order) for number in numbers) for order in _ORDERS)


def drawn_by_digit(ids: Iterable[ObservedId]) -> bool:
    """Tell whether each digit of the identifiers is rand(16) of Perl or nextInt(16) of Java."""
    digits = [[int(digit, 16) for digit in f"{number:032x}"] for number in {one.id.int for one in ids}]
    for written in _BY_DIGIT:
        factors = [(place, int(factor) - 2) for place, factor in enumerate(written) if factor != "2"]
        angles = [sum(factor * each[place] for place, factor in factors) / 16 for each in digits]
        vary = all(len({each[place] for each in digits}) >= _ENOUGH for place, _ in factors)
        if vary and abs(sum(cmath.exp(2j * cmath.pi * angle) for angle in angles)) ** 2 > _RESULTANT * len(angles):
            return True
    return False


def _sums_up(number: int, order: Literal["big", "little"]) -> bool:
    first, *_, last = _words(number, order)
    shown = (first >> 16, first & 0xFFFF, last >> 16, last & 0xFFFF)
    found = sum(factor * drawn for factor, drawn in zip(_FACTORS, shown, strict=True))
    return (found - _SUM + _BELOW) % (1 << 16) <= _BELOW + _ABOVE


def _follow(number: int, order: Literal["big", "little"], signed: bool) -> bool:
    """Tell whether the last three words of an identifier follow from the first, apart from version and variant."""
    words, free = _words(number, order), _words(FREE, order)
    if signed:  # nextLong() adds its second word as a signed number
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
