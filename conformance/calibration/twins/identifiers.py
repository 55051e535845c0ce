"""Twins with other identifiers: 2.1 requires the form of a UUID and randomness, and recommends version 4."""

from __future__ import annotations

import random
import uuid
from functools import partial

from conformance.calibration import sources
from conformance.calibration.operators import Bits, mapped, of_number, on_request, redrawn, version_1, with_accounts
from conformance.calibration.twins.common import ANOTHER_VERSION, GROWS_WITH_TIME, Document
from conformance.calibration.variant import add_twin, twin
from conformance.reference.call import Action, Call
from conformance.reference.service import Service


@twin("4.2", source=sources.SQL_SERVER_UUID, base=on_request(mapped("requestId", str.upper), Action.CREATE), at="find")
def upper_case_when_created(_service: Service, call: Call) -> None:
    """Creation returns the identifier in upper case, reading in lower case; both are the same UUID."""
    call.request_id = call.request_id.lower()


@twin("2.1", by=redrawn)
def upper_case_identifiers(drawn: str, _service: Service) -> str:
    """Identifiers in upper case: case has no meaning in a UUID."""
    return drawn.upper()


@twin("2.1", by=redrawn)
def zeros_in_one_identifier(drawn: str, service: Service) -> str:
    """One of many identifiers begins with eight zeros by chance."""
    return "00000000" + drawn[8:] if service.turn("id") == 5 else drawn


@twin("2.1", by=on_request)
def a_member_calls_the_identifier_id(document: Document) -> Document:
    """The request also has an id, a number in a string, beside requestId."""
    return {"id": str(len(document["dataRequested"])), "uuid": "none"} | document


@twin("2.1", ANOTHER_VERSION, by=redrawn)
def random_identifiers_version_1(drawn: str, _service: Service) -> str:
    """Random bits under version digit 1: 2.1 recommends version 4 and requires randomness."""
    return f"{drawn[:14]}1{drawn[15:]}"


@twin("2.1", ANOTHER_VERSION, by=redrawn)
def random_identifiers_version_7(drawn: str, _service: Service) -> str:
    """Random bits under version digit 7: 2.1 recommends version 4 and requires randomness."""
    return f"{drawn[:14]}7{drawn[15:]}"


@twin("2.1", ANOTHER_VERSION, by=of_number)
def mixed_versions(_service: Service, bits: Bits) -> int:
    """128 random bits in the form of a UUID, without version and variant."""
    return bits(128)


# ---------------------------------------------------------------------- the time, and enough random bits


def _milliseconds(service: Service) -> int:
    return service.clock.nanoseconds() // 1_000_000


@twin("2.1", GROWS_WITH_TIME, by=redrawn)
def identifiers_of_version_7(drawn: str, service: Service) -> uuid.UUID:
    """Version 7: milliseconds and 74 random bits. Random, although it grows with time."""
    # Which versions the constructor accepts depends on the version of Python.
    return uuid.UUID(hex=f"{_milliseconds(service):012x}7{drawn.replace('-', '')[13:]}")


@twin("2.1", GROWS_WITH_TIME, by=of_number)
def identifiers_of_version_7_with_a_counter(service: Service, bits: Bits) -> int:
    """Version 7 with the counter that keeps the order within a millisecond, and 62 random bits."""
    clock = _milliseconds(service)
    return clock << 80 | 7 << 76 | service.turn(f"id {clock}") << 64 | 2 << 62 | bits(62)


@twin("2.1", GROWS_WITH_TIME, by=of_number)
def identifiers_of_version_7_with_a_fraction(service: Service, bits: Bits) -> int:
    """Version 7 with the fraction of the millisecond."""
    clock, rest = divmod(service.clock.nanoseconds(), 1_000_000)
    return clock << 80 | 7 << 76 | rest * 4096 // 1_000_000 << 64 | 2 << 62 | bits(62)


@twin("2.1", GROWS_WITH_TIME, by=of_number)
def identifiers_that_begin_with_seconds_since_2014(service: Service, bits: Bits) -> int:
    """Seconds since May 2014, as in KSUIDs, then random bits."""
    return int(service.clock.moment().timestamp()) - 1_400_000_000 << 96 | bits(96)


@twin("2.1", GROWS_WITH_TIME, by=of_number)
def identifiers_like_ulid(service: Service, bits: Bits) -> int:
    """The 128 bits of a ULID in the form of a UUID: milliseconds and 80 random bits."""
    return _milliseconds(service) << 80 | int.from_bytes(bits(80).to_bytes(10, "little"))


@twin("2.1", GROWS_WITH_TIME, by=of_number)
def identifiers_one_more_within_a_tick(service: Service, _bits: Bits) -> int:
    """A ULID is the last one plus 1 within a tick of its clock, which keeps the order (RFC 9562, 6.2)."""
    # Its clock moves every 16 milliseconds.
    clock = _milliseconds(service) // 16 * 16
    return clock << 80 | random.Random(clock).getrandbits(79) + service.turn(f"id {clock}")


@twin("2.1", GROWS_WITH_TIME, by=partial(of_number, version=4))
def identifiers_of_laravel(service: Service, bits: Bits) -> int:
    """Units of 10 microseconds and 74 random bits, as Str::orderedUuid() makes them."""
    return service.clock.nanoseconds() // 10_000 << 80 | bits(80)


@twin("2.1", GROWS_WITH_TIME, by=of_number)
def identifiers_of_version_1_with_random_nodes(service: Service, bits: Bits) -> int:
    """Version 1 with a node and a sequence that are drawn for each identifier: 61 random bits beside 100 ns."""
    return uuid.UUID(version_1(service, bits(47) << 1 | 1, bits(14))).int


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
