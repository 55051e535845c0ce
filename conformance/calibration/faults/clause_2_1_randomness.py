"""Faults of clause 2.1: requestId is repeated, guessable, counted or derived from the requester."""

from __future__ import annotations

import uuid
from typing import Any

from conformance.calibration.operators import hashed, identified, of_user, version_1, with_accounts
from conformance.calibration.sources import DJANGO_DEFAULT, SQLITE_ROW_IDS
from conformance.calibration.variant import add_fault, fault
from conformance.reference.call import Call
from conformance.reference.service import Service
from conformance.reference.store import DataRequest

_RANDOM = "2.1-requestId-random"
_ALL = "2.1-requestId-all-random"
_ORDER = "2.1-requestId-not-time-ordered"
_VERSION = "2.1-requestId-version"
_UNIQUE = "2.1-requestId-unique"
_INCREMENTAL = "2.1-requestId-not-incremental"

# ---------------------------------------------------------------------- repeated identifiers

_ANOTHER_HAS_IT = ("3-removed", "4.2-answers-200")
"""A deleted request stays readable while another request has the same identifier."""


@fault(_UNIQUE, *_ANOTHER_HAS_IT, source=SQLITE_ROW_IDS)
class _RequestIdOfDeletedGivenAgain(Service):
    """The service reuses the row of a deleted request."""

    _free: str = ""

    def remove(self, request: DataRequest) -> DataRequest | None:
        self._free = request.id
        return super().remove(request)

    def new_id(self, call: Call) -> str:
        given, self._free = self._free, ""
        return given or super().new_id(call)


@fault(_UNIQUE, *_ANOTHER_HAS_IT, source=DJANGO_DEFAULT)
class _RequestIdEvaluatedOnce(Service):
    """A default value is computed once, when the program starts."""

    _first: str = ""

    def new_id(self, call: Call) -> str:
        self._first = self._first or super().new_id(call)
        held = any(each.id == self._first for each in self.store.all())
        return super().new_id(call) if held else self._first


# ---------------------------------------------------------------------- few random bits, clocks


def _clock_only(service: Service, _call: Call) -> uuid.UUID:
    nanoseconds = int(service.now().timestamp() * 1_000_000) * 1000 + service.turn("id") % 1000
    return uuid.UUID(int=nanoseconds << 64 | 0x9E41_7A8D_2B6C_0F13, version=4)


for _name, _summary, _make, _also in (
    (
        "request-id-of-32-random-bits",
        "Only the first group changes.",
        lambda service, _call: f"{service._random.getrandbits(32):08x}-3b7d-4c62-9e41-7a8d2b6c0f13",
        (_ALL,),
    ),
    (
        "request-id-version-1",
        "Time and network card: version 1.",
        lambda service, _call: version_1(service, 0x3C5282A1B2C3, service._random.getrandbits(14)),
        (_VERSION, _ORDER, _ALL),
    ),
    (
        "request-id-from-clock",
        "The time, written as a version 4 UUID.",
        _clock_only,
        (_ORDER, _ALL, "2.1-requestId-not-incremental"),
    ),
):
    add_fault(_RANDOM, _name, _summary, identified(_make), consequences=_also)

# ---------------------------------------------------------------------- counters

for _name, _summary, _make in (
    (
        "request-id-counts-up",
        "The row number, padded with zeros.",
        lambda service, _call: f"00000000-0000-4000-8000-{service.turn('id') + 1:012}",
    ),
    (
        "request-id-first-group-counts",
        "Sequential GUIDs of a database.",
        lambda service, _call: f"{0x6F0A13C2 + service.turn('id'):08x}-3b7d-4c62-9e41-7a8d2b6c0f13",
    ),
):
    add_fault(_INCREMENTAL, _name, _summary, identified(_make), consequences=(_RANDOM, _ALL, _ORDER, _VERSION))

# ---------------------------------------------------------------------- derived from the requester

_UNRELATED = "2.1-requestId-unrelated"
_DERIVED = (_UNIQUE, _RANDOM, _ALL, _VERSION, _INCREMENTAL, *_ANOTHER_HAS_IT)


def _email(name: str) -> str:
    return f"{name}@mail.example"


class _OfEmail(of_user(lambda user, _count: hashed("sha1", _email(user.name)))):  # type: ignore[misc]
    """Accounts are e-mail addresses, and identifiers are made of them."""

    def data_me(self, call: Call) -> Any:
        return super().data_me(call) | {"account": _email(call.owner)}


for _name, _summary, _derive in (
    ("request-id-md5-of-name", "MD5 of the user's name.", lambda user, _count: hashed("md5", user.name)),
    ("request-id-sha256-of-token", "SHA-256 of the token.", lambda user, _count: hashed("sha256", user.token)),
    (
        "request-id-uuid5-of-token",
        "UUID 5 of the token.",
        lambda user, _count: uuid.uuid5(uuid.NAMESPACE_OID, user.token),
    ),
):
    # Services that derive the identifier allow one request at a time.
    add_fault(_UNRELATED, _name, _summary, of_user(_derive), consequences=_DERIVED, max_requests=1)

add_fault(
    _UNRELATED,
    "request-id-sha1-of-email",
    "SHA-1 of the e-mail address.",
    _OfEmail,
    consequences=_DERIVED,
    max_requests=1,
)


class _EndsWithName(Service):
    def new_id(self, call: Call) -> str:
        return f"{super().new_id(call)[:24]}{call.owner.encode()[:6].hex():0<12}"


add_fault(
    _UNRELATED,
    "request-id-ends-with-name",
    "The identifier ends with the bytes of the user's name.",
    _EndsWithName,
    consequences=(_ALL,),
)


def _customer(count: int) -> int:
    return 482_137 + 77_003 * count


def _number(count: int) -> str:
    return f"{417_164_300 + 98_765_431 * count:010}"


for _name, _summary, _service in (
    (
        "request-id-ends-with-part-of-account-number",
        "The last group is the last eight digits of the account number, padded with zeros.",
        with_accounts(
            lambda count: {"iban": f"NL91 ABNA {_number(count)[:4]} {_number(count)[4:]}", "points": 120},
            lambda drawn, count: f"{drawn[:24]}{_number(count)[-8:]:0>12}",
        ),
    ),
    (
        "request-id-begins-with-customer-number",
        "The identifier begins with the customer number of six digits.",
        with_accounts(
            lambda count: {"customer": _customer(count), "since": "2026-01-31", "points": 120},
            lambda drawn, count: f"{_customer(count):08}{drawn[8:]}",
        ),
    ),
):
    add_fault(_UNRELATED, _name, _summary, _service, consequences=(_ALL,))
