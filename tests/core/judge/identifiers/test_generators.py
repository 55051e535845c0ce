from __future__ import annotations

import random
from uuid import UUID

import pytest

from conformance.judge.identifiers.generators import drawn_by_java, drawn_by_v8
from conformance.judge.identifiers.sample import ObservedId

# What Node 20 prints for the two common ways to make an identifier of Math.random().
TEMPLATE = [
    "71b1ee76-07e9-458c-b1e5-7b6f094e6f68",
    "34702904-4916-4d28-8e1e-70a6aeffaeea",
    "2ec921e1-0b04-483e-a052-1ef62fafc203",
    "48815599-00ca-490a-996a-cbbbfa37501d",
    "769f0a37-b7e1-4082-91cf-513c1535a689",
    "fa1ea118-8c62-418f-8895-f67ecc89580a",
    "38d4280f-ca46-4ab9-9be4-df44001dbcf0",
    "a54c46d1-f6c6-4a8e-a578-31b285c82df7",
]
GROUPS = [
    "42361d73-387e-c26b-b644-a6dc4c0320ab",
    "5aa9c7df-e430-e1ee-2c0f-e2707424d015",
    "c61a7c1b-526d-d7cc-80b8-6a70f3b621b6",
    "aaaa35ad-4b88-5314-4747-afc2e6060904",
    "3c52eb6e-b6b9-4671-bd00-0ea7b9a977a1",
    "72732474-7c1a-7e7c-4a76-4662718e253a",
    "c9880101-5d76-58c7-9c54-74db3c12a246",
    "c49c1b36-8bab-e4f4-1087-8d1242258084",
]


@pytest.mark.parametrize("written", [TEMPLATE, GROUPS], ids=["template", "groups"])
def test_two_identifiers_of_math_random_tell_the_next(written: list[str]) -> None:
    ids = [UUID(each).int for each in written]

    assert drawn_by_v8(ids) in {(ids[place], ids[place + 1]) for place in range(len(ids) - 1)}
    assert drawn_by_v8(ids[::-1]) is not None


@pytest.mark.parametrize("written", [TEMPLATE, GROUPS], ids=["template", "groups"])
def test_other_identifiers_are_not_drawn_from_it(written: list[str]) -> None:
    chance = random.Random("v8")
    ids = [UUID(each).int for each in written]
    altered = [each ^ sum(1 << place for place in range(0, 124, 12) if place != 60) for each in ids]

    assert drawn_by_v8([0] * 9) is None
    assert drawn_by_v8([chance.getrandbits(128) for _ in range(60)]) is None
    assert drawn_by_v8([each for one in ids for each in (one, chance.getrandbits(128))]) is None
    assert drawn_by_v8([*(each for pair in zip(ids, altered, strict=True) for each in pair)]) is None


# What Java 17 prints for several seeds.
@pytest.mark.parametrize(
    "written",
    [
        *("bb1ad573-19b8-9cd8-68fb-0e6f684df992", "ba419d35-0dfe-8af7-aee7-bbe10c45c028"),
        *("44e52a8b-e6c8-8b83-ac55-9a2bf222edf7", "ff7ae7d3-8a1b-0a14-c467-d233d3d00ffe"),
        *("f7bed9d4-b5f3-4868-8190-e5722719b812", "aa616abe-1761-4c9a-a743-67bd738597dc"),
        *("15f35c9b-32b8-4701-b5d2-447182855bb2", "36a1ef10-3813-4a73-a790-e27b932459ec"),
        *("fccc2c35f0b84609e5f12c55dd85aba8", "e43c084f4bbb2bf1839dee466d852cb5"),
        *("5c588085df297c253eb114da5803c950", "d0105bc9d39f79b9725e8ec27288d3f4"),
        *("44e52a8c-e6c8-8b83-ac55-9a2cf222edf7", "ff7ae7d4-8a1b-0a14-c467-d234d3d00ffe"),  # by nextInt()
    ],
)
@pytest.mark.parametrize("version", [None, 4])
def test_identifiers_of_java_util_random_are_found(written: str, version: int | None) -> None:
    chance = random.Random("java")
    others = [ObservedId(UUID(int=chance.getrandbits(128), version=4), 0.0, 0.5) for _ in range(10)]
    one = ObservedId(UUID(int=UUID(written).int, version=version), 0.0, 0.5)

    assert drawn_by_java([*others, one]) is one
    assert drawn_by_java(others) is None
