"""The analysis of the identifiers of a run: all tests, and the clock that explains what is not random."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache, reduce
from math import ceil, log2
from operator import or_
from typing import Final

from conformance.identifiers import bits, counters, timestamps
from conformance.identifiers.sample import FREE, ObservedId, Sample
from conformance.identifiers.statistics import (
    ALL_RANDOM,
    ERROR,
    NOT_INCREMENTAL,
    NOT_TIME_ORDERED,
    Evidence,
    StatisticalTest,
    binomial_tail,
)
from conformance.identifiers.timestamps import BESIDE_A_CLOCK, EmbeddedClock, beside, clocks_of

TESTS: Final = (
    *(bits.constant, bits.leaning, bits.dependent),
    *(counters.ordered_parts, counters.counting_parts, counters.equal_steps),
)

LEVEL: Final = ERROR / len(TESTS)
"""A test reports a defect below this probability, so that all tests together stay within `ERROR`."""

FEWEST_BITS: Final = 64
"""Fewer random bits make no identifier random. OWASP asks for this number in a session identifier, others for more."""


@dataclass(frozen=True, slots=True)
class Result:
    """The result of one test; `evidence` is None if the test does not apply."""

    test: StatisticalTest
    evidence: Evidence | None

    @property
    def found(self) -> Evidence | None:
        """The evidence if it is too improbable for a random generator."""
        return self.evidence if self.evidence is not None and self.evidence.probability < LEVEL else None


def _any_found(results: Iterable[Result]) -> bool:
    return any(result.found for result in results)


class Analysis:
    """The identifiers of a user, with the results of all tests."""

    def __init__(self, sample: Sample) -> None:
        self.sample = sample

    @cached_property
    def time_based(self) -> str | None:
        """The time in the fields of version 1 or 6, in words."""
        return timestamps.time_based(self.sample.ids)

    @cached_property
    def clock(self) -> EmbeddedClock | None:
        """The clock inside the identifiers.

        Of several possible clocks, the first that leaves random bits: a wrong clock then accuses no service.
        """
        if self.time_based:
            return timestamps.of_time_fields(self.time_based)
        plausible = list(clocks_of(self.sample))
        return next(filter(self._explains, plausible), plausible[0] if plausible else None)

    def _explains(self, clock: EmbeddedClock) -> bool:
        rest = beside(self.sample, clock)
        return len(rest.positions) >= BESIDE_A_CLOCK and not _any_found(self._results(rest, ALL_RANDOM))

    @cached_property
    def rest(self) -> Sample:
        """The bits that have to be random: all, or those beside a clock."""
        return beside(self.sample, self.clock) if self.clock else self.sample

    @cached_property
    def too_few_bits(self) -> int | None:
        """The most random bits that these identifiers can hold, if these are provably fewer than `FEWEST_BITS`.

        A generator of `FEWEST_BITS` random bits leaves this number of them constant, or this number of identifiers
        dependent on others, with a probability below the level. The suite cannot prove that anybody knows at which tick
        of its second a request was made, so the ticks of a clock count as random.
        """
        # The digits of version and variant may be random too.
        sample = replace(self.sample, mask=(1 << 128) - 1 & ~(self.clock.bits if self.clock else 0))
        count, ticks = len(sample.values), ceil(log2(max(1.0, self.clock.ticks))) if self.clock else 0
        wanted = FEWEST_BITS - ticks
        if count < 2:
            return None
        rows = [(value ^ sample.values[0]) & sample.mask for value in sample.values[1:]]
        varying, independent = reduce(or_, rows).bit_count(), bits.rank(rows)
        if varying < wanted and binomial_tail(wanted, 2.0 ** (1 - count), wanted - varying) < LEVEL:
            return min(varying, independent) + ticks
        if independent < wanted and 4 * 2.0 ** -((len(rows) - independent) * (wanted - independent)) < LEVEL:
            return independent + ticks
        return None

    @cached_property
    def results(self) -> list[Result]:
        """The result of every test."""
        random = self._results(self.rest, ALL_RANDOM)
        ordered = self._results(self.sample, NOT_TIME_ORDERED)
        is_in_time = self.clock is None and _any_found(ordered)
        counted = replace(self._to_count(random), is_in_time=is_in_time)
        return random + ordered + self._results(counted, NOT_INCREMENTAL)

    def _results(self, sample: Sample, requirement: str) -> list[Result]:
        return [Result(test, test.run(sample)) for test in TESTS if test.requirement == requirement]

    def _to_count(self, random: list[Result]) -> Sample:
        """Return the sample that must hold no counter: without a clock and, if the rest is random, its fraction."""
        if self.time_based:
            return self.sample.within(FREE >> 64)
        if self.clock is None:
            return self.sample
        is_random = self.too_few_bits is None and not _any_found(random)
        rest = self.sample.within(~self.clock.bits & ~(self.clock.finer if is_random else 0))
        return timestamps.one_per_tick(rest, self.clock)

    def against(self, requirement: str) -> Evidence | None:
        """Return the first evidence against a requirement, or None."""
        results = (result for result in self.results if result.test.requirement == requirement)
        return next((result.found for result in results if result.found), None)


@lru_cache(maxsize=1)
def analyse(ids: tuple[ObservedId, ...]) -> Analysis:
    """Return the analysis of identifiers, computed once for all checks."""
    return Analysis(Sample(ids))
