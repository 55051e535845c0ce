"""A clock inside the identifiers: where it stands, and what has to be random beside it."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Final

from conformance.randomness.sample import FEWEST, FREE, Drawn, Sample

DAY: Final = 86_400.0
BESIDE_A_CLOCK: Final = 48
"""Random bits that make an identifier random though it tells the time: fewer than any layout of version 7 has."""

_FINER: Final = 16
"""Bits behind a clock that may hold its fraction or its counter, as version 7 lets them."""


@dataclass(frozen=True, slots=True)
class Clock:
    """A clock found inside the identifiers; `bits` are those that hold it, as a mask."""

    told: str
    """In words, with where it stands."""
    bits: int
    finer: int = 0
    """Bits behind it in which a fraction or a counter may follow."""


def beside(sample: Sample, clock: Clock) -> Sample:
    """Return the sample with what may be random beside a clock: neither its bits nor any that stay the same."""
    rest = sample.within(~clock.bits & ~clock.finer)
    varying = 0
    for value in rest.values:
        varying |= value ^ rest.values[0]
    return one_a_tick(rest.within(varying), clock)


def one_a_tick(sample: Sample, clock: Clock) -> Sample:
    """Return the sample with the first identifier of each tick only, where that leaves enough of them.

    Within one tick version 7 may count from where a random number began (RFC 9562, 6.2): the order of what was drawn
    in the same millisecond is part of the clock. A counter that goes on shows from tick to tick as well.
    """
    first: dict[int, Drawn] = {}
    for each in sample.drawn:
        first.setdefault(each.id.int & clock.bits, each)
    return replace(sample, drawn=tuple(first.values())) if len(first) >= FEWEST else sample


def turned(value: int) -> int:
    """Return the number with its bytes the other way round."""
    return int.from_bytes(value.to_bytes(16), "little")


def held_in(told: str, start: int, end: int, unit: float, *, little: bool) -> Clock:
    """Return the clock in the bits from `start` to `end`, counted from where its most significant byte stands."""
    bits = span(start, end)
    finer = span(end, end + _FINER) if unit < 1e6 else 0
    if little:
        bits, finer = turned(bits), turned(finer)
    held = [byte for byte in range(16) if bits >> 8 * (15 - byte) & 0xFF]
    place = f"bytes {held[0] + 1} to {held[-1] + 1}" + (", read backwards," if little else "")
    return Clock(f"{place} hold the time of creation ({told})", bits & FREE, finer & FREE)


def span(start: int, end: int) -> int:
    """Return the mask of the bits from `start` to `end`, counted from the most significant."""
    end = min(end, 128)
    return (1 << max(0, end - start)) - 1 << 128 - end
