"""Faults of clause 2.1: identifiers of rand() in the GNU C library, which begins with 32 bits."""

from __future__ import annotations

import uuid
from collections import deque

from conformance.calibration.variant import fault
from conformance.reference.call import Call
from conformance.reference.config import ReferenceConfig
from conformance.reference.service import Service


class _GnuRand(Service):
    """Draws from rand()."""

    def __init__(self, config: ReferenceConfig) -> None:
        super().__init__(config)
        first = [20261127]
        while len(first) < 31:
            first.append(first[-1] * 16807 % 2147483647)
        self._numbers = deque([*first, *first[:3]][-31:], maxlen=31)
        for _ in range(310):
            self.rand()

    def rand(self) -> int:
        """Draw 31 bits."""
        self._numbers.append((self._numbers[0] + self._numbers[-3]) % (1 << 32))
        return self._numbers[-1] >> 1


@fault("2.1-requestId-random")
class _RequestIdOfSixteenBytesOfC(_GnuRand):
    """rand() % 256 for each of sixteen bytes, and the digits of version 4."""

    def new_id(self, call: Call) -> str:  # noqa: ARG002 independent of the call
        return str(uuid.UUID(bytes=bytes(self.rand() % 256 for _ in range(16)), version=4))


@fault("2.1-requestId-random")
class _RequestIdOfEightNumbersOfC(_GnuRand):
    """sprintf with eight times rand() & 0xffff, whose arguments compilers evaluate from the last one on."""

    def new_id(self, call: Call) -> str:  # noqa: ARG002 independent of the call
        return str(uuid.UUID(int=sum((self.rand() & 0xFFFF) << place for place in range(0, 128, 16)), version=4))


@fault("2.1-requestId-random")
class _RequestIdOfATemplateAndRandOfC(_GnuRand):
    """Each x of xxxxxxxx-xxxx-4xxx-yxxx-xxxxxxxxxxxx is replaced by a digit of rand(), as by math.random of Lua."""

    def new_id(self, call: Call) -> str:  # noqa: ARG002 independent of the call
        digits = {"x": 16, "y": 4}
        template = "xxxxxxxx-xxxx-4xxx-yxxx-xxxxxxxxxxxx"
        drawn = ((each, self.rand() * digits[each] >> 31 if each in digits else 0) for each in template)
        return "".join(f"{number + 8 * (each == 'y'):x}" if each in digits else each for each, number in drawn)
