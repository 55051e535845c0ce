"""The analysis of the identifiers of a run: all tests, and the clock that explains what is not random."""

from __future__ import annotations

from dataclasses import replace
from functools import cached_property, lru_cache, reduce
from math import ceil, log2
from operator import or_
from typing import Final

from conformance.judge.identifiers.sample import ObservedId, Sample
from conformance.judge.identifiers.statistics import (
    ERROR,
    Evidence,
    binomial_tail,
    counting,
    dependent,
    ordered,
    rank,
    rank_tail,
    unbalanced,
)
from conformance.judge.identifiers.timestamps import EmbeddedClock, clock_of, one_per_tick

ALL_RANDOM: Final = "2.1-requestId-all-random"
NOT_INCREMENTAL: Final = "2.1-requestId-not-incremental"
NOT_TIME_ORDERED: Final = "2.1-requestId-not-time-ordered"

TESTS: Final = {
    unbalanced: ALL_RANDOM,
    dependent: ALL_RANDOM,
    ordered: NOT_TIME_ORDERED,
    counting: NOT_INCREMENTAL,
}
"""The statistical tests, with the requirement that each decides."""

LEVEL: Final = ERROR / len(TESTS)
"""A test reports a defect below this probability, so that all tests together stay within `ERROR`."""

FEWEST_BITS: Final = 64
"""Fewer random bits make no identifier random. OWASP asks for this number in a session identifier, others for more."""


class Analysis:
    """The identifiers of a user, with the results of all tests."""

    def __init__(self, sample: Sample) -> None:
        self.sample = sample

    @cached_property
    def clock(self) -> EmbeddedClock | None:
        """The clock inside the identifiers."""
        return clock_of(self.sample.ids)

    @cached_property
    def beside_clock(self) -> Sample:
        """The identifiers without their clock and its fraction or counter, one of each tick."""
        return one_per_tick(self.sample, self.clock) if self.clock else self.sample

    @cached_property
    def to_count(self) -> Sample:
        """The identifiers that hold no counter: beside too few random bits, what follows a clock is no fraction."""
        if self.clock is None or self.too_few_bits is None:
            return self.beside_clock
        return one_per_tick(self.sample, replace(self.clock, finer=0))

    @cached_property
    def rest(self) -> Sample:
        """The bits that have to be random: all, or those beside a clock that vary."""
        sample = self.beside_clock
        varying = reduce(or_, (value ^ sample.values[0] for value in sample.values), 0)
        return sample.within(varying) if self.clock else sample

    @cached_property
    def too_few_bits(self) -> int | None:
        """The most random bits that these identifiers can hold, if these are provably fewer than `FEWEST_BITS`.

        A generator of `FEWEST_BITS` random bits leaves this number of them constant, or this number of identifiers
        dependent on others, with a probability below the level. The suite cannot prove that anybody knows at which tick
        of its second a request was made, so the ticks of a clock count as random.
        """
        # The digits of version and variant may be random too.
        sample = replace(self.beside_clock, mask=(1 << 128) - 1 & ~(self.clock.bits if self.clock else 0))
        count, ticks = len(sample.values), ceil(log2(max(1.0, self.clock.ticks))) if self.clock else 0
        wanted = FEWEST_BITS - ticks
        if count < 2:
            return None
        rows = [(value ^ sample.values[0]) & sample.mask for value in sample.values[1:]]
        varying, independent = reduce(or_, rows).bit_count(), rank(rows)
        if binomial_tail(wanted, 2.0 ** (1 - count), wanted - varying) < LEVEL:
            return min(varying, independent) + ticks
        if rank_tail(len(rows), wanted, independent) < LEVEL:
            return independent + ticks
        return None

    @cached_property
    def results(self) -> list[Evidence | None]:
        """The result of each of `TESTS`; None where it does not apply."""
        samples = (self.rest, self.rest, self.sample, self.to_count)
        return [test(sample) for test, sample in zip(TESTS, samples, strict=True)]

    def against(self, requirement: str) -> Evidence | None:
        """Return the first evidence against a requirement that is too improbable for a random generator, or None."""
        mine = (result for of, result in zip(TESTS.values(), self.results, strict=True) if of == requirement)
        return next((result for result in mine if result and result.probability < LEVEL), None)


@lru_cache(maxsize=1)
def analyse(ids: tuple[ObservedId, ...]) -> Analysis:
    """Return the analysis of identifiers, computed once for all checks."""
    return Analysis(Sample(ids))
