"""Faults of clause 2.1: the form of requestId, and hashes of a counter."""

from __future__ import annotations

import uuid

from conformance.calibration.operators import mapped, on_request, put, redrawn, without
from conformance.calibration.sources import UUID_VERSIONS
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


@fault("2.1-requestId-version", source="2.1, table, row 1, Meaning, sentence 2")
class _RequestIdOfRandomBits(Service):
    """128 random bits are written as a UUID, without version and variant."""

    def new_id(self, call: Call) -> str:  # noqa: ARG002 independent of the call
        return str(uuid.UUID(int=self._random.getrandbits(128)))


@fault("2.1-requestId-not-time-ordered", "2.1-requestId-version", name="request-id-version-7", source=UUID_VERSIONS)
class _VersionSeven(Service):
    """Version 7 sorts by time, which suits the index of the database and shows when the request was made."""

    def new_id(self, call: Call) -> str:  # noqa: ARG002 independent of the call
        clock = int(self.now().timestamp() * 1000) << 80 | 7 << 76 | self._random.getrandbits(12) << 64
        return str(uuid.UUID(int=clock | 2 << 62 | self._random.getrandbits(62)))


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
