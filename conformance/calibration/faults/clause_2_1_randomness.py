"""Faults of clause 2.1: requestId is repeated, guessable, counted or derived from the requester."""

from __future__ import annotations

import hashlib
import uuid
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from random import Random
from typing import Any

from conformance.calibration import sources
from conformance.calibration.faults.common import Remembering
from conformance.calibration.operators import (
    Bits,
    changing,
    hashed,
    identified,
    of_number,
    of_user,
    version_1,
    with_accounts,
)
from conformance.calibration.variant import add_fault, fault
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
_UNRELATED = "2.1-requestId-unrelated"

# ---------------------------------------------------------------------- repeated identifiers

_ANOTHER_HAS_IT = ("3-removed", "4.2-answers-200")
"""A deleted request stays readable while another request has the same identifier."""


@fault(_UNIQUE, *_ANOTHER_HAS_IT, source=sources.SQLITE_ROW_IDS, base=Remembering, at="new_id")
def request_id_of_deleted_given_again(service: Remembering, _call: Call) -> str | None:
    """The service reuses the row of a deleted request."""
    *_, free = None, *service.removed
    service.removed.clear()
    return free


@fault(_UNIQUE, *_ANOTHER_HAS_IT, source=sources.DJANGO_DEFAULT, at="new_id")
def request_id_evaluated_once(service: Service, call: Call) -> Any:
    """A default value is computed once, when the program starts."""
    if "requestId" not in service.kept:
        service.kept["requestId"] = Service.new_id(service, call)
    held = any(each.id == service.kept["requestId"] for each in service.store.all())
    return None if held else service.kept["requestId"]


add_fault(
    _UNIQUE,
    "request-id-generator-seeded-with-seconds",
    "Each request uses a generator seeded with the seconds of the clock.",
    of_number(lambda service, _bits: Random(int(service.clock.moment().timestamp())).getrandbits(128), 4),
    consequences=(
        "3-deletes-no-other",
        "3-removed",
        "4.1-creates-in-parallel",
        "4.2-agrees-with-creation",
        "4.2-answers-200",
        "4.3-answers-ok",
        "7-limit-reached",
        "8-limit-enforced*",
        _RANDOM,
        _ALL,
    ),
)

# ---------------------------------------------------------------------- few random bits, clocks


_CLOCKED = (_ORDER, _ALL, _INCREMENTAL, _VERSION)


@fault(_RANDOM, _ALL, by=of_number)
def request_id_of_32_random_bits(_service: Service, bits: Bits) -> int:
    """Only the first group changes."""
    return bits(32) << 96 | 0x3B7D_4C62_9E41_7A8D_2B6C_0F13


@fault(_RANDOM, _VERSION, _ORDER, _ALL, at="new_id")
def request_id_version_1(service: Service, _call: Call) -> str:
    """Time and network card: version 1."""
    return version_1(service, 0x3C5282A1B2C3, service._random.getrandbits(14))


@fault(_RANDOM, *_CLOCKED, by=of_number)
def request_id_like_an_object_id(service: Service, _bits: Bits) -> int:
    """Seconds, process and counter."""
    return int(service.clock.moment().timestamp()) << 96 | 0x3C52_82A1_B2 << 56 | (0x1A2B3C + service.turn("id")) << 32


@fault(_RANDOM, *_CLOCKED, by=partial(of_number, version=4))
def request_id_of_clock_and_32_random_bits(service: Service, bits: Bits) -> int:
    """Milliseconds and 32 random bits, the rest fixed."""
    return service.clock.nanoseconds() // 1_000_000 << 80 | 0x1234_5678 << 32 | bits(32)


add_fault(
    _RANDOM,
    "request-id-of-a-generator-seeded-with-42",
    "The seed of a test stayed in the code.",
    of_number(lambda service, _bits: service.kept.setdefault("generator", Random(42)).getrandbits(128), 4),
)
_precise = changing("timestamp", lambda _service, _text, moment: moment.isoformat(timespec="microseconds"))


@fault(_RANDOM, base=_precise, of="new_request")
def request_id_hashed_from_the_moment(service: Service, request: DataRequest, *_: object) -> DataRequest:
    """MD5 of createdAt, which the user knows."""
    return replace(request, id=str(hashed("md5", service.timestamp(request.created_at), version=4)))


@fault(_ALL, by=partial(of_number, version=4))
def request_id_with_one_constant_bit(_service: Service, bits: Bits) -> int:
    """A flag of the storage takes one bit."""
    return bits(128) | 1 << 17


# ---------------------------------------------------------------------- counters


@fault(_INCREMENTAL, _RANDOM, _ALL, _ORDER, _VERSION, at="new_id")
def request_id_counts_up(service: Service, _call: Call) -> str:
    """The row number, padded with zeros."""
    return f"00000000-0000-4000-8000-{service.turn('id') + 1:012}"


