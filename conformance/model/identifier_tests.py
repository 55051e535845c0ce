"""The statistical tests of the identifiers of a run, as a report has them."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, kw_only=True)
class IdentifierTest:
    """One statistical test of the identifiers; `probability` is None if it was not applicable."""

    name: str
    requirement: str
    question: str
    came: str
    probability: float | None
    """Upper bound of the probability of this result for a random generator."""
    verdict: str
    """"found" or "nothing-found"."""
    detects: str
    """The smallest defect that the test finds with probability 0.99 in the wanted number of identifiers."""


@dataclass(frozen=True, kw_only=True)
class Identifiers:
    """The identifiers that the run's user received, and the tests of their randomness (2.1)."""

    seen: int
    wanted: int
    in_certain_order: int
    """Number of identifiers created one after another; of simultaneous creations one counts."""
    shown: tuple[str, ...]
    """The first identifiers, in the order of their creation calls."""
    clock: str
    """The clock in the identifiers, in words; empty if there is none."""
    judged: int
    """Number of bits of each identifier that should be random."""
    not_judged: tuple[tuple[int, int], ...]
    """The other bits, as pairs: the first bit, counted from 0 at the most significant, and the number of bits."""
    level: float
    """A test finds a defect below this probability."""
    tests: tuple[IdentifierTest, ...]
