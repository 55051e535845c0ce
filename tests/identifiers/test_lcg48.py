from __future__ import annotations

import random
from uuid import UUID

import pytest

from conformance.identifiers.lcg48 import drawn_by_java
from conformance.identifiers.sample import ObservedId


def observed(one: UUID) -> ObservedId:
    return ObservedId(one, 0.0, 0.5)


# What Java 17 prints for the seeds 1, 42, -7 and 1234567890123.
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
    one = observed(UUID(int=UUID(written).int, version=version))

    assert drawn_by_java([observed(UUID(int=7)), one]) is one


def test_random_identifiers_are_not() -> None:
    chance = random.Random("java")

    assert drawn_by_java(observed(UUID(int=chance.getrandbits(128), version=4)) for _ in range(10)) is None


def test_four_words_that_do_not_all_follow_are_not() -> None:
    first = UUID("bb1ad573-19b8-9cd8-68fb-0e6f684df992").int

    assert drawn_by_java([observed(UUID(int=first ^ 1 << place)) for place in (0, 40, 70, 100, 127)]) is None
