"""Faults of clause 2.1: identifiers of java.util.Random, whose state has 48 bits."""

from __future__ import annotations

import uuid

from conformance.calibration.sources import JAVA_RANDOM, SPRING_IDENTIFIERS
from conformance.calibration.variant import fault
from conformance.reference.call import Call
from conformance.reference.service import Service


class _JavaRandom(Service):
    """Draws from java.util.Random."""

    _state = 0x9E41_7A8D_2B6C

    def word(self) -> int:
        """Draw 32 bits."""
        self._state = (self._state * 0x5_DEEC_E66D + 0xB) % (1 << 48)
        return self._state >> 16

    def long(self) -> int:
        """Draw 64 bits as nextLong does, which adds its second word as a signed number."""
        high, low = self.word(), self.word()
        return ((high << 32) + low - (low >> 31 << 32)) % (1 << 64)


@fault("2.1-requestId-random", source=JAVA_RANDOM)
class _RequestIdOfTwoLongsOfJava(_JavaRandom):
    """new UUID(random.nextLong(), random.nextLong()), with the digits of version 4."""

    def new_id(self, call: Call) -> str:  # noqa: ARG002 independent of the call
        return str(uuid.UUID(int=self.long() << 64 | self.long(), version=4))


@fault("2.1-requestId-random", "2.1-requestId-version", source=SPRING_IDENTIFIERS)
class _RequestIdOfSixteenBytesOfJava(_JavaRandom):
    """random.nextBytes(bytes), as a fast generator of identifiers in a framework draws them, without a version."""

    def new_id(self, call: Call) -> str:  # noqa: ARG002 independent of the call
        return str(uuid.UUID(bytes=b"".join(self.word().to_bytes(4, "little") for _ in range(4))))
