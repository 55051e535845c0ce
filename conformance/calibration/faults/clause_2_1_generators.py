"""Faults of clause 2.1: generators that look random: clocks with few random bits, and disguised counters."""

from __future__ import annotations

import hashlib
import random
import uuid
from collections.abc import Callable
from dataclasses import replace
from datetime import datetime

from conformance.calibration.operators import hashed, identified, of_number, of_user
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


# ---------------------------------------------------------------------- a clock and few random bits


def _snowflake(service: Service, _bits: Callable[[int], int]) -> int:
    since = int(service.clock.moment().timestamp() * 1000) - 1_288_834_974_657
    return since << 86 | 0x155 << 76 | (service.turn("id") & 0xFFF) << 64 | 0x9E41_7A8D


def _object_id(service: Service, _bits: Callable[[int], int]) -> int:
    return int(service.clock.moment().timestamp()) << 96 | 0x3C52_82A1_B2 << 56 | (0x1A2B3C + service.turn("id")) << 32


_CLOCKED = (_ORDER, _ALL, _INCREMENTAL, _VERSION)
for _name, _summary, _service in (
    (
        "request-id-like-a-snowflake",
        "Milliseconds since Twitter's epoch, machine and counter.",
        of_number(_snowflake, 4),
    ),
    ("request-id-like-an-object-id", "Seconds, process and counter.", of_number(_object_id)),
    (
        "request-id-of-clock-and-32-random-bits",
        "Milliseconds and 32 random bits, the rest fixed.",
        of_number(
            lambda service, bits: service.clock.nanoseconds() // 1_000_000 << 80 | 0x1234_5678 << 32 | bits(32), 4
        ),
    ),
):
    add_fault(_RANDOM, _name, _summary, _service, consequences=_CLOCKED)


class _OfMoment(Service):
    """The identifier contains nothing but createdAt with its microseconds."""

    def new_request(self, types: tuple[str, ...], call: Call) -> DataRequest:
        request = super().new_request(types, call)
        return replace(request, id=str(hashed("md5", self.timestamp(request.created_at), version=4)))

    def timestamp(self, moment: datetime) -> str:
        return moment.isoformat(timespec="microseconds")


add_fault(_RANDOM, "request-id-hashed-from-the-moment", "MD5 of createdAt, which the user knows.", _OfMoment)


# ---------------------------------------------------------------------- biased bits


add_fault(
    _ALL,
    "request-id-with-one-constant-bit",
    "A flag of the storage takes one bit.",
    of_number(lambda _service, bits: bits(128) | 1 << 17, 4),
)

# ---------------------------------------------------------------------- counters in disguise

_COUNTED = (_ALL, _ORDER)


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
    add_fault(_INCREMENTAL, _name, _summary, _service, consequences=_COUNTED)

add_fault(
    _INCREMENTAL,
    "request-id-hashed-from-a-counter",
    "SHA-1 of the row number.",
    identified(lambda service, _call: hashed("sha1", str(service.turn("id")), version=5)),
    consequences=(_VERSION,),
)


@fault(
    _INCREMENTAL,
    name="request-id-of-an-encrypted-counter",
    undetectable="An encrypted counter: with a good cipher and a secret key "
    "it cannot be distinguished from random numbers.",
    source="2.1, table, row 1, Meaning, sentence 3",
)
class _Encrypted(Service):
    """The row number, encrypted with a secret key."""

    def new_id(self, call: Call) -> str:  # noqa: ARG002 independent of the call
        digest = hashlib.blake2b(self.turn("id").to_bytes(8), key=b"known to nobody else", digest_size=16).digest()
        return str(uuid.UUID(bytes=digest, version=4))


add_fault(
    _UNIQUE,
    "request-id-generator-seeded-with-seconds",
    "Each request uses a generator seeded with the seconds of the clock.",
    of_number(lambda service, _bits: random.Random(int(service.clock.moment().timestamp())).getrandbits(128), 4),
    consequences=(
        "8-limit-enforced",
        "3-deletes-no-other",
        "3-removed",
        "4.2-agrees-with-creation",
        "7-limit-reached",
        "8-limit-enforced-in-parallel",
        "4.2-answers-200",
        "4.3-answers-ok",
        "4.1-creates-in-parallel",
        _RANDOM,
        _ALL,
    ),
)

# ---------------------------------------------------------------------- derived from the requester and something else


def _turned(user: User, _count: int) -> uuid.UUID:
    return uuid.UUID(bytes_le=hashed("md5", user.name).bytes)


add_fault(
    _UNRELATED,
    "request-id-md5-of-name-turned-round",
    "MD5 of the name, written in the other byte order.",
    of_user(_turned),
    consequences=(_UNIQUE, _RANDOM, _ALL, _VERSION, _INCREMENTAL),
    max_requests=1,
)
add_fault(
    _UNRELATED,
    "request-id-uuid5-of-name-and-count",
    "Version 5 of the name and the number of the user's request.",
    of_user(lambda user, count: uuid.uuid5(uuid.NAMESPACE_URL, f"{user.name}:{count}")),
    consequences=(_VERSION,),
)


@fault(_ALL, source="2.1, table, row 1, Meaning, sentence 3")
class _RequestIdWithNumberOfTheUser(Service):
    """The customer number, which the interface does not show."""

    def new_id(self, call: Call) -> str:
        assert call.user
        number = 48_213 + 7 * [user.name for user in self.config.users].index(call.user.name)
        return f"{super().new_id(call)[:24]}{number:08x}{super().new_id(call)[32:]}"
