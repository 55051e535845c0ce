"""Statistical tests of identifiers, with the probability that a random generator gives the same evidence or worse.

Null hypothesis: all bits are independent tosses of a fair coin. So the numbers in parts of successive identifiers are
independent and uniform, and so are their differences modulo the size of the part.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate, combinations, pairwise
from typing import Final

from conformance.judge.identifiers.sample import FREE, Clue, ObservedId, Sample, digits_at
from conformance.model.target import SEVERAL

ERROR: Final = 1e-7
"""Error probability of all statistical tests of one run together, for a random generator."""

_FEW: Final = 5
"""Bits in which two identifiers differ that tell each other: see `neighbours`."""
_LEFT_OUT: Final = 2
"""Numbers that a counter passes for each identifier, in units of its step: other users move it, too."""
_CLOSE: Final = 0.6
"""The share of numbers that follow closely, where several workers count, or others take every second number. A clock
leaves out more, or repeats some."""


@dataclass(frozen=True, slots=True)
class Evidence:
    """The observation of one test, in words, with the probability that a random generator produces it or worse."""

    message: str
    probability: float
    """An upper bound, between 0 and 1."""


# ---------------------------------------------------------------------- single bits


def binomial_tail(n: int, p: float, k: int) -> float:
    """Return the probability of at least `k` successes among `n`, each with probability `p`."""
    if k <= 0:
        return 1.0
    return min(1.0, sum(math.comb(n, i) * p**i * (1 - p) ** (n - i) for i in range(k, n + 1)))


def unbalanced(sample: Sample) -> Evidence | None:
    """Bits that have one of two values too often, such as the node of version 1, the worker of a Snowflake, or a flag.

    The number of bits that have one value in at least k of n identifiers is binomial, for each k.
    """
    count, width = len(sample.values), len(sample.positions)
    if count < 2 or not width:
        return None
    ones = [sum(value >> 127 - bit & 1 for value in sample.values) for bit in sample.positions]
    # Which of the two values it is, a pseudonym in the evidence may change.
    most = [max(number, count - number) for number in ones]
    tried = range(count, count // 2, -1)
    ways = accumulate(math.comb(count, often) for often in tried)
    probability = min(
        binomial_tail(width, 2 * tail / (1 << count), sum(number >= often for number in most))
        for often, tail in zip(tried, ways, strict=True)
    )
    same, worst = most.count(count), max(most)
    return Evidence(
        f"{same} of the {width} bits that should be random have the same value in all {count} identifiers"
        if same
        else f"single bits are not balanced (bit {sample.positions[most.index(worst)]} has one value in {worst} of "
        f"{count} identifiers)",
        min(1.0, len(tried) * probability),
    )


def rank(rows: Sequence[int]) -> int:
    """Return how many of these rows of bits are independent under exclusive or."""
    reduced: dict[int, int] = {}
    for row in rows:
        while row and (top := row.bit_length()) in reduced:
            row ^= reduced[top]
        if row:
            reduced[row.bit_length()] = row
    return len(reduced)


def rank_tail(rows: int, width: int, independent: int) -> float:
    """Bound the probability that of `rows` rows of `width` random bits at most `independent` are independent."""
    return min(1.0, 4 * 2.0 ** -((rows - independent) * max(0, width - independent)))


def dependent(sample: Sample) -> Evidence | None:
    """Identifiers, or bits, that are sums (exclusive or) of others, as in `new UUID(n, n)` of Java."""
    if len(sample.values) < 2:
        return None
    rows = [(value ^ sample.values[0]) & sample.mask for value in sample.values[1:]]
    width, independent = len(sample.positions), rank(rows)
    return Evidence(
        f"the identifiers hold {independent} independent bits instead of {min(width, len(rows))}; the others follow "
        "from these by exclusive or",
        rank_tail(len(rows), width, independent),
    )


def neighbours(ids: Sequence[ObservedId], clock: int = FREE) -> Clue | None:
    """Return two identifiers that differ in few bits, and not only within a tick of a clock, or None.

    64 random bits of two identifiers differ in at most 5 places once in 10^12 pairs; a run has about 3,000 pairs.
    """
    for pair in combinations(ids, 2):
        bits = pair[0].id.int ^ pair[1].id.int
        if bits & clock and bits.bit_count() <= _FEW:
            return Clue(pair, f"alike but for {bits.bit_count()} of 128 bits: one tells the other")
    return None


# ---------------------------------------------------------------------- numbers in parts of identifiers


def ordered(sample: Sample) -> Evidence | None:
    """A part that rises or falls, as sequential GUIDs do (`NEWSEQUENTIALID` of SQL Server): that by the smallest steps.

    A part may turn over any number of times: k steps of 0 to m among s have probability ((m+1)/s)^k, for each part and
    direction. Two identifiers may be of one tick of a clock.
    """
    parts, count = sample.parts(), len(sample.in_order) - 1
    moving: list[tuple[float, Evidence]] = []
    for part in parts if count >= SEVERAL else ():
        size, numbers = 16 ** len(part), [int(text, 16) for text in digits_at(part, sample.in_order)]
        up = [(b - a) % size for a, b in pairwise(numbers)]
        if 2 * up.count(0) > count:
            continue  # what hardly changes is constant
        for steps in (up, [step and step - size for step in up]):
            share = min(1.0, (max(map(abs, steps)) + 1) / size)
            # With separators: a large account may have any number of five digits, which a report replaces.
            shown = ", ".join(f"{step:,}" for step in steps[:6])
            message = f"a number in the {_digits(part)} rises or falls with time (steps {shown} …)"
            moving.append((share, Evidence(message, min(1.0, 2 * len(parts) * share**count))))
    return min(moving, key=lambda each: each[0], default=(1.0, None))[1]


def counting(sample: Sample) -> Evidence | None:
    """A part whose numbers follow each other closely, in any order, as an auto-increment column, or a counter of each
    of two workers. What leaves out most numbers may be a clock that the suite does not know.

    That k of n numbers are at most d above another one, among s, has probability C(n,k)·(n·d/s)^k at most.
    """
    ids = {observed.id: observed for observed in sample.ids}.values()
    parts, count = sample.parts(), len(ids)
    crowded = []
    for part in parts if count > SEVERAL else ():
        written = digits_at(part, ids)
        base = 10 if all(map(str.isdecimal, written)) else 16
        steps = [b - a for a, b in pairwise(sorted(int(text, base) for text in written))]
        near = _LEFT_OUT * math.gcd(*steps)
        close = sum(step <= near for step in steps)
        if min(steps) > 0 and close >= _CLOSE * count:
            probability = math.comb(count, close) * (count * near / base ** len(part)) ** close
            message = f"a number in the {_digits(part)} counts: {close} of {count} differ by at most {near:,} from the "
            crowded.append(Evidence(f"{message}next lower one", min(1.0, len(parts) * probability)))
    return min(crowded, key=lambda each: each.probability, default=None)


def _digits(part: Sequence[int]) -> str:
    return f"digits {min(part) + 1} to {max(part) + 1}"
