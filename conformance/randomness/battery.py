"""Every statistical test with its question in plain words."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from conformance.randomness import bits, counting, order, pairs
from conformance.randomness.evidence import ERROR, Evidence
from conformance.randomness.sample import Sample

RANDOM: Final = "2.1-requestId-random"
NOT_INCREMENTAL: Final = "2.1-requestId-not-incremental"
NOT_TIME_ORDERED: Final = "2.1-requestId-not-time-ordered"


@dataclass(frozen=True, slots=True)
class Request:
    """One test: the requirement that it speaks of, and the smallest defect that it finds.

    `detects` holds for 64 identifiers, with probability 0.99; `benchmarks/randomness_power.py` measures it.
    """

    name: str
    requirement: str
    question: str
    detects: str
    run: Callable[[Sample], Evidence | None]


TESTS: Final = (
    Request(
        "constant bits",
        RANDOM,
        "Does a bit have the same value in every identifier?",
        "1 bit that never changes",
        bits.constant,
    ),
    Request(
        "leaning bits",
        RANDOM,
        "Is a bit a one, or a zero, far more often than half the time?",
        "1 bit that is a one in 97 of 100 identifiers",
        bits.leaning,
    ),
    Request(
        "ones and zeros",
        RANDOM,
        "Are there as many ones as zeros, all together?",
        "bits that are a one in 55 of 100 cases",
        bits.unbalanced,
    ),
    Request(
        "copied bits",
        RANDOM,
        "Is a bit the copy, or the opposite, of another one?",
        "1 bit that agrees with another in 98 of 100 identifiers",
        pairs.copied,
    ),
    Request(
        "few independent bits",
        RANDOM,
        "Can identifiers be put together from others?",
        "at most 62 random bits, spread over all by exclusive or",
        pairs.dependent,
    ),
    Request(
        "neighbours",
        RANDOM,
        "Does an identifier resemble the one before it?",
        "bits that are kept from the one before in 55 of 100 cases",
        order.neighbours,
    ),
    Request(
        "rhythm",
        RANDOM,
        "Does a bit change in a fixed rhythm, such as every time or every second time?",
        "1 bit that changes, or stays, in 98 of 100 cases",
        order.rhythm,
    ),
    Request(
        "rising or falling",
        NOT_TIME_ORDERED,
        "Does a part of the identifier grow, or shrink, with time?",
        "2 bytes that follow the time but for noise of 30 % of its way",
        order.ranks,
    ),
    Request(
        "counting",
        NOT_INCREMENTAL,
        "Does a part of the identifier move in one direction from one to the next?",
        "a counter of at least 1 byte, by any step up to half of its range",
        counting.one_way,
    ),
    Request(
        "equal steps",
        NOT_INCREMENTAL,
        "Does a part of the identifier move by the same step again and again?",
        "2 bytes that move by the same step in 40 of 100 cases",
        counting.same_step,
    ),
    Request(
        "carries",
        NOT_INCREMENTAL,
        "Do the bits of a part change as those of a counter do, even under a mask or turned round?",
        "a counter of 2 bytes, masked, turned round or in Gray code, that skips 3 numbers of 10",
        counting.carries,
    ),
)

LEVEL: Final = ERROR / len(TESTS)
"""A test speaks against the identifiers below this probability, so that all together keep to `ERROR`."""
