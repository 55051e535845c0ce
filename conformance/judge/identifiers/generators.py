"""Identifiers of generators that tell their next numbers.

Math.random() of V8, java.util.Random, SplitMix64, and random.Random of Python with a seed that can be guessed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cache
from itertools import pairwise
from typing import Final, Literal

from conformance.judge.identifiers.sample import ENOUGH, FEWEST, FREE, Clue, ObservedId
from conformance.model.seeds import python_numbers

# ---------------------------------------------------------------------- Math.random() of V8 (xorshift128+)
# Each of its numbers is a linear function of a state of 128 bits. Two identifiers that were drawn one after the other
# hold more bits than the state, so some of their sums are zero. For random identifiers all of 48 sums are zero in less
# than one of 10^9 runs. V8 draws 64 numbers at a time and hands them out backwards, so a window of numbers is searched
# that lies in one such batch.

_STATE: Final = 128  # bits
_SUMS: Final = 60  # see above; 12 of them at most need bits that version and variant hide
_VERSIONED: Final = 0xF << 76 | 0b11 << 62
"""The bits of version 4 and its variant, which are set after all bits were drawn."""


def _digits(number: int) -> int:
    """Return the digits of xxxxxxxx-xxxx-4xxx-yxxx-xxxxxxxxxxxx that were drawn, each of one number."""
    return number >> 80 << 76 | number & (1 << 76) - 1


def _digits_of_replace(number: int) -> int:
    """Return the digits that were drawn in place of 0, 1 and 8: combined with 1, and of 8 the upper half behind it."""
    drawn = _digits(number ^ (1 << 124 | 1 << 92 | 1 << 44))
    return drawn & ~(0xF << 60) | (drawn >> 60 & 3) << 62


def _bytes_of_words(number: int) -> int:
    """Return the words of 32 bits whose lowest byte was written first."""
    return int.from_bytes(b"".join(number.to_bytes(16)[place : place + 4][::-1] for place in range(0, 16, 4)))


_FORMS: Final[tuple[tuple[Callable[[int], int], int, int, int], ...]] = (
    (_digits, 4, 124, 0b1100 << 60),
    (_digits_of_replace, 4, 124, 0b0011 << 60),
    (int, 8, 128, _VERSIONED),
    (int, 16, 128, _VERSIONED),
    (int, 32, 128, _VERSIONED),
    (_bytes_of_words, 32, 128, _bytes_of_words(_VERSIONED)),
)
"""How identifiers are made of Math.random() in JavaScript: what returns what was drawn, the bits of a number, the bits
of an identifier, and which of them it does not show."""


def drawn_by_v8(ids: Sequence[ObservedId]) -> Clue | None:
    """Return two neighbours in the order of creation that follow from one state of V8, or None.

    Calls at the same time may change the order by one place.
    """
    words = "drawn one after the other from Math.random() of V8, whose state has 128 bits: they tell the next requestId"
    for one, other in (pair for both in pairwise(ids[:FEWEST]) for pair in (both, both[::-1])):
        for drawn, bits, length, hidden in _FORMS:
            both_drawn = drawn(one.id.int) << length | drawn(other.id.int)
            if _follow(both_drawn, 2 * length, bits, hidden << length | hidden):
                return Clue((one, other), words)
    return None


def _follow(drawn: int, length: int, bits: int, hidden: int) -> bool:
    """Tell whether numbers of `bits` bits each, `length` together, follow from one state; `hidden` is not known."""
    window = -(-(_STATE + _SUMS) // bits)
    size = (1 << window * bits) - 1
    for start in range(0, length - window * bits + 1, bits):
        value, unknown = drawn >> start & size, hidden >> start & size
        if value & ~unknown and not any(
            (value & each).bit_count() & 1 for each in _sums_without(unknown, window, bits)
        ):
            return True
    return False


@cache
def _sums_without(hidden: int, calls: int, bits: int) -> tuple[int, ...]:
    """Return sums of bits that are zero for every state, and that hold none of the hidden bits."""
    sums = _sums_of_nothing(calls, bits)
    for place in (each for each in range(hidden.bit_length()) if hidden >> each & 1):
        one = next((each for each in sums if each >> place & 1), 0)
        sums = tuple(each ^ one if each >> place & 1 else each for each in sums if each != one)
    return sums


@cache
def _sums_of_nothing(calls: int, bits: int) -> tuple[int, ...]:
    """Return which of the first bits of so many numbers have the sum zero in GF(2), for every state."""
    older, newer = [[1 << half + bit for bit in range(64)] for half in (0, 64)]
    reduced: dict[int, int] = {}
    found = []
    for call in range(calls):
        for bit in range(bits):
            row = older[64 - bits + bit] | 1 << _STATE + call * bits + bit
            while (low := row & (1 << _STATE) - 1) and (lead := low.bit_length()) in reduced:
                row ^= reduced[lead]
            if low:
                reduced[lead] = row
            else:
                found.append(row >> _STATE)
        older, newer = newer, _next(older, newer)
    return tuple(found)


def _next(older: list[int], newer: list[int]) -> list[int]:
    left = [each ^ (older[bit - 23] if bit >= 23 else 0) for bit, each in enumerate(older)]
    right = [each ^ (left[bit + 17] if bit + 17 < 64 else 0) for bit, each in enumerate(left)]
    return [each ^ newer[bit] ^ (newer[bit + 26] if bit + 26 < 64 else 0) for bit, each in enumerate(right)]


# ---------------------------------------------------------------------- java.util.Random
# A linear congruential generator whose state has 48 bits. The first two words leave a few states, each of which gives
# the two that follow. The words of a random identifier agree in 88 bits with those of a state in less than one of
# 10^20 runs.

_FACTOR: Final = 0x5_DEEC_E66D  # as in the documentation of java.util.Random
_INCREMENT: Final = 0xB  # the same


def drawn_by_java(ids: Iterable[ObservedId]) -> Clue | None:
    """Return an identifier that is two calls of nextLong(), four of nextInt(), or 16 bytes of nextBytes(), or None."""
    ways: tuple[tuple[Literal["big", "little"], bool], ...] = (("big", True), ("big", False), ("little", False))
    words = "drawn from java.util.Random, which has 48 bits: it tells the next requestId"
    return next((Clue((one,), words) for one in ids if any(_follows(one.id.int, *way) for way in ways)), None)


def _follows(number: int, order: Literal["big", "little"], signed: bool) -> bool:
    """Tell whether the last three words of an identifier follow from the first, apart from version and variant."""
    words, free = _words(number, order), _words(FREE, order)
    if signed:  # nextLong() adds its second word as a signed number
        words[0] += words[1] >> 31
        words[2] += words[3] >> 31
    following = tuple(zip(words[1:], free[1:], strict=True))
    for state in _states(words[0], words[1] & free[1], (1 << 32) - 1 & ~free[1]):
        drawn = state
        for word, mask in following:
            drawn = drawn * _FACTOR + _INCREMENT
            if (drawn >> 16 ^ word) & mask:
                break
        else:
            return True
    return False


def _states(first: int, second: int, hidden: int) -> Iterator[int]:
    """Yield the states that draw two words; `hidden` are the bits of the second that are not known.

    The factor exceeds the 16 bits of a state that no word shows, so each product has at most one state for a word.
    """
    start, size = (first & (1 << 32) - 1) << 16, 1 << 48
    drawn = start * _FACTOR + _INCREMENT
    unknown = hidden
    while True:
        for turns in range((_FACTOR << 16) // size + 2):
            distance = ((second | unknown) << 16) - drawn % size + turns * size
            state = -(-distance // _FACTOR)
            if 0 <= state < 1 << 16:
                yield start + state
        if not unknown:
            return
        unknown = unknown - 1 & hidden


def _words(number: int, order: Literal["big", "little"]) -> list[int]:
    raw = number.to_bytes(16)
    return [int.from_bytes(raw[place : place + 4], order) for place in range(0, 16, 4)]


# ---------------------------------------------------------------------- SplitMix64
# Each word is a mixed counter, which grows by one constant: a word tells all later ones. With the digits of version and
# variant unknown, the mixing is undone in 64 ways. The words of a random identifier then differ by the constant in less
# than one of 10^16 runs.

_GROWTH: Final = 0x9E37_79B9_7F4A_7C15  # as in the source of java.util.SplittableRandom, and the mixings below
_WORD: Final = (1 << 64) - 1  # its bits


def drawn_by_splitmix(ids: Iterable[ObservedId]) -> Clue | None:
    """Return an identifier that is two calls of nextLong() of ThreadLocalRandom, or of SplitMix64, or None."""
    how = "drawn from SplitMix64, as of ThreadLocalRandom in Java: it tells the next requestId"
    for one in ids:
        words = one.id.int >> 64, one.id.int & _WORD
        first = [words[0] & ~(0xF << 12) | digit << 12 for digit in range(16)]
        second = [words[1] & _WORD >> 2 | bits << 62 for bits in range(4)]
        for unmixed in (_of_thread_local_random, _of_splitmix):
            beside = {unmixed(each) + step & _WORD for each in first for step in (_GROWTH, -_GROWTH)}
            if not beside.isdisjoint(map(unmixed, second)):
                return Clue((one,), how)
    return None


def _of_thread_local_random(word: int) -> int:
    word = _unshifted(word, 33) * pow(0xC4CE_B9FE_1A85_EC53, -1, 1 << 64) & _WORD
    return _unshifted(_unshifted(word, 33) * pow(0xFF51_AFD7_ED55_8CCD, -1, 1 << 64) & _WORD, 33)


def _of_splitmix(word: int) -> int:
    word = _unshifted(word, 31) * pow(0x94D0_49BB_1331_11EB, -1, 1 << 64) & _WORD
    return _unshifted(_unshifted(word, 27) * pow(0xBF58_476D_1CE4_E5B9, -1, 1 << 64) & _WORD, 30)


def _unshifted(word: int, shift: int) -> int:
    """Return the word that, combined with itself shifted to the right (exclusive or), is `word`."""
    return word ^ word >> shift ^ word >> 2 * shift


# ---------------------------------------------------------------------- random.Random of Python
# A seed tells all numbers. The first ones are enough for a generator of each user, or one that began with the service
# right before the run. A random identifier agrees in 120 bits with one of 10^5 numbers in less than one of 10^25 runs.

GUESSED_SEEDS: Final = (*range(256), 1234, 12345, 123456)
"""The seeds of documentation and examples, such as 0 and 42, among all small ones."""


def drawn_by_python(ids: Iterable[ObservedId], seeds: Iterable[int | bytes] = GUESSED_SEEDS) -> Clue | None:
    """Return an identifier that is among the first 128-bit numbers of random.Random with one of the seeds, or None."""
    by_number = {one.id.int & FREE: one for one in ids}
    for seed in seeds:
        for number in python_numbers(seed, ENOUGH):
            if (one := by_number.get(number & FREE)) is not None:
                return Clue((one,), f"drawn from random.Random of Python with the seed {seed!r}: it tells all others")
    return None
