"""Faults of clause 2.1: the form of requestId, hashes of a counter, and generators of Java and JavaScript."""

from __future__ import annotations

import uuid
from collections.abc import Callable, Iterator
from functools import cached_property

from conformance.calibration import sources
from conformance.calibration.operators import mapped, of_number, on_request, put, redrawn, without
from conformance.calibration.variant import add_fault, fault
from conformance.reference.call import Action, Call
from conformance.reference.service import Service

_ID = "2.1-requestId"
_FORM_TOO = ("2.1-requestId-version", "4.2-agrees-with-creation")


for _name, _summary, _service in (
    ("request-id-absent", "The identifier is in Location only.", on_request(without("requestId"), Action.CREATE)),
    ("request-id-null-on-create", "The answer precedes the storage.", on_request(put(requestId=None), Action.CREATE)),
    ("request-id-absent-on-read", "The caller knows the identifier.", on_request(without("requestId"), Action.READ)),
    (
        "request-id-without-hyphens-on-read",
        "Reading shows the form in which the database stores it.",
        on_request(mapped("requestId", lambda value: value.replace("-", "")), Action.READ),
    ),
):
    add_fault(_ID, _name, _summary, _service, consequences=_FORM_TOO)


for _name, _summary, _service in (
    (
        "request-id-decimal-text",
        "A random number, as text.",
        redrawn(lambda drawn, _service: uuid.UUID(drawn).int >> 70),
    ),
    ("request-id-prefixed", "A prefix names the kind of identifier.", redrawn(lambda drawn, _service: f"req_{drawn}")),
):
    add_fault(_ID, _name, _summary, _service, consequences=("2.1-requestId-version",))
add_fault(
    "2.1-requestId-version",
    "request-id-labelled-version-5",
    "Random bits with the version digit of a name-based UUID.",
    redrawn(lambda drawn, _service: f"{drawn[:14]}5{drawn[15:]}"),
)
add_fault(
    "2.1-requestId-version",
    "request-id-of-random-bits",
    "128 random bits are written as a UUID, without version and variant.",
    of_number(lambda _service, bits: bits(128)),
    source="2.1, table, row 1, Meaning, sentence 2",
)


@fault(
    "2.1-requestId-not-time-ordered",
    "2.1-requestId-version",
    name="request-id-version-7",
    source=sources.UUID_VERSIONS,
    at="new_id",
)
def version_seven(service: Service, _call: Call) -> str:
    """Version 7 sorts by time, which suits the index of the database and shows when the request was made."""
    clock = int(service.now().timestamp() * 1000) << 80 | 7 << 76 | service._random.getrandbits(12) << 64
    return str(uuid.UUID(int=clock | 2 << 62 | service._random.getrandbits(62)))


add_fault(
    "2.1-requestId-not-time-ordered",
    "request-id-ends-with-time",
    "The last six bytes are the time, because the database sorts by them.",
    redrawn(lambda drawn, service: f"{drawn[:24]}{int(service.now().timestamp() * 1000):012x}"),
)
add_fault(
    "2.1-requestId-not-time-ordered",
    "request-id-begins-with-counter",
    "A row number before random bits: hard to guess, but in order.",
    redrawn(lambda drawn, service: f"{service.turn('id') + 4711:08x}{drawn[8:]}"),
    consequences=("2.1-requestId-not-incremental", "2.1-requestId-all-random"),
)


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


@fault("2.1-requestId-random", source=sources.JAVA_RANDOM)
class _RequestIdOfTwoLongsOfJava(_JavaRandom):
    """new UUID(random.nextLong(), random.nextLong()), with the digits of version 4."""

    def new_id(self, call: Call) -> str:  # noqa: ARG002 independent of the call
        return str(uuid.UUID(int=self.long() << 64 | self.long(), version=4))


@fault("2.1-requestId-random", "2.1-requestId-version", source=sources.SPRING_IDENTIFIERS)
class _RequestIdOfSixteenBytesOfJava(_JavaRandom):
    """random.nextBytes(bytes), as a fast generator of identifiers in a framework draws them, without a version."""

    def new_id(self, call: Call) -> str:  # noqa: ARG002 independent of the call
        return str(uuid.UUID(bytes=b"".join(self.word().to_bytes(4, "little") for _ in range(4))))


_BITS = (1 << 64) - 1
_BATCH = 64


def _long(number: int) -> int:
    """Return a number of ThreadLocalRandom of Java."""
    word = 0x9E41_7A8D_2B6C_53F1 + number * 0x9E37_79B9_7F4A_7C15 & _BITS
    word = (word ^ word >> 33) * 0xFF51_AFD7_ED55_8CCD & _BITS
    word = (word ^ word >> 33) * 0xC4CE_B9FE_1A85_EC53 & _BITS
    return word ^ word >> 33


def _two_longs(service: Service, _bits: Callable[[int], int]) -> int:
    count = 2 * service.turn("id")
    return _long(count) << 64 | _long(count + 1)


add_fault(
    "2.1-requestId-random",
    "request-id-of-thread-local-random",
    "new UUID(random.nextLong(), random.nextLong()), with ThreadLocalRandom of Java and the digits of version 4.",
    of_number(_two_longs, 4),
)


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


@fault("2.1-requestId-random", source=sources.MATH_RANDOM)
class _RequestIdOfATemplateAndMathRandom(_MathRandom):
    """Each x of xxxxxxxx-xxxx-4xxx-yxxx-xxxxxxxxxxxx is replaced by a digit of Math.random(), a common answer."""

    def new_id(self, call: Call) -> str:  # noqa: ARG002 independent of the call
        template = "xxxxxxxx-xxxx-4xxx-yxxx-xxxxxxxxxxxx"
        drawn = {"x": lambda: self.below(4), "y": lambda: self.below(4) & 3 | 8}
        return "".join(f"{drawn[each]():x}" if each in drawn else each for each in template)


@fault("2.1-requestId-random", "2.1-requestId-version", source=sources.MATH_RANDOM)
class _RequestIdOfGroupsOfMathRandom(_MathRandom):
    """Eight groups of four digits, each of one Math.random(), the other common answer."""

    def new_id(self, call: Call) -> str:  # noqa: ARG002 independent of the call
        one, two, *others = (f"{self.below(16):04x}" for _ in range(8))
        return "-".join((one + two, *others[:3], "".join(others[3:])))


class _ReplacedDigits(_MathRandom):
    def new_id(self, call: Call) -> str:  # noqa: ARG002 independent of the call
        template = "10000000-1000-4000-8000-100000000000"
        return "".join(
            f"{int(each) ^ self.below(4) >> int(each) // 4:x}" if each in "018" else each for each in template
        )


class _FourWords(_MathRandom):
    def new_id(self, call: Call) -> str:  # noqa: ARG002 independent of the call
        words = b"".join(self.below(32).to_bytes(4, "little") for _ in range(4))
        return str(uuid.UUID(bytes=words, version=4))


for _name, _text, _service in (
    ("replaced-digits", "([1e7]+-1e3+-4e3+-8e3+-1e11).replace(/[018]/g, …), the shortest answer.", _ReplacedDigits),
    ("four-words", "Four words of 32 bits, as the package uuid draws where there is no crypto.", _FourWords),
):
    add_fault("2.1-requestId-random", f"request-id-of-{_name}-of-math-random", _text, _service)
