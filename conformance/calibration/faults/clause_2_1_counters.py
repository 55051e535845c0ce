"""Faults of clause 2.1: identifiers that are hashes of a counter with something written around it."""

from __future__ import annotations

import hashlib
import uuid
from collections.abc import Callable

from conformance.calibration.variant import fault_table
from conformance.reference.call import Call
from conformance.reference.service import Service

_INCREMENTAL = "2.1-requestId-not-incremental"


def _counted(make: Callable[[int], uuid.UUID]) -> type[Service]:
    class Changed(Service):
        def new_id(self, call: Call) -> str:  # noqa: ARG002 nothing of the call goes in
            return str(make(1 + self.turn("id")))

    return Changed


def _md5(raw: bytes) -> uuid.UUID:
    return uuid.UUID(bytes=hashlib.md5(raw, usedforsecurity=False).digest(), version=4)


for _name, _summary, _make in (
    ("a-word-and-a-counter", "MD5 of a word with the row number.", lambda number: _md5(b"request-%d" % number)),
    ("a-padded-counter", "MD5 of the row number in ten digits.", lambda number: _md5(b"%010d" % number)),
    ("a-long", "MD5 of the row number as the eight bytes of a long.", lambda number: _md5(number.to_bytes(8))),
    (
        "a-small-object",
        "SHA-256 of a JSON object that holds the row number only.",
        lambda number: uuid.UUID(bytes=hashlib.sha256(b'{"id":%d}' % number).digest()[:16], version=4),
    ),
):
    fault_table(_INCREMENTAL, (f"request-id-hashed-from-{_name}", _summary, _counted(_make)))

for _name, _summary, _make in (
    (
        "of-its-numbered-address",
        "Version 5 of the address that the request would have by its row number.",
        lambda number: uuid.uuid5(uuid.NAMESPACE_URL, f"http://localhost/api/v1/requests/{number}"),
    ),
    (
        "version-3-of-a-word-and-a-counter",
        "Version 3 of a word with the row number.",
        lambda number: uuid.uuid3(uuid.NAMESPACE_OID, f"request-{number}"),
    ),
):
    fault_table(
        _INCREMENTAL, (f"request-id-{_name}", _summary, _counted(_make)), consequences=("2.1-requestId-version",)
    )
