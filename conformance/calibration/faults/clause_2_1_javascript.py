"""Faults of clause 2.1: identifiers of Math.random() in V8, whose state of 128 bits two identifiers tell."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property

from conformance.calibration.sources import MATH_RANDOM
from conformance.calibration.variant import fault
from conformance.reference.call import Call
from conformance.reference.service import Service

_BITS = (1 << 64) - 1
_BATCH = 64


def _numbers() -> Iterator[int]:
    """Yield the 64 bits behind each number of Math.random(), drawn in batches that are handed out backwards."""
    older, newer = 0x9E41_7A8D_2B6C_53F1, 0x3C6E_F372_FE94_F82B
    while True:
        batch = []
        for _ in range(_BATCH):
            older ^= older << 23 & _BITS
            older, newer = newer, older ^ older >> 17 ^ newer ^ newer >> 26
            batch.append(older)
        yield from reversed(batch)


class _MathRandom(Service):
    """Draws from Math.random()."""

    numbers = cached_property(lambda _: _numbers())

    def below(self, bits: int) -> int:
        """Return Math.floor(Math.random() * 2 ** bits)."""
        return next(self.numbers) >> 64 - bits


@fault("2.1-requestId-random", source=MATH_RANDOM)
class _RequestIdOfATemplateAndMathRandom(_MathRandom):
    """Each x of xxxxxxxx-xxxx-4xxx-yxxx-xxxxxxxxxxxx is replaced by a digit of Math.random(), a common answer."""

    def new_id(self, call: Call) -> str:  # noqa: ARG002 independent of the call
        template = "xxxxxxxx-xxxx-4xxx-yxxx-xxxxxxxxxxxx"
        drawn = {"x": lambda: self.below(4), "y": lambda: self.below(4) & 3 | 8}
        return "".join(f"{drawn[each]():x}" if each in drawn else each for each in template)


@fault("2.1-requestId-random", "2.1-requestId-version", source=MATH_RANDOM)
class _RequestIdOfGroupsOfMathRandom(_MathRandom):
    """Eight groups of four digits, each of one Math.random(), the other common answer."""

    def new_id(self, call: Call) -> str:  # noqa: ARG002 independent of the call
        one, two, *others = (f"{self.below(16):04x}" for _ in range(8))
        return "-".join((one + two, *others[:3], "".join(others[3:])))
