"""Measures: what is counted, and its share of the total."""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction

from conformance.model.score import Measure


def measured(held: Iterable[bool]) -> Measure:
    """Count what holds."""
    every = list(held)
    return Measure(kept=sum(every), of=len(every))


def share(measure: Measure) -> Fraction:
    """Return the share; 1 of nothing."""
    return Fraction(measure.kept, measure.of) if measure.of else Fraction(1)


def percent(measure: Measure) -> str:
    """Return the share in percent; never rounded up to 100 %."""
    hundredths = int(share(measure) * 10_000)
    return f"{hundredths / 100:.{0 if hundredths == 10_000 else 2}f} %"
