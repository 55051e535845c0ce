"""Twins with other identifiers: 2.1 requires the form of a UUID and randomness, and recommends version 4."""

from __future__ import annotations

import uuid
from collections.abc import Callable

from conformance.calibration.operators import of_number, redrawn, with_accounts
from conformance.calibration.sources import SQL_SERVER_UUID
from conformance.calibration.twins.common import GROWS_WITH_TIME, Document, shown_with
from conformance.calibration.variant import Acceptable, add_twin, twin
from conformance.reference.call import Action, Call
from conformance.reference.service import Service
from conformance.reference.store import DataRequest


@twin("4.2", source=SQL_SERVER_UUID)
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
    "a-member-calls-the-identifier-id",
    "The request also has an id, a number in a string, beside requestId.",
    service=shown_with(
        lambda document, request, _call, _service: {"id": str(len(request.types)), "uuid": "none"} | document
    ),
)

# ---------------------------------------------------------------------- constant parts that tell nothing of the account

_CONSTANT: Acceptable = {"2.1-requestId-all-random": ("warn",)}
_TENANT = "471108150042"

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
