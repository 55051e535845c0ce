from __future__ import annotations

import random
from collections.abc import Sequence
from uuid import UUID

import pytest
from identifier_samples import fair, sample, stamped

from conformance.judge.identifiers.derivation import User, part_of_account
from conformance.judge.identifiers.sample import ObservedId

NAME = "alice@mail.example"


def observed(ids: Sequence[UUID]) -> list[ObservedId]:
    return [ObservedId(one, float(index), index + 0.5) for index, one in enumerate(ids)]


def with_part(seed: int, part: bytes, place: int, number: int = 32) -> list[ObservedId]:
    chance = random.Random(seed)
    raw = [chance.randbytes(16) for _ in range(number)]
    return observed([stamped(int.from_bytes(each[:place] + part + each[place + len(part) :])) for each in raw])


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
