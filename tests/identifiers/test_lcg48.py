from __future__ import annotations

import random
from uuid import UUID

import pytest

from conformance.identifiers.lcg48 import drawn_by_digit, drawn_by_java
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


# What Java 17 prints for the seed 42, where each digit is drawn.
OF_A_TEMPLATE = """
b0a04f4b-a1e7-4564-b7cc-fe267be6c229 534d5229-4ca9-4191-8c05-53d06cf1b87d 43f9d3a6-5256-46a7-b7f7-8d020dc7c4a3
52fd7786-0acb-4a51-9554-d2c49651b2e4 32c4ac7a-4f8c-4ab2-97c0-a0777a467f26 dafcbe69-4f91-45c5-8fe2-5e645c5c7216
be2ec42f-140a-4844-affe-e5b00c084d89 6bd87149-1eea-4a6b-a9d2-40fa6d964fde a29b7353-bfdf-458c-9b88-dcc6ad2b620c
8b6ccdad-6f82-4390-8229-8b8c5fbe6a07 181627e2-6ad7-4576-a029-f26709488bfa 0d4c5495-3804-44f5-9a1a-67839db497d1
ef5ca8d9-14e3-4989-a2ff-09ac68919732 b7ab7ae5-78fc-4183-a0b7-8d7a5f04c3b7 46a79280-8a4a-425b-96e7-14c76679d204
38738a15-ca8d-47fb-8af1-4ba6f894b62b b42d801d-b9a0-4d17-95bc-bcf4e876ef4f 8dad6e25-3d76-489e-a1fb-992b6e096a11
1be53697-8314-4618-b109-aec0a2bf2b31 35ba0bd0-5d06-4ed3-86d2-fe83032229af b4ea61e4-e92b-4742-ab64-e03ed85ea097
d4f23ab7-eac9-439f-b7bf-83bd333d9d92 e68bfc21-56d8-4a64-a30c-ea457276ca2a e9731b2a-c340-4238-b933-9d2d2ac8639a
45e50964-75e4-4765-8650-a03f26e260a9 74b3ab38-a0fa-4184-b6dd-1f99b49f8c58 cdab3793-def2-4d14-999f-903bfdbe5c91
"""


def test_identifiers_drawn_digit_by_digit_are_found() -> None:
    drawn = [observed(UUID(each)) for each in OF_A_TEMPLATE.split()]

    assert drawn_by_digit(drawn)
    assert not drawn_by_digit(drawn[:18])


@pytest.mark.parametrize("digits", ["0123456789abcdef", "0123456789", "0"])
def test_other_digits_show_nothing(digits: str) -> None:
    chance = random.Random("digits")

    for _ in range(200):
        assert not drawn_by_digit(observed(UUID("".join(chance.choices(digits, k=32)))) for _ in range(64))
