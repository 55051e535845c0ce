"""Faults of clause 2.1: requestId is repeated, guessable, counted or derived from the requester."""

from __future__ import annotations

import uuid
from collections.abc import Callable
from typing import Any

from conformance.calibration.operators import hashed, identified, of_user, ticks_since_1582, version_1, with_accounts
from conformance.calibration.sources import DJANGO_DEFAULT, SQLITE_ROW_IDS
from conformance.calibration.variant import fault, fault_table
from conformance.reference.call import Call
from conformance.reference.config import User
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


def _made(make: Callable[[Service], str]) -> type[Service]:
    return identified(lambda service, _call: make(service))


def _never_twice(make: Callable[[Service], str]) -> Callable[[Service], str]:
    """Draw again if the number is taken, as with a unique column."""

    def drawn(service: Service) -> str:
        while service.turn(one := make(service)):
            pass
        return one

    return drawn


def _bits(service: Service, count: int) -> int:
    return service._random.getrandbits(count)


def _sixteen_bits(service: Service) -> str:
    return f"5f0c9a1e-3b7d-4c62-9e41-7a8d2b6c{_bits(service, 16):04x}"


def _thirty_two_bits(service: Service) -> str:
    return f"{_bits(service, 32):08x}-3b7d-4c62-9e41-7a8d2b6c0f13"


def _clock_only(service: Service) -> str:
    nanoseconds = int(service.now().timestamp() * 1_000_000) * 1000 + service.turn("id") % 1000
    return str(uuid.UUID(int=nanoseconds << 64 | 0x9E41_7A8D_2B6C_0F13, version=4))


def _one_byte_repeated(service: Service) -> str:
    return str(uuid.UUID(int=int.from_bytes(bytes([_bits(service, 8)]) * 16, "big"), version=4))


def _decimal_digits(service: Service) -> str:
    digits = "".join(str(_bits(service, 16) % 10) for _ in range(32))
    return f"{digits[:8]}-{digits[8:12]}-4{digits[13:16]}-8{digits[17:20]}-{digits[20:]}"


def _version_one(service: Service) -> str:
    return version_1(service, 0x3C5282A1B2C3, _bits(service, 14))


def _version_six(service: Service) -> str:
    ticks = ticks_since_1582(service)
    bits = (ticks >> 12) << 80 | 6 << 76 | (ticks & 0xFFF) << 64 | 2 << 62 | 0x1A2B << 48 | 0x3C5282A1B2C3
    return str(uuid.UUID(int=bits))


fault_table(
    _RANDOM,
    ("request-id-of-16-random-bits", "Only the last four digits change.", _made(_never_twice(_sixteen_bits))),
    consequences=(_UNIQUE, _ALL),
)
fault_table(
    _RANDOM,
    ("request-id-of-32-random-bits", "Only the first group changes.", _made(_thirty_two_bits)),
    consequences=(_ALL,),
)
fault_table(
    _RANDOM,
    ("request-id-version-1", "Time and network card: version 1.", _made(_version_one)),
    ("request-id-version-6", "Time and network card, in sortable order.", _made(_version_six)),
    consequences=(_VERSION, _ORDER, _ALL),
)
fault_table(
    _RANDOM,
    ("request-id-from-clock", "The time, written as a version 4 UUID.", _made(_clock_only)),
    consequences=(_ORDER, _ALL, "2.1-requestId-not-incremental"),
)
fault_table(
    _RANDOM,
    ("request-id-of-one-repeated-byte", "One random byte, repeated.", _made(_never_twice(_one_byte_repeated))),
    consequences=(_ALL, _UNIQUE),
)
fault_table(_ALL, ("request-id-of-decimal-digits", "Digits from 0 to 9 only.", _made(_decimal_digits)))

# ---------------------------------------------------------------------- counters

_COUNTED = (_RANDOM, _ALL, _ORDER, _VERSION)


def _count_at_the_end(service: Service) -> str:
    return f"00000000-0000-4000-8000-{service.turn('id') + 1:012}"


def _count_in_front(service: Service) -> str:
    return f"{0x6F0A13C2 + service.turn('id'):08x}-3b7d-4c62-9e41-7a8d2b6c0f13"


def _count_in_sevens(service: Service) -> str:
    return f"5f0c9a1e-3b7d-4c62-9e41-{0x7A8D2B6C0000 + 7 * service.turn('id'):012x}"


def _count_down(service: Service) -> str:
    return f"5f0c9a1e-3b7d-4c62-9e41-{0x7A8D2B6C0000 - service.turn('id'):012x}"


def _count_in_the_middle(service: Service) -> str:
    return f"5f0c9a1e-{service.turn('id') + 0x0A13:04x}-4c62-9e41-7a8d2b6c0f13"


