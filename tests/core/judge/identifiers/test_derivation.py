"""Identifiers that are computed from the account, or carry a part of it."""

from __future__ import annotations

import hashlib
import random
from uuid import NAMESPACE_DNS, NAMESPACE_OID, NAMESPACE_URL, UUID, uuid3, uuid5

import pytest
from identifier_samples import fair, sample, stamped

from conformance.judge.identifiers.derivation import User, hashed_moment, of_requester, part_of_account
from conformance.judge.identifiers.sample import ObservedId

NAME = "alice@mail.example"
CUT = "ali \ud83d"
"""A name that was cut in a surrogate pair."""


def observed(*ids: UUID, created_at: str = "") -> list[ObservedId]:
    return [ObservedId(one, float(index), index + 0.5, created_at) for index, one in enumerate(ids)]


def hashed(algorithm: str, name: str = NAME) -> UUID:
    return stamped(int.from_bytes(hashlib.new(algorithm, name.encode("utf-8", "surrogatepass")).digest()[:16]))


@pytest.mark.parametrize(
    "one",
    [
        uuid3(NAMESPACE_DNS, NAME),
        uuid5(NAMESPACE_DNS, NAME),
        *map(hashed, ("md5", "sha1", "sha256")),
        hashed("md5", CUT),
        UUID(bytes_le=hashlib.md5(NAME.encode()).digest()),
        stamped(UUID(bytes_le=hashlib.md5(NAME.encode()).digest()).int),
        # with a counter or the moment
        hashed("sha256", f"{NAME}7"),
        uuid5(NAMESPACE_OID, f"{NAME}:2026-01-31T12:00:00.250Z"),
        uuid3(NAMESPACE_URL, f"1769860800_{NAME}"),
    ],
)
def test_what_is_made_of_a_name_is_recomputed(one: UUID) -> None:
    ids = observed(one, created_at="2026-01-31T12:00:00.250Z")

    recomputed = of_requester(ids, {"another": "bob@mail.example", "the e-mail": NAME, "the nickname": CUT})

    assert recomputed is not None
    assert "the e-mail" in recomputed.how or "the nickname" in recomputed.how
    assert of_requester(ids, {"another": "bob@mail.example", "the name": "alice"}) is None


@pytest.mark.parametrize("text", ["2026-01-31T12:00:00.250279Z", "1769860800250", "2026-01-31 12:00:00"])
def test_the_hash_of_the_moment_of_creation_is_found(text: str) -> None:
    one = hashed("sha1", text)

    recomputed = hashed_moment(observed(one, created_at="2026-01-31T12:00:00.250279Z"))

    assert recomputed is not None
    assert recomputed.how == f"the sha1 of the moment {text}"
    assert hashed_moment(observed(one, created_at="2026-01-31T12:00:01.251Z")) is None


@pytest.mark.parametrize("seed", ["4711", 4711])
def test_a_generator_that_a_value_of_the_account_seeds_is_found(seed: str | int) -> None:
    drawn = [UUID(int=random.Random(seed).getrandbits(128), version=4)]

    recomputed = of_requester(observed(*drawn), {"the name": "\ud83d", "the number": "4711"})

    assert recomputed is not None
    assert recomputed.how == "drawn from random.Random of Python, whose seed is the number"
    assert of_requester(observed(*drawn), {"the number": "4712"}) is None


def with_part(seed: int, part: bytes, place: int, number: int = 32) -> list[ObservedId]:
    chance = random.Random(seed)
    raw = [chance.randbytes(16) for _ in range(number)]
    return observed(*(stamped(int.from_bytes(each[:place] + part + each[place + len(part) :])) for each in raw))


@pytest.mark.parametrize("place", [0, 9])
def test_a_part_of_a_name_is_found(place: int) -> None:
    part = b"alice@"
    ids = with_part(place, part, place)

    for known, others, is_found in (
        (NAME, [], True),
        ("bob@elsewhere.example", [], False),
        (NAME, with_part(7, part, place, 1), False),
        (NAME, with_part(7, b"bobby@", place, 1), True),
    ):
        found = part_of_account(User(ids, {"the e-mail": known}), User(others, {}))
        assert (found is not None) == is_found


@pytest.mark.parametrize("place", [0, 10])
def test_a_part_of_the_account_is_found_unless_each_user_has_it(place: int) -> None:
    mine, theirs = "48-213-771", "55-914-002"
    written, other = (bytes.fromhex(each.replace("-", "")) for each in (mine, theirs))
    user = User(with_part(1, written, place), {"the number": mine, "the points": "120"})

    found = part_of_account(user, User(with_part(2, other, place, 1), {"the number": theirs}))
    assert found is not None
    assert "of the number, which no requestId of the other user has there" in found
    assert part_of_account(user, User(with_part(2, written, place, 1), {"the number": mine})) is None


def test_few_digits_count_only_if_the_other_user_has_the_own_ones_in_their_place() -> None:
    user = User(with_part(1, bytes.fromhex("48213f"), 10), {"the number": "a48213f7"})

    assert part_of_account(user, User(with_part(2, bytes.fromhex("77d1e0"), 10, 1), {"the number": "c77d1e0a"}))
    for account in ({"the number": "c77d1e1a"}, {"another": "c77d1e0a"}, {}):
        assert part_of_account(user, User(with_part(2, bytes.fromhex("77d1e0"), 10, 1), account)) is None
    long = User(with_part(1, bytes.fromhex("48213771a0c5"), 10), {"the number": "48213771a0c5"})
    assert part_of_account(long, User(with_part(2, bytes.fromhex("77d1e0"), 10, 1), {})) is not None


@pytest.mark.parametrize(("mine", "theirs"), [("00004711", "00004712"), ("00001267", "00001268")])
def test_a_short_number_counts_with_its_zeros_if_each_user_has_the_own_one(mine: str, theirs: str) -> None:
    user = User(with_part(1, bytes.fromhex(mine), 12), {"the number": "4711"})
    others = with_part(2, bytes.fromhex(theirs), 12, 1)

    assert part_of_account(user, User(others, {"the number": "4712"})) is not None
    for known in ("4713", "712"):
        assert part_of_account(user, User(others, {"the number": known})) is None


def test_what_identifiers_and_account_have_in_common_by_chance_is_no_part_of_it() -> None:
    theirs = {"the number": "55914002", "the plan": "20002"}
    for part, value in (
        ("00000012", "1000001234"),  # padding, and a number that is shorter than six digits
        ("00000000", "1000000000"),
    ):
        user = User(with_part(1, bytes.fromhex(part), 10), {"the number": value})
        assert part_of_account(user, User(with_part(2, bytes.fromhex("0000002f"), 10, 1), theirs)) is None
    for seed in range(5):
        ids = sample(str(seed), fair, 32).ids
        account = {"the id": str(ids[0].id), "born": "1984-02-29", "the number": "20417164300", "the name": NAME}
        assert part_of_account(User(ids, account), User((), {})) is None
