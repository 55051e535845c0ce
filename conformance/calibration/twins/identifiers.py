"""Twins with other identifiers: 2.1 requires the form of a UUID and randomness, and recommends version 4."""

from __future__ import annotations

import uuid
from collections.abc import Callable

from conformance.calibration.operators import of_number, redrawn, with_accounts
from conformance.calibration.sources import SQL_SERVER_UUID
from conformance.calibration.twins.common import ANOTHER_VERSION, GROWS_WITH_TIME, Document, shown_with
from conformance.calibration.variant import Acceptable, add_twin, twin
from conformance.reference.call import Action, Call
from conformance.reference.service import Service
from conformance.reference.store import DataRequest


class _AnyCase(Service):
    def find(self, call: Call) -> DataRequest:
        call.request_id = call.request_id.lower()
        return super().find(call)


@twin("4.2", source=SQL_SERVER_UUID)
class _UpperCaseWhenCreated(_AnyCase):
    """Creation returns the identifier in upper case, reading in lower case; both are the same UUID."""

    def document(self, request: DataRequest, call: Call) -> Document:
        document = super().document(request, call)
        if call.operation is Action.CREATE:
            document["requestId"] = request.id.upper()
        return document


add_twin(
    "2.1",
    "random-identifiers-of-every-variant",
    "Random bits with the variants of NCS, Microsoft and the future by turns, which the form of a UUID allows.",
    ANOTHER_VERSION,
    service=redrawn(lambda drawn, service: f"{drawn[:19]}{'07cdef'[service.turn('id') % 6]}{drawn[20:]}"),
)
add_twin(
    "2.1",
    "random-identifiers-of-no-version",
    "Random bits with version digits that no standard assigns: 2.1 requires only randomness.",
    ANOTHER_VERSION,
    service=redrawn(lambda drawn, service: f"{drawn[:14]}{'09af'[service.turn('id') % 4]}{drawn[15:]}"),
)


add_twin(
    "2.1",
    "zeros-in-one-identifier",
    "One of many identifiers begins with eight zeros by chance.",
    service=redrawn(lambda drawn, service: "00000000" + drawn[8:] if service.turn("id") == 5 else drawn),
)


def _version_7(drawn: str, service: Service) -> uuid.UUID:
    # Which versions the constructor accepts depends on the version of Python.
    return uuid.UUID(hex=f"{_milliseconds(service):012x}7{drawn.replace('-', '')[13:]}")


def _milliseconds(service: Service) -> int:
    return service.clock.nanoseconds() // 1_000_000


def _ten_bytes(bits: Callable[[int], int]) -> int:
    return int.from_bytes(bits(80).to_bytes(10, "little"))


add_twin(
    "2.1",
    "identifiers-of-version-7",
    "Version 7: milliseconds and 74 random bits. Random, although it grows with time.",
    GROWS_WITH_TIME,
    service=redrawn(_version_7),
)
add_twin(
    "2.1",
    "identifiers-like-ulid",
    "The 128 bits of a ULID in the form of a UUID: milliseconds and 80 random bits.",
    GROWS_WITH_TIME,
    service=of_number(lambda service, bits: _milliseconds(service) << 80 | _ten_bytes(bits)),
)
add_twin(
    "2.1",
    "identifiers-that-end-in-a-clock",
    "Ten random bytes and then the milliseconds, so that a database sorts them: random, although it grows with time.",
    GROWS_WITH_TIME,
    service=of_number(lambda service, bits: _ten_bytes(bits) << 48 | _milliseconds(service)),
)
add_twin(
    "2.1",
    "identifiers-of-version-4-with-a-clock",
    "The form of version 4, with the seconds in its first four bytes.",
    {"2.1-requestId-not-time-ordered": ("warn",)},
    service=redrawn(lambda drawn, service: f"{int(service.clock.moment().timestamp()):08x}{drawn[8:]}"),
)
add_twin(
    "2.1",
    "a-member-calls-the-identifier-id",
    "The request also has an id, a number in a string, beside requestId.",
    service=shown_with(
        lambda document, request, _call, _service: {"id": str(len(request.types)), "uuid": "none"} | document
    ),
)

# ---------------------------------------------------------------------- constant parts that tell nothing of the account

_CONSTANT: Acceptable = {"2.1-requestId-all-random": ("warn",)}
_TENANT = "471108150042"
_SHARDS = ("7c31e05a44d9", "d2904b1f86e3")

add_twin(
    "2.1",
    "identifiers-end-with-the-number-of-the-tenant",
    "The last group is the number of the organisation among those that the host serves, which each account shows.",
    _CONSTANT,
    service=with_accounts(
        lambda count: {"customer": 100_001 + count, "tenant": _TENANT},
        lambda drawn, _count: drawn[:24] + _TENANT,
    ),
)
add_twin(
    "2.1",
    "identifiers-begin-with-the-day-of-the-release",
    "The first group is the day on which the service was installed, on which both accounts were opened.",
    _CONSTANT,
    service=with_accounts(
        lambda count: {"customer": 100_001 + count, "opened": "2026-01-31"},
        lambda drawn, _count: f"20260131{drawn[8:]}",
    ),
)
add_twin(
    "2.1",
    "identifiers-end-with-the-number-of-a-shard",
    "The last group is a random number of the database that holds the user; accounts have UUIDs, days and numbers.",
    _CONSTANT,
    service=with_accounts(
        lambda count: {
            "id": str(uuid.UUID(int=(0x3C2B1A << 100 | 0x9F8E7D6C5B4A) + (count << 64), version=4)),
            "born": f"19{80 + count}-02-28",
            "phone": f"+31 6 1234 56{count:02}",
            "initials": "AB",
            "pin": 4410 + count,
        },
        lambda drawn, count: drawn[:24] + _SHARDS[count],
    ),
)