for _name, _summary, _make in (
    ("request-id-counts-up", "The row number, padded with zeros.", _count_at_the_end),
    ("request-id-first-group-counts", "Sequential GUIDs of a database.", _count_in_front),
    ("request-id-counts-in-sevens", "A counter with the step of a cluster of seven nodes.", _count_in_sevens),
    ("request-id-counts-down", "A counter that runs downwards.", _count_down),
    ("request-id-second-group-counts", "A counter in the middle of fixed digits.", _count_in_the_middle),
):
    fault_table(_INCREMENTAL, (_name, _summary, _made(_make)), consequences=_COUNTED)

# ---------------------------------------------------------------------- derived from the requester

_UNRELATED = "2.1-requestId-unrelated"
_DERIVED = (_UNIQUE, _RANDOM, _ALL, _VERSION, _INCREMENTAL, *_ANOTHER_HAS_IT)


def _email(name: str) -> str:
    return f"{name}@mail.example"


def _of_email(derive: Callable[[str], uuid.UUID]) -> type[Service]:
    """Return the service whose accounts are e-mail addresses, and whose identifiers `derive` makes of them."""

    class Changed(of_user(lambda user, _count: derive(_email(user.name)))):  # type: ignore[misc]
        def data_me(self, call: Call) -> Any:
            return super().data_me(call) | {"account": _email(call.owner)}

    return Changed


for _name, _summary, _derive in (
    ("request-id-md5-of-name", "MD5 of the user's name.", lambda user, _count: hashed("md5", user.name)),
    ("request-id-sha256-of-token", "SHA-256 of the token.", lambda user, _count: hashed("sha256", user.token)),
    ("request-id-md5-of-token", "MD5 of the token.", lambda user, _count: hashed("md5", user.token)),
    (
        "request-id-uuid3-of-name",
        "Version 3 of the name.",
        lambda user, _count: uuid.uuid3(uuid.NAMESPACE_DNS, user.name),
    ),
    (
        "request-id-uuid5-of-token",
        "UUID 5 of the token.",
        lambda user, _count: uuid.uuid5(uuid.NAMESPACE_OID, user.token),
    ),
):
    # Services that derive the identifier allow one request at a time.
    fault_table(_UNRELATED, (_name, _summary, of_user(_derive)), consequences=_DERIVED, max_requests=1)

fault_table(
    _UNRELATED,
    (
        "request-id-sha1-of-email",
        "SHA-1 of the e-mail address.",
        _of_email(lambda address: hashed("sha1", address)),
    ),
    consequences=_DERIVED,
    max_requests=1,
)


def _beside(write: Callable[[str, Call, User], str]) -> type[Service]:
    """Return the service whose identifiers are made by `write` from a random one, the call and its user."""

    class Changed(Service):
        def new_id(self, call: Call) -> str:
            assert call.user
            return write(super().new_id(call), call, call.user)

    return Changed


fault_table(
    _UNRELATED,
    (
        "request-id-ends-with-name",
        "The identifier ends with the bytes of the user's name.",
        _beside(lambda drawn, _, user: f"{drawn[:24]}{user.name.encode()[:6].hex():0<12}"),
    ),
    consequences=(_ALL,),
)


def _customer(count: int) -> int:
    return 482_137 + 77_003 * count


def _account_number(count: int) -> str:
    return f"{417_164_300 + 98_765_431 * count:010}"


def _with_account_number(write: Callable[[str, str], str]) -> type[Service]:
    """Return the service of a bank; `write` makes the identifiers of a random one and the account number."""
    return with_accounts(
        lambda count: {"iban": f"NL91 ABNA {_account_number(count)[:4]} {_account_number(count)[4:]}", "points": 120},
        lambda drawn, count: write(drawn, _account_number(count)),
    )


def _swapped(digits: str) -> str:
    return bytes.fromhex(digits)[::-1].hex()


fault_table(
    _UNRELATED,
    (
        "request-id-ends-with-part-of-account-number",
        "The last group is the last eight digits of the account number, padded with zeros.",
        _with_account_number(lambda drawn, number: f"{drawn[:24]}{number[-8:]:0>12}"),
    ),
    (
        "request-id-ends-with-account-number-in-hexadecimal",
        "The last group is the account number in hexadecimal notation.",
        _with_account_number(lambda drawn, number: f"{drawn[:24]}{int(number):012x}"),
    ),
    (
        "request-id-begins-with-account-number-turned-round",
        "The first group is a part of the account number whose bytes .NET has turned round.",
        _with_account_number(lambda drawn, number: _swapped(number[-8:]) + drawn[8:]),
    ),
    (
        "request-id-begins-with-customer-number",
        "The identifier begins with the customer number of six digits.",
        with_accounts(
            lambda count: {"customer": _customer(count), "since": "2026-01-31", "points": 120},
            lambda drawn, count: f"{_customer(count):08}{drawn[8:]}",
        ),
    ),
    consequences=(_ALL,),
)
