"""Every statistical test with its question in plain words, and what came of all of them for one sample."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Final

from conformance.randomness import bits, clocks, counting, order, pairs
from conformance.randomness.evidence import ERROR, Evidence
from conformance.randomness.sample import FREE, Drawn, Sample

RANDOM: Final = "2.1-requestId-random"
NOT_INCREMENTAL: Final = "2.1-requestId-not-incremental"
NOT_TIME_ORDERED: Final = "2.1-requestId-not-time-ordered"


@dataclass(frozen=True, slots=True)
class Question:
    """One test: the requirement that it speaks of, and the smallest defect that it finds.

    `detects` holds for 64 identifiers, with probability 0.99; `benchmarks/randomness_power.py` measures it.
    """

    name: str
    requirement: str
    question: str
    detects: str
    run: Callable[[Sample], Evidence | None]


TESTS: Final = (
    Question(
        "constant bits",
        RANDOM,
        "Does a bit have the same value in every identifier?",
        "1 bit that never changes",
        bits.constant,
    ),
    Question(
        "leaning bits",
        RANDOM,
        "Is a bit a one, or a zero, far more often than half the time?",
        "1 bit that is a one in 97 of 100 identifiers",
        bits.leaning,
    ),
    Question(
        "ones and zeros",
        RANDOM,
        "Are there as many ones as zeros, all together?",
        "bits that are a one in 55 of 100 cases",
        bits.unbalanced,
    ),
    Question(
        "copied bits",
        RANDOM,
        "Is a bit the copy, or the opposite, of another one?",
        "1 bit that agrees with another in 98 of 100 identifiers",
        pairs.copied,
    ),
    Question(
        "few independent bits",
        RANDOM,
        "Can identifiers be put together from others?",
        "at most 62 random bits, spread over all by exclusive or",
        pairs.dependent,
    ),
    Question(
        "alike",
        RANDOM,
        "Are two identifiers nearly the same?",
        "2 identifiers that differ in at most 22 bits",
        pairs.alike,
    ),
    Question(
        "neighbours",
        RANDOM,
        "Does an identifier resemble the one before it?",
        "bits that are kept from the one before in 55 of 100 cases",
        order.neighbours,
    ),
    Question(
        "rhythm",
        RANDOM,
        "Does a bit change in a fixed rhythm, such as every time or every second time?",
        "1 bit that changes, or stays, in 98 of 100 cases",
        order.rhythm,
    ),
    Question(
        "successors",
        RANDOM,
        "Can the next value of a part be told from what followed the same value before?",
        "4 bits whose successor is the same in 80 of 100 cases",
        order.successors,
    ),
    Question(
        "rising or falling",
        NOT_TIME_ORDERED,
        "Does a part of the identifier grow, or shrink, with time?",
        "2 bytes that follow the time but for noise of 30 % of its way",
        order.ranks,
    ),
    Question(
        "counting",
        NOT_INCREMENTAL,
        "Does a part of the identifier move in one direction from one to the next?",
        "a counter of at least 1 byte, by any step up to half of its range",
        counting.one_way,
    ),
    Question(
        "equal steps",
        NOT_INCREMENTAL,
        "Does a part of the identifier move by the same step again and again?",
        "2 bytes that move by the same step in 40 of 100 cases",
        counting.same_step,
    ),
    Question(
        "carries",
        NOT_INCREMENTAL,
        "Do the bits of a part change as those of a counter do, even under a mask or turned round?",
        "a counter of 2 bytes, masked, turned round or in Gray code, that skips 3 numbers of 10",
        counting.carries,
    ),
)

LEVEL: Final = ERROR / len(TESTS)
"""A test speaks against the identifiers below this probability, so that all together keep to `ERROR`."""


@dataclass(frozen=True, slots=True)
class Result:
    """What one test came to: `evidence` is None where it had nothing to say."""

    test: Question
    evidence: Evidence | None

    @property
    def found(self) -> Evidence | None:
        """The evidence, where chance cannot explain it."""
        return self.evidence if self.evidence is not None and self.evidence.probability < LEVEL else None


class Examination:
    """One sample, and what the tests say of it; each is made once, when it is asked for."""

    def __init__(self, sample: Sample) -> None:
        self.sample = sample

    @cached_property
    def time_based(self) -> str | None:
        """What the time fields of version 1 or 6 hold, in words."""
        return clocks.time_based(self.sample.drawn)

    @cached_property
    def clock(self) -> clocks.Clock | None:
        """The clock inside the identifiers, other than that of version 1 or 6."""
        return None if self.time_based else clocks.clock_of(self.sample)

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
        random = tuple(Result(test, test.run(self.rest)) for test in TESTS if test.requirement == RANDOM)
        clean = not self.too_little_beside_the_clock and not any(each.found for each in random)
        others = tuple(
            Result(test, test.run(self.sample if test.requirement == NOT_TIME_ORDERED else self._uncounted(clean)))
            for test in TESTS
            if test.requirement != RANDOM
        )
        return random + others

    def against(self, requirement: str) -> Result | None:
        """Return the first test of a requirement that speaks against the identifiers, or None."""
        return next((each for each in self.results if each.test.requirement == requirement and each.found), None)

    def _uncounted(self, clean: bool) -> Sample:
        """Return what has to be free of counters: a clock is another matter, and so is the fraction behind it."""
        if self.time_based:
            return self.sample.within(FREE >> 64)
        if self.clock is None:
            return self.sample
        rest = self.sample.within(~self.clock.bits & ~(self.clock.finer if clean else 0))
        return clocks.one_a_tick(rest, self.clock)


@lru_cache(maxsize=1)
def examine(drawn: tuple[Drawn, ...]) -> Examination:
    """Return the examination of identifiers; what was found for the same ones is found once."""
    return Examination(Sample(drawn))
