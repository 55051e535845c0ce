"""Faults of clause 2.1: identifiers of java.util.Random and of rand of Perl, whose state has 48 bits."""

from __future__ import annotations

import uuid

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


@fault("2.1-requestId-random")
class _RequestIdOfTwoLongsOfJava(_JavaRandom):
    """new UUID(random.nextLong(), random.nextLong()), with the digits of version 4."""

    def new_id(self, call: Call) -> str:  # noqa: ARG002 independent of the call
        return str(uuid.UUID(int=self.long() << 64 | self.long(), version=4))


@fault("2.1-requestId-random", "2.1-requestId-version")
class _RequestIdOfSixteenBytesOfJava(_JavaRandom):
    """random.nextBytes(bytes), as a fast generator of identifiers in a framework draws them, without a version."""

    def new_id(self, call: Call) -> str:  # noqa: ARG002 independent of the call
        return str(uuid.UUID(bytes=b"".join(self.word().to_bytes(4, "little") for _ in range(4))))


@fault("2.1-requestId-random")
class _RequestIdOfFourIntsOfJava(_JavaRandom):
    """putInt(random.nextInt()) four times, or two pairs of nextInt() as two numbers, and the digits of version 4."""

    def new_id(self, call: Call) -> str:  # noqa: ARG002 independent of the call
        return str(uuid.UUID(bytes=b"".join(self.word().to_bytes(4) for _ in range(4)), version=4))


class _PerlRandom(_JavaRandom):
    """Draws from rand of Perl, which is drand48 of POSIX with the numbers of java.util.Random."""

    def pair(self) -> int:
        """Draw int(rand(65536)) twice."""
        first, second = self.word() >> 16, self.word() >> 16
        return first << 16 | second


@fault("2.1-requestId-random")
class _RequestIdOfEightNumbersOfPerl(_PerlRandom):
    """sprintf with eight times int(rand(65536)), and the digits of version 4, as answers for Perl show it."""

    def new_id(self, call: Call) -> str:  # noqa: ARG002 independent of the call
        return str(uuid.UUID(bytes=b"".join(self.pair().to_bytes(4) for _ in range(4)), version=4))


@fault("2.1-requestId-random")
class _RequestIdOfUuidTiny(_PerlRandom):
    """Version 4 of UUID::Tiny, which packs the numbers of rand in the byte order of the machine."""

    def new_id(self, call: Call) -> str:  # noqa: ARG002 independent of the call
        return str(uuid.UUID(bytes=b"".join(self.pair().to_bytes(4, "little") for _ in range(4)), version=4))


@fault("2.1-requestId-random", "2.1-requestId-version")
class _RequestIdOfDigitsOfPerl(_PerlRandom):
    """join of sprintf('%x', rand 16) for each digit of the five groups, without a version."""

    def new_id(self, call: Call) -> str:  # noqa: ARG002 independent of the call
        return str(uuid.UUID("".join(f"{self.word() >> 28:x}" for _ in range(32))))


@fault("2.1-requestId-random")
class _RequestIdOfATemplateAndNextInt(_JavaRandom):
    """A template whose digits are random.nextInt(16), as clients on the JVM write it; the version is not drawn."""

    def new_id(self, call: Call) -> str:  # noqa: ARG002 independent of the call
        digits = [self.word() >> 28 for _ in range(31)]
        digits[15] = digits[15] & 3 | 8
        text = "".join(f"{digit:x}" for digit in digits)
        return str(uuid.UUID(f"{text[:12]}4{text[12:]}"))
