"""Faults of clause 2.1: requestId has another form, an order, or little chance behind it."""

from __future__ import annotations

import uuid
from collections.abc import Iterator
from functools import partial

from conformance.calibration import sources
from conformance.calibration.operators import Bits, drawn_from, mapped, of_number, on_request, put, redrawn, without
from conformance.calibration.variant import add_fault, fault
from conformance.reference.call import Action, Call
from conformance.reference.service import Service

_ID = "2.1-requestId"
_RANDOM = "2.1-requestId-random"
_ORDER = "2.1-requestId-not-time-ordered"
_VERSION = "2.1-requestId-version"


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
    add_fault(_ID, _name, _summary, _service, consequences=(_VERSION, "4.2-agrees-with-creation"))


for _name, _summary, _service in (
    (
        "request-id-decimal-text",
        "A random number, as text.",
        redrawn(lambda drawn, _service: uuid.UUID(drawn).int >> 70),
    ),
    ("request-id-prefixed", "A prefix names the kind of identifier.", redrawn(lambda drawn, _service: f"req_{drawn}")),
):
    add_fault(_ID, _name, _summary, _service, consequences=(_VERSION,))
add_fault(
    _VERSION,
    "request-id-labelled-version-5",
    "Random bits with the version digit of a name-based UUID.",
    redrawn(lambda drawn, _service: f"{drawn[:14]}5{drawn[15:]}"),
)


@fault(_VERSION, source="2.1, table, row 1, Meaning, sentence 2", by=of_number)
def request_id_of_random_bits(_service: Service, bits: Bits) -> int:
    """128 random bits are written as a UUID, without version and variant."""
    return bits(128)


@fault(_ORDER, _VERSION, source=sources.UUID_VERSIONS, at="new_id")
def request_id_version_7(service: Service, _call: Call) -> str:
    """Version 7 sorts by time, which suits the index of the database and shows when the request was made."""
    clock = int(service.now().timestamp() * 1000) << 80 | 7 << 76 | service._random.getrandbits(12) << 64
    return str(uuid.UUID(int=clock | 2 << 62 | service._random.getrandbits(62)))


@fault(_ORDER, by=redrawn)
def request_id_ends_with_time(drawn: str, service: Service) -> str:
    """The last six bytes are the time, because the database sorts by them."""
    return f"{drawn[:24]}{int(service.now().timestamp() * 1000):012x}"


@fault(_ORDER, "2.1-requestId-not-incremental", "2.1-requestId-all-random", by=redrawn)
def request_id_begins_with_counter(drawn: str, service: Service) -> str:
    """A row number before random bits: hard to guess, but in order."""
    return f"{service.turn('id') + 4711:08x}{drawn[8:]}"


def _four(words: Iterator[int]) -> bytes:
    return b"".join(next(words).to_bytes(4, "little") for _ in range(4))


def _java_words() -> Iterator[int]:
    """Yield the 32 bits that java.util.Random draws."""
    state = 0x9E41_7A8D_2B6C
    while True:
        state = (state * 0x5_DEEC_E66D + 0xB) % (1 << 48)
        yield state >> 16


def _java_long(words: Iterator[int]) -> int:
    """Draw 64 bits as nextLong does, which adds its second word as a signed number."""
    high, low = next(words), next(words)
    return ((high << 32) + low - (low >> 31 << 32)) % (1 << 64)


@fault(_RANDOM, source=sources.JAVA_RANDOM, by=partial(drawn_from, _java_words))
def request_id_of_two_longs_of_java(words: Iterator[int]) -> uuid.UUID:
    """new UUID(random.nextLong(), random.nextLong()), with the digits of version 4."""
    return uuid.UUID(int=_java_long(words) << 64 | _java_long(words), version=4)


@fault(_RANDOM, _VERSION, source=sources.SPRING_IDENTIFIERS, by=partial(drawn_from, _java_words))
def request_id_of_sixteen_bytes_of_java(words: Iterator[int]) -> uuid.UUID:
    """random.nextBytes(bytes), as a fast generator of identifiers in a framework draws them, without a version."""
    return uuid.UUID(bytes=_four(words))


_BITS = (1 << 64) - 1
_BATCH = 64


def _long(number: int) -> int:
    """Return a number of ThreadLocalRandom of Java."""
    word = 0x9E41_7A8D_2B6C_53F1 + number * 0x9E37_79B9_7F4A_7C15 & _BITS
    word = (word ^ word >> 33) * 0xFF51_AFD7_ED55_8CCD & _BITS
    word = (word ^ word >> 33) * 0xC4CE_B9FE_1A85_EC53 & _BITS
    return word ^ word >> 33


@fault(_RANDOM, by=partial(of_number, version=4))
def request_id_of_thread_local_random(service: Service, _bits: Bits) -> int:
    """new UUID(random.nextLong(), random.nextLong()), with ThreadLocalRandom of Java and the digits of version 4."""
    count = 2 * service.turn("id")
    return _long(count) << 64 | _long(count + 1)


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


def _below(numbers: Iterator[int], bits: int) -> int:
    """Return Math.floor(Math.random() * 2 ** bits)."""
    return next(numbers) >> 64 - bits


_of_numbers = partial(drawn_from, _numbers)


@fault(_RANDOM, source=sources.MATH_RANDOM, by=_of_numbers)
def request_id_of_a_template_and_math_random(numbers: Iterator[int]) -> str:
    """Each x of xxxxxxxx-xxxx-4xxx-yxxx-xxxxxxxxxxxx is replaced by a digit of Math.random(), a common answer."""
    drawn = {"x": lambda: _below(numbers, 4), "y": lambda: _below(numbers, 4) & 3 | 8}
    template = "xxxxxxxx-xxxx-4xxx-yxxx-xxxxxxxxxxxx"
    return "".join(f"{drawn[each]():x}" if each in drawn else each for each in template)


@fault(_RANDOM, _VERSION, source=sources.MATH_RANDOM, by=_of_numbers)
def request_id_of_groups_of_math_random(numbers: Iterator[int]) -> str:
    """Eight groups of four digits, each of one Math.random(), the other common answer."""
    one, two, *others = (f"{_below(numbers, 16):04x}" for _ in range(8))
    return "-".join((one + two, *others[:3], "".join(others[3:])))


@fault(_RANDOM, by=_of_numbers)
def request_id_of_replaced_digits_of_math_random(numbers: Iterator[int]) -> str:
    """([1e7]+-1e3+-4e3+-8e3+-1e11).replace(/[018]/g, …), the shortest answer."""
    template = "10000000-1000-4000-8000-100000000000"
    return "".join(
        f"{int(each) ^ _below(numbers, 4) >> int(each) // 4:x}" if each in "018" else each for each in template
    )


@fault(_RANDOM, by=_of_numbers)
def request_id_of_four_words_of_math_random(numbers: Iterator[int]) -> uuid.UUID:
    """Four words of 32 bits, as the package uuid draws where there is no crypto."""
    return uuid.UUID(bytes=_four(_below(numbers, 32) for _ in range(4)), version=4)
