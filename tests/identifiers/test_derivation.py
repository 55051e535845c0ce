from __future__ import annotations

import hashlib
import hmac
import random
from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime
from uuid import NAMESPACE_DNS, NAMESPACE_OID, NAMESPACE_URL, UUID, uuid3, uuid5

import pytest
from identifier_samples import fair, sample, stamped

from conformance.identifiers.derivation import carried, hashed_numbers, of_moment, of_requester
from conformance.identifiers.sample import ObservedId

NAME = "alice@mail.example"
NOWHERE = "https://elsewhere.example"


def observed(*ids: UUID, created_at: str = "") -> list[ObservedId]:
    return [ObservedId(one, float(index), index + 0.5, created_at) for index, one in enumerate(ids)]


def known(*values: str) -> dict[str, str]:
    return {value: value for value in values}


def hashed(algorithm: str, name: str = NAME) -> UUID:
    return stamped(int.from_bytes(hashlib.new(algorithm, name.encode()).digest()[:16]))


@pytest.mark.parametrize(
    "one",
    [
        uuid3(NAMESPACE_DNS, NAME),
        uuid5(NAMESPACE_DNS, NAME),
        uuid5(UUID(int=0), NAME),
        *map(hashed, ("md5", "sha1", "sha256", "sha512")),
        UUID(bytes_le=hashlib.md5(NAME.encode()).digest()),
        stamped(UUID(bytes_le=hashlib.md5(NAME.encode()).digest()).int),
    ],
)
def test_what_is_made_of_a_name_is_recomputed(one: UUID) -> None:
    assert of_requester(observed(one), known("bob@mail.example", NAME)) is not None
    assert of_requester(observed(one), known("bob@mail.example", "alice")) is None


def test_a_name_that_was_cut_in_a_surrogate_pair_is_a_name_like_any_other() -> None:
    cut = "ali \ud83d"
    one = stamped(int.from_bytes(hashlib.md5(cut.encode("utf-8", "surrogatepass")).digest()))

    assert of_requester(observed(one), known(cut)) is not None
    assert of_requester(observed(one), known("ali ")) is None
    assert carried(observed(one, stamped(7)), known(cut)) is None


def with_part(chance: random.Random, part: bytes, place: int) -> UUID:
    raw = chance.randbytes(16)
    return stamped(int.from_bytes(raw[:place] + part + raw[place + len(part) :]))


@pytest.mark.parametrize(
    "part", [b"alice@", hashlib.sha256(NAME.encode()).digest()[:5], hashlib.md5(NAME.encode()).digest()[-5:]]
)
@pytest.mark.parametrize("place", [0, 9])
def test_a_piece_of_a_name_or_of_its_hash_is_found(part: bytes, place: int) -> None:
    chance = random.Random(place)
    ids = [with_part(chance, part, place) for _ in range(32)]

    assert carried(observed(*ids), known(NAME)) is not None
    assert carried(observed(*ids), known("bob@elsewhere.example")) is None


@pytest.mark.parametrize("part", [(48_213).to_bytes(4), bytes.fromhex("00048213")])
def test_an_account_number_is_found_as_a_number_and_as_digits(part: bytes) -> None:
    chance = random.Random(1)
    ids = [with_part(chance, part, 10) for _ in range(32)]

    assert carried(observed(*ids), known("48213")) is not None
    assert carried(observed(*ids), known("48214")) is None


def test_random_identifiers_carry_nothing() -> None:
    values = known("alice.example", "8b1d8f0e-3c50-4f0c-9d34-5b2a7f6d1c11", "20260131", NAME)
    for seed in range(20):
        ids = sample(str(seed), fair, 32).ids

        assert carried(ids, values) is None
        assert of_requester(ids, values) is None
        assert hashed_numbers(ids, NOWHERE) is None
        assert of_moment(ids) is None


@pytest.mark.parametrize(
    ("number", "found"), [("0", True), ("4095", True), ("4096", True), ("8191", True), ("8192", False)]
)
def test_a_plain_hash_of_a_small_number_is_found(number: str, found: bool) -> None:
    ids = observed(*(hashed(algorithm, number) for algorithm in ("md5", "sha1", "sha256", "sha512")))

    recomputed = hashed_numbers(ids, NOWHERE)
    assert (list(recomputed.ids) if recomputed else []) == (ids if found else [])


@pytest.mark.parametrize(
    "name",
    [f"{NAME}7", f"{NAME}-7", f"{NAME}:2026-01-31T12:00:00.250Z", f"1769860800_{NAME}", f"{NAME}|1769860800250"],
)
def test_a_name_with_a_counter_or_the_moment_is_found(name: str) -> None:
    ids = [hashed("sha256", name), uuid5(NAMESPACE_OID, name), uuid3(NAMESPACE_URL, name)]
    for one in ids:
        found = of_requester(observed(one, created_at="2026-01-31T12:00:00.250Z"), {"the e-mail": NAME})

        assert found is not None
        assert "the e-mail" in found[1]


@pytest.mark.parametrize(
    "one",
    [
        UUID(bytes=hmac.digest(NAME.encode(), b"19", "sha256")[:16], version=4),
        uuid5(uuid5(NAMESPACE_DNS, NAME), "2026-01-31T12:00:00.250Z"),
    ],
)
def test_a_name_that_is_the_key_of_a_counter_or_moment_is_found(one: UUID) -> None:
    found = of_requester(observed(one, created_at="2026-01-31T12:00:00.250Z"), {"the e-mail": NAME})

    assert found is not None
    assert "with the e-mail as key or namespace" in found[1]
    assert of_requester(observed(one, created_at="2026-01-31T12:00:00.250Z"), {"the e-mail": "bob"}) is None


