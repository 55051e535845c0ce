"""What came of all the tests for the identifiers of one run."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property, lru_cache

from conformance.randomness import clocks
from conformance.randomness.battery import LEVEL, NOT_TIME_ORDERED, RANDOM, TESTS, Request
from conformance.randomness.evidence import Evidence
from conformance.randomness.lots import clocks_of, lots
from conformance.randomness.sample import FREE, Drawn, Sample
from conformance.randomness.time_fields import time_based


@dataclass(frozen=True, slots=True)
class Result:
    """What one test came to: `evidence` is None where it had nothing to say."""

    test: Request
    evidence: Evidence | None
    level: float = LEVEL
    """Below this probability chance cannot explain the evidence."""

    @property
    def found(self) -> Evidence | None:
        """The evidence, where chance cannot explain it."""
        return self.evidence if self.evidence is not None and self.evidence.probability < self.level else None


class Lot:
    """Identifiers of one kind, and what the tests say of them; each is made once, when it is asked for."""

    def __init__(self, sample: Sample, level: float = LEVEL) -> None:
        self.sample = sample
        self.level = level

    @cached_property
    def time_based(self) -> str | None:
        """What the time fields of version 1 or 6 hold, in words."""
        return time_based(self.sample.drawn)

    @cached_property
    def clock(self) -> clocks.Clock | None:
        """The clock inside the identifiers, other than that of version 1 or 6.

        Of several that are plausible the first that leaves random bits: none is blamed for what another explains.
        """
        first = None
        for clock in () if self.time_based else clocks_of(self.sample):
            rest = clocks.beside(self.sample, clock)
            if len(rest.positions) >= clocks.BESIDE_A_CLOCK and not any(each.found for each in self._random(rest)):
                return clock
            first = first or clock
        return first

    @cached_property
    def rest(self) -> Sample:
        """What has to be random: everything, or what a clock leaves."""
        return clocks.beside(self.sample, self.clock) if self.clock else self.sample

    @property
    def too_little_beside_the_clock(self) -> bool:
        """Whether a clock leaves fewer varying bits than make an identifier random."""
        return self.clock is not None and len(self.rest.positions) < clocks.BESIDE_A_CLOCK

    @cached_property
    def results(self) -> tuple[Result, ...]:
        """What every test came to."""
        random = self._random(self.rest)
        clean = not self.too_little_beside_the_clock and not any(each.found for each in random)
        others = tuple(
            Result(
                test,
                test.run(self.sample if test.requirement == NOT_TIME_ORDERED else self._uncounted(clean)),
                self.level,
            )
            for test in TESTS
            if test.requirement != RANDOM
        )
        return random + others

    def _random(self, rest: Sample) -> tuple[Result, ...]:
        return tuple(Result(test, test.run(rest), self.level) for test in TESTS if test.requirement == RANDOM)

    def _uncounted(self, clean: bool) -> Sample:
        """Return what has to be free of counters: a clock is another matter, and so is the fraction behind it."""
        if self.time_based:
            return self.sample.within(FREE >> 64)
        if self.clock is None:
            return self.sample
        rest = self.sample.within(~self.clock.bits & ~(self.clock.finer if clean else 0))
        return clocks.one_a_tick(rest, self.clock)


class Examination:
    """One sample, and what the tests say of it: of its lots, each judged by itself."""

    def __init__(self, sample: Sample) -> None:
        self.sample = sample
        parted = lots(sample)
        # Each lot has its share of the error probability, so that all of them keep to it.
        self.lots = tuple(Lot(each, LEVEL / len(parted)) for each in parted)

    @property
    def time_based(self) -> str | None:
        """What the time fields of version 1 or 6 hold, in words; where some identifiers have none, of the others."""
        return next((lot.time_based for lot in self.lots if lot.time_based), None)

    @property
    def clock(self) -> clocks.Clock | None:
        """The clock inside the identifiers, or inside those of one version."""
        return next((lot.clock for lot in self.lots if lot.clock), None)

    @property
    def rest(self) -> Sample:
        """What has to be random: of the identifiers without a clock everything, or what a clock leaves of all."""
        return self.lots[0].rest

    @property
    def starved(self) -> Lot | None:
        """The identifiers whose clock leaves fewer varying bits than make them random."""
        return next((lot for lot in self.lots if lot.too_little_beside_the_clock), None)

    @cached_property
    def results(self) -> tuple[Result, ...]:
        """What every test came to, in the lot that it speaks against most."""
        return tuple(
            min(of_lots, key=lambda result: result.evidence.probability if result.evidence else 2.0)
            for of_lots in zip(*(lot.results for lot in self.lots), strict=True)
        )

    def against(self, requirement: str) -> Result | None:
        """Return the first test of a requirement that speaks against the identifiers, or None."""
        return next((each for each in self.results if each.test.requirement == requirement and each.found), None)


@lru_cache(maxsize=1)
def examine(drawn: tuple[Drawn, ...]) -> Examination:
    """Return the examination of identifiers; what was found for the same ones is found once."""
    return Examination(Sample(drawn))
