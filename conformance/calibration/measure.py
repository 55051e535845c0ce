"""A measure of the score: so many of so many."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from fractions import Fraction

MEASURES: Mapping[str, str] = {
    "sensitivity": "faults whose own requirement came out as broken",
    "attribution": "faults for which nothing else was reported but what they declare",
    "specificity": "conforming services that were neither failed nor doubted",
    "combined_sensitivity": "faults in combinations that were found, or whose requirement names one that hides them",
    "combined_attribution": "combinations of faults for which nothing else was reported but what they declare",
    "stability": "services whose every verdict stayed the same with other seeds",
}
"""Name and meaning of each measure."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Measure:
    """So many of so many."""

    kept: int
    of: int

    @property
    def share(self) -> Fraction:
        """The share that was kept; the whole where there was nothing to keep."""
        return Fraction(self.kept, self.of) if self.of else Fraction(1)

    @property
    def percent(self) -> str:
        """The share as people read it; never rounded up to 100 %."""
        hundredths = int(self.share * 10_000)
        return f"{hundredths / 100:.{0 if hundredths == 10_000 else 2}f} %"

    @classmethod
    def over(cls, held: Iterable[bool]) -> Measure:
        """Count what holds."""
        every = list(held)
        return cls(kept=sum(every), of=len(every))