@pytest.mark.parametrize("name", ["request-7", "0000000007", '{"id":7}', "\0\0\0\0\0\0\0\7", "\7\0\0\0"])
def test_a_small_number_with_something_around_it_is_found(name: str) -> None:
    found = hashed_numbers(observed(hashed("sha256", name)), NOWHERE)

    assert found is not None
    assert list(found.numbers) == [7]


def test_the_version_5_uuid_of_a_numbered_address_is_found() -> None:
    base = "https://shop.example/api"
    ids = observed(*(uuid5(NAMESPACE_URL, f"{base}/requests/{number}") for number in range(3, 9)))

    found = hashed_numbers(ids, f"{base}/")
    assert found is not None
    assert found.count
    assert hashed_numbers(ids, NOWHERE) is None


def test_a_hashed_moment_is_found_alone_and_beside_a_counter() -> None:
    moment = "2026-01-31T12:00:00Z"

    assert of_moment(observed(hashed("sha1", moment), created_at=moment)) is not None
    found = of_moment(observed(hashed("md5", "1769860800-3"), created_at=moment))
    assert found is not None
    assert "the moment 1769860800 and the number 3" in found[1]


@pytest.mark.parametrize("step", [1, -1])
def test_hashed_row_numbers_count_up_or_down_also_where_two_are_out_of_turn(step: int) -> None:
    rows = [2000 + step * index for index in range(32)]
    rows[7], rows[8] = rows[8], rows[7]
    digests = [hashlib.sha1(str(row).encode()).digest()[:16] for row in rows]
    found = hashed_numbers(observed(*(stamped(UUID(bytes_le=digest).int) for digest in digests)), NOWHERE)

    assert found is not None
    assert found.count
    assert (list(found.numbers), found.of) == (rows, 32)
    assert found.how == "the sha1 of the number 2000"


def test_hashed_random_numbers_do_not_count() -> None:
    chance = random.Random(5)
    few = [hashlib.sha256(chance.getrandbits(12).to_bytes(2)).digest()[:16] for _ in range(32)]
    among = [UUID(int=chance.getrandbits(128)) for _ in range(31)] + [uuid3(NAMESPACE_URL, "4095")]

    every, one = (hashed_numbers(observed(*ids), NOWHERE) for ids in ([UUID(bytes=each) for each in few], among))

    assert every is not None
    assert one is not None
    assert (every.count, len(every.numbers)) == (False, 32)
    assert (one.count, one.how) == (False, "the version 3 UUID (URL namespace) of the number 4095")


@pytest.mark.parametrize(
    "name",
    [
        f"{1769860800:08x}{250279:05x}",
        "2026-01-31 12:00:00.250279",
        "2026-01-31T12:00:00.250279",
        "2026-01-31T12:00:00.250279Z",
        "0.25027900 1769860800",
    ],
)
def test_the_hash_of_a_microsecond_is_found_though_only_the_millisecond_is_told(name: str) -> None:
    found = of_moment(observed(hashed("md5", name), created_at="2026-01-31T12:00:00.250Z"))

    assert found is not None
    assert f"the moment {name}" in found[1]
    assert of_moment(observed(hashed("md5", name), created_at="2026-01-31T12:00:00.251Z")) is None
    assert of_moment(observed(hashed("md5", name), created_at="2026-01-31T12:00:00Z")) is None


def test_the_hash_of_a_clock_as_a_floating_point_number_is_found() -> None:
    for name in ("1769860800.2502797", "1769860800.25028"):
        assert of_moment(observed(hashed("md5", name), created_at="2026-01-31T12:00:00.250Z")) is not None
        assert of_moment(observed(hashed("md5", name), created_at="2026-01-31T12:00:00.249Z")) is None


def test_the_hash_of_createdAt_in_nanoseconds_is_found() -> None:
    found = of_moment(observed(hashed("sha1", "1769860800250279120"), created_at="2026-01-31T12:00:00.25027912Z"))

    assert found is not None
    assert found[1] == "the sha1 of the moment 1769860800250279120"


@pytest.mark.parametrize("ahead", [0, -7200.4, 86_400.6])
@pytest.mark.parametrize(
    "write",
    [
        lambda second, micro: f"{second:08x}{micro:05x}",
        lambda second, micro: f"{second}.{micro // 100:04}".rstrip("0"),
    ],
)
def test_what_php_makes_of_the_clock_is_found_though_only_the_second_is_shown(
    write: Callable[[int, int], str], ahead: float
) -> None:
    ids = []
    for second, micro in zip(range(1769860800, 1769860816), range(5, 1_000_000, 60_301), strict=False):
        clock = second + micro / 1e6
        written = f"{datetime.fromtimestamp(second, UTC):%FT%TZ}"
        ids.append(ObservedId(hashed("md5", write(second, micro)), clock - ahead - 0.01, clock - ahead + 0.01, written))

    assert of_moment(ids) is not None
    assert of_moment([replace(each, id=stamped(index)) for index, each in enumerate(ids)]) is None


def test_the_hash_of_a_millisecond_is_found_though_only_the_second_is_shown() -> None:
    alone, after = hashed("sha256", "1769860800250"), hashed("sha256", f"{NAME}:1769860800250")

    assert of_moment(observed(alone, created_at="2026-01-31T12:00:00Z")) is not None
    assert of_moment(observed(alone, created_at="2026-01-31T12:00:01Z")) is None
    assert of_requester(observed(after, created_at="2026-01-31T12:00:00Z"), known(NAME)) is not None
    assert of_requester(observed(after, created_at="2026-01-31T12:00:00Z"), known("bob")) is None
