"""Faults of clause 2.1: the form of requestId, and hashes of a counter."""

from __future__ import annotations

import base64
import hashlib
import uuid
from collections.abc import Callable

from conformance.calibration.operators import mapped, on_request, one_in_ten, put, renamed, without
from conformance.calibration.variant import fault, fault_table
from conformance.reference.call import Call, Operation
from conformance.reference.service import Service

_ID = "2.1-requestId"
_FORM_TOO = ("2.1-requestId-version", "4.2-agrees-with-creation")


fault_table(
    _ID,
    (
        "request-id-absent",
        "The identifier is given in a Location header only.",
        on_request(without("requestId"), Operation.CREATE),
    ),
    ("request-id-called-id", "The serialiser shows the column's name.", on_request(renamed("requestId", "id"))),
    (
        "request-id-null-on-create",
        "The object is shown before it is stored.",
        on_request(put(requestId=None), Operation.CREATE),
    ),
    ("request-id-absent-on-read", "The caller knows it already.", on_request(without("requestId"), Operation.READ)),
    (
        "request-id-without-hyphens-on-read",
        "Reading shows the form in which the database keeps it.",
        on_request(mapped("requestId", lambda value: value.replace("-", "")), Operation.READ),
    ),
    (
        "request-id-without-hyphens-in-one-of-ten",
        "One of the nodes runs an older library.",
        on_request(mapped("requestId", lambda value: value.replace("-", "")), when=one_in_ten),
    ),
    consequences=_FORM_TOO,
)


class _Number(Service):
    def new_id(self, call: Call) -> str:
        return str(uuid.UUID(super().new_id(call)).int >> 70)


fault_table(
    _ID,
    (
        "request-id-number",
        "A random number instead of a UUID.",
        type("_Shown", (on_request(mapped("requestId", int)), _Number), {}),
    ),
    ("request-id-decimal-text", "A random number, as text.", _Number),
    consequences=("2.1-requestId-version",),
)


@fault(_ID, "2.1-requestId-version")
class _RequestIdWithoutHyphens(Service):
    """Thirty-two digits without hyphens."""

    def new_id(self, call: Call) -> str:
        return super().new_id(call).replace("-", "")


@fault(_ID, "2.1-requestId-version")
class _RequestIdInBraces(Service):
    """The registry notation of a GUID."""

    def new_id(self, call: Call) -> str:
        return "{" + super().new_id(call) + "}"


@fault(_ID, "2.1-requestId-version")
class _RequestIdAsUrn(Service):
    """The URN of a UUID instead of the UUID."""

    def new_id(self, call: Call) -> str:
        return f"urn:uuid:{super().new_id(call)}"


@fault(_ID, "2.1-requestId-version")
class _RequestIdPrefixed(Service):
    """A prefix tells support what the identifier is for."""

    def new_id(self, call: Call) -> str:
        return f"req_{super().new_id(call)}"


@fault(_ID, "2.1-requestId-version")
class _RequestIdBase64(Service):
    """A short form for nicer links."""

    def new_id(self, call: Call) -> str:
        return base64.urlsafe_b64encode(uuid.UUID(super().new_id(call)).bytes).decode().rstrip("=")


@fault(_ID, "2.1-requestId-version", "2.1-requestId-unique", name="request-id-of-24-digits")
class _TwentyFour(Service):
    """The document database's own identifier."""

    def new_id(self, call: Call) -> str:
        return super().new_id(call).replace("-", "")[:24]


@fault("2.1-requestId-version")
class _RequestIdOfRandomBits(Service):
    """128 random bits are written as a UUID, without version and variant."""

    def new_id(self, call: Call) -> str:  # noqa: ARG002 drawn without regard to the call
        return str(uuid.UUID(int=self._random.getrandbits(128)))


@fault("2.1-requestId-version", name="request-id-labelled-version-5")
class _WrongVersion(Service):
    """Random bits under the version digit of a name-based UUID."""

    def new_id(self, call: Call) -> str:
        drawn = super().new_id(call)
        return f"{drawn[:14]}5{drawn[15:]}"


@fault("2.1-requestId-not-time-ordered", "2.1-requestId-version", name="request-id-version-7")
class _VersionSeven(Service):
    """Version 7 is taken for the sake of the database's index, and tells when the request was made."""

    def new_id(self, call: Call) -> str:  # noqa: ARG002 drawn without regard to the call
        milliseconds = int(self.now().timestamp() * 1000)
        bits = (
            milliseconds << 80 | 7 << 76 | self._random.getrandbits(12) << 64 | 2 << 62 | self._random.getrandbits(62)
        )
        return str(uuid.UUID(int=bits))


@fault("2.1-requestId-not-time-ordered")
class _RequestIdEndsWithTime(Service):
    """A combed GUID: the last six bytes are the time, because the database sorts by them."""

    def new_id(self, call: Call) -> str:
        milliseconds = int(self.now().timestamp() * 1000)
        return f"{super().new_id(call)[:24]}{milliseconds:012x}"


@fault("2.1-requestId-not-time-ordered", "2.1-requestId-not-incremental", "2.1-requestId-random")
class _RequestIdBeginsWithCounter(Service):
    """A row number in front of random bits: not to be guessed, but in order."""

    def new_id(self, call: Call) -> str:
        return f"{self.turn('id') + 4711:08x}{super().new_id(call)[8:]}"


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