def _beside(count: Callable[[int], int], width: int) -> type[Service]:
    """Return the service whose identifiers are random and end in what `count` makes of the number of the request."""
    return of_number(lambda service, bits: bits(128 - width) << width | count(service.turn("id")) & (1 << width) - 1, 4)


for _name, _summary, _service in (
    ("request-id-ends-with-a-counter", "Random, except for a counter of two bytes.", _beside(lambda n: 40_000 + n, 16)),
    (
        "request-id-ends-with-counter-of-a-worker",
        "Random, except for a counter: each of two workers has a block of 1,000 numbers.",
        _beside(lambda n: 40_000 + n % 2 * 1_000 + n // 2, 32),
    ),
):
    add_fault(_INCREMENTAL, _name, _summary, _service, consequences=(_ALL, _ORDER))


@fault(_INCREMENTAL, _VERSION, at="new_id")
def request_id_hashed_from_a_counter(service: Service, _call: Call) -> str:
    """SHA-1 of the row number."""
    return str(hashed("sha1", str(service.turn("id")), version=5))


@fault(
    _INCREMENTAL,
    undetectable="An encrypted counter: with a good cipher and a secret key "
    "it cannot be distinguished from random numbers.",
    source="2.1, table, row 1, Meaning, sentence 3",
    at="new_id",
)
def request_id_of_an_encrypted_counter(service: Service, _call: Call) -> str:
    """The row number, encrypted with a secret key."""
    digest = hashlib.blake2b(service.turn("id").to_bytes(8), key=b"of the service alone", digest_size=16).digest()
    return str(uuid.UUID(bytes=digest, version=4))


# ---------------------------------------------------------------------- derived from the requester

_DERIVED = (_UNIQUE, _RANDOM, _ALL, _VERSION, _INCREMENTAL)


def _turned(user: User, _count: int) -> uuid.UUID:
    return uuid.UUID(bytes_le=hashed("md5", user.name).bytes)


for _name, _summary, _derive in (
    ("request-id-md5-of-name", "MD5 of the user's name.", lambda user, _count: hashed("md5", user.name)),
    ("request-id-md5-of-name-turned-round", "MD5 of the name, written in the other byte order.", _turned),
    ("request-id-sha256-of-token", "SHA-256 of the token.", lambda user, _count: hashed("sha256", user.token)),
):
    # Services that derive the identifier allow one request at a time.
    add_fault(_UNRELATED, _name, _summary, of_user(_derive), consequences=(*_DERIVED, *_ANOTHER_HAS_IT), max_requests=1)


@fault(_UNRELATED, by=of_user)
def request_id_of_a_generator_seeded_with_the_name(user: User, count: int) -> uuid.UUID:
    """Each user has a generator, whose seed is the name."""
    drawn = Random(user.name).getrandbits(128 * (count + 1))
    return uuid.UUID(int=drawn >> 128 * count, version=4)


@fault(_UNRELATED, _VERSION, by=of_user)
def request_id_uuid5_of_name_and_count(user: User, count: int) -> uuid.UUID:
    """Version 5 of the name and the number of the user's request."""
    return uuid.uuid5(uuid.NAMESPACE_URL, f"{user.name}:{count}")


def _customer(count: int) -> int:
    return 482_137 + 77_003 * count


def _account(count: int) -> str:
    return f"{417_164_300 + 98_765_431 * count:010}"


for _name, _summary, _service in (
    (
        "request-id-ends-with-name",
        "The identifier ends with the bytes of the user's name.",
        identified(
            lambda service, call: Service.new_id(service, call)[:24] + call.owner.encode()[:6].hex().ljust(12, "0")
        ),
    ),
    (
        "request-id-ends-with-part-of-account-number",
        "The last group is the last eight digits of the account number, padded with zeros.",
        with_accounts(
            lambda count: {
                "iban": f"NL91 ABNA {_account(count)[:4]} {_account(count)[4:]}",
                "points": 120,
            },
            lambda drawn, count: f"{drawn[:24]}{_account(count)[-8:]:0>12}",
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
    (
        "request-id-ends-with-short-account-number",
        "The identifier ends with the account number of four digits, padded with zeros.",
        with_accounts(
            lambda count: {"id": 4_711 + count, "points": 120},
            lambda drawn, count: f"{drawn[:28]}{4_711 + count:08}",
        ),
    ),
):
    add_fault(_UNRELATED, _name, _summary, _service, consequences=(_ALL,))


@fault(_ALL, source="2.1, table, row 1, Meaning, sentence 3", at="new_id")
def request_id_with_number_of_the_user(service: Service, call: Call) -> str:
    """The customer number, which the interface does not show."""
    number = 48_213 + 7 * [user.name for user in service.config.users].index(call.owner)
    return f"{Service.new_id(service, call)[:24]}{number:08x}{Service.new_id(service, call)[32:]}"
