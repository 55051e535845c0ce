"""Twins with other identifiers: 2.1 requires the form of a UUID and randomness, and recommends version 4."""

from __future__ import annotations

import random
import uuid
from collections.abc import Callable

from conformance.calibration import sources
from conformance.calibration.operators import of_number, on_request, redrawn, version_1, with_accounts
from conformance.calibration.twins.common import ANOTHER_VERSION, GROWS_WITH_TIME, Document
from conformance.calibration.variant import add_twin, twin
from conformance.reference.call import Action, Call
from conformance.reference.service import Service
from conformance.reference.store import DataRequest


@twin("4.2", source=sources.SQL_SERVER_UUID)
class _UpperCaseWhenCreated(Service):
    """Creation returns the identifier in upper case, reading in lower case; both are the same UUID."""

    def find(self, call: Call) -> DataRequest:
        call.request_id = call.request_id.lower()
        return super().find(call)

    def document(self, request: DataRequest, call: Call) -> Document:
        document = super().document(request, call)
        if call.operation is Action.CREATE:
            document["requestId"] = request.id.upper()
        return document


for _name, _text, _service in (
    (
        "upper-case-identifiers",
        "Identifiers in upper case: case has no meaning in a UUID.",
        redrawn(lambda drawn, _service: drawn.upper()),
    ),
    (
        "zeros-in-one-identifier",
        "One of many identifiers begins with eight zeros by chance.",
        redrawn(lambda drawn, service: "00000000" + drawn[8:] if service.turn("id") == 5 else drawn),
    ),
    (
        "a-member-calls-the-identifier-id",
        "The request also has an id, a number in a string, beside requestId.",
        on_request(lambda document: {"id": str(len(document["dataRequested"])), "uuid": "none"} | document),
    ),
):
    add_twin("2.1", _name, _text, service=_service)

for _name, _text, _service in (
    (
        "random-identifiers-version-1",
        "Random bits under version digit 1: 2.1 recommends version 4 and requires randomness.",
        redrawn(lambda drawn, _service: f"{drawn[:14]}1{drawn[15:]}"),
    ),
    (
        "random-identifiers-version-7",
        "Random bits under version digit 7: 2.1 recommends version 4 and requires randomness.",
        redrawn(lambda drawn, _service: f"{drawn[:14]}7{drawn[15:]}"),
    ),
    (
        "mixed-versions",
        "128 random bits in the form of a UUID, without version and variant.",
        of_number(lambda _service, bits: bits(128)),
    ),
):
    add_twin("2.1", _name, _text, ANOTHER_VERSION, _service)

# ---------------------------------------------------------------------- the time, and enough random bits


def _milliseconds(service: Service) -> int:
    return service.clock.nanoseconds() // 1_000_000


def _version_7(drawn: str, service: Service) -> uuid.UUID:
    # Which versions the constructor accepts depends on the version of Python.
    return uuid.UUID(hex=f"{_milliseconds(service):012x}7{drawn.replace('-', '')[13:]}")


def _with_a_counter(service: Service, bits: Callable[[int], int]) -> int:
    clock = _milliseconds(service)
    return clock << 80 | 7 << 76 | service.turn(f"id {clock}") << 64 | 2 << 62 | bits(62)


def _with_a_fraction(service: Service, bits: Callable[[int], int]) -> int:
    clock, rest = divmod(service.clock.nanoseconds(), 1_000_000)
    return clock << 80 | 7 << 76 | rest * 4096 // 1_000_000 << 64 | 2 << 62 | bits(62)


def _one_more_within_a_tick(service: Service, _bits: Callable[[int], int]) -> int:
    """Return milliseconds of a clock that moves every 16, then a number drawn at each tick, which counts within it."""
    clock = _milliseconds(service) // 16 * 16
    return clock << 80 | random.Random(clock).getrandbits(79) + service.turn(f"id {clock}")


def _ten_bytes(bits: Callable[[int], int]) -> int:
    return int.from_bytes(bits(80).to_bytes(10, "little"))


for _name, _text, _service in (
    (
        "of-version-7",
        "Version 7: milliseconds and 74 random bits. Random, although it grows with time.",
        redrawn(_version_7),
    ),
    (
        "of-version-7-with-a-counter",
        "Version 7 with the counter that keeps the order within a millisecond, and 62 random bits.",
        of_number(_with_a_counter),
    ),
    ("of-version-7-with-a-fraction", "Version 7 with the fraction of the millisecond.", of_number(_with_a_fraction)),
    (
        "that-begin-with-seconds-since-2014",
        "Seconds since May 2014, as in KSUIDs, then random bits.",
        of_number(lambda service, bits: int(service.clock.moment().timestamp()) - 1_400_000_000 << 96 | bits(96)),
    ),
    (
        "like-ulid",
        "The 128 bits of a ULID in the form of a UUID: milliseconds and 80 random bits.",
        of_number(lambda service, bits: _milliseconds(service) << 80 | _ten_bytes(bits)),
    ),
    (
        "one-more-within-a-tick",
        "A ULID is the last one plus 1 within a tick of its clock, which keeps the order (RFC 9562, 6.2).",
        of_number(_one_more_within_a_tick),
    ),
    (
        "of-laravel",
        "Units of 10 microseconds and 74 random bits, as Str::orderedUuid() makes them.",
        of_number(lambda service, bits: service.clock.nanoseconds() // 10_000 << 80 | bits(80), 4),
    ),
    (
        "of-version-1-with-random-nodes",
        "Version 1 with a node and a sequence that are drawn for each identifier: 61 random bits beside 100 ns.",
        of_number(lambda service, bits: uuid.UUID(version_1(service, bits(47) << 1 | 1, bits(14))).int),
    ),
):
    add_twin("2.1", f"identifiers-{_name}", _text, GROWS_WITH_TIME, _service)

# ---------------------------------------------------------------------- constant parts that tell nothing of the account

_TENANT = "471108150042"

add_twin(
    "2.1",
    "identifiers-end-with-the-number-of-the-tenant",
    "The last group is the number of the organisation among those that the host serves, which each account shows.",
    {"2.1-requestId-all-random": ("warn",)},
    with_accounts(
        lambda count: {"customer": 100_001 + count, "tenant": _TENANT},
        lambda drawn, _count: drawn[:24] + _TENANT,
    ),
)
