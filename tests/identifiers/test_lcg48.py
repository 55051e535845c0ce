from __future__ import annotations

import random
from uuid import UUID

import pytest

from conformance.identifiers.lcg48 import drawn_by_digit, drawn_by_java, drawn_by_perl
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


# What UUID::Tiny 1.04 and sprintf print with Perl 5.36.
OF_TINY = """
f219c299-4b98-41f1-b05f-035dfabc948e dc97255f-12e7-4316-aea7-1fb715733319 65256a9f-73fa-4c89-88d3-5ee3e0b58223
2bb2363a-9752-458c-9570-6812cb9a752f 99b8ef71-c798-415e-b030-3dd4de8b0a71 fb53e5e1-2cfc-4d2d-b09e-f2a1c3f8fb73
d431ae4e-5f79-4277-a554-82503283919e ff55a766-90fe-4dae-997b-3ca8acb2ba07 3465e48d-4314-4385-818d-aa75ae15ddf1
f82dfd3d-e4f0-4aaa-9363-116aa898033f 19746f57-b5a3-429a-a959-dc0a73c5495e 3997a0ff-df51-4cf1-bc06-98c01790cc85
"""
OF_SPRINTF = """
359f47c1-8e08-1e32-0de2-14aa970845b9 e9fc9d24-4e75-68a1-b7c9-5f5a54f27143 885fa33f-cc37-f8b8-9ffb-89660839d8f6
0c9bdd54-be2a-5eea-d5db-b575c17e4cb4 fad8b7c7-e147-239b-b6af-21c1bc7bdcc9 77b61828-d97f-2dde-b965-f0ce17b834f1
7aac0893-c85e-5508-6362-bc2ba958b2c5 308775c8-60f7-0ed3-a1ec-adb16739437b a95cb3b6-e7e4-e21c-dd16-1c32b3bcef10
5a528068-dd6f-847a-1a3c-b094e3f6d948 d1098983-071b-4f2b-6d74-e8b07f226b1e 33960ccf-2d30-0620-ca82-658c0a89498d
"""


@pytest.mark.parametrize("written", [OF_TINY, OF_SPRINTF])
def test_identifiers_of_rand_of_perl_are_found(written: str) -> None:
    drawn = [observed(UUID(each)) for each in written.split()]

    assert drawn_by_perl(drawn)
    assert not drawn_by_perl(drawn[:9])
    assert not drawn_by_perl([*drawn, observed(UUID(int=7))])


def test_random_identifiers_are_not_of_perl() -> None:
    chance = random.Random("perl")

    for _ in range(100):
        assert not drawn_by_perl(observed(UUID(int=chance.getrandbits(128), version=4)) for _ in range(12))


def test_parts_that_hardly_change_show_nothing() -> None:
    chance, known = random.Random("perl"), UUID(OF_SPRINTF.split()[0]).int
    middle = ((1 << 64) - 1) << 32

    assert not drawn_by_perl(observed(UUID(int=known & ~middle | chance.getrandbits(64) << 32)) for _ in range(60))


# What Java 17 and Perl 5.36 print for the seed 42, where each digit is drawn.
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
OF_DIGITS = """
b5161d77-bd79-80c9-e787-75e0dfd4314b 0449d3cd-3188-de28-8447-324818dfa440 96783d59-2923-e3dc-9d94-91f289f0b94d
91496ee4-a3df-f98b-92f3-36b095757015 1b6640f7-bce5-08e5-d3cf-e0b2d29b9300 ef61b8ef-fe94-c144-f773-7e11fdd77f97
690bafa5-2be8-2dea-b797-2668a1e0aaca 72cea67b-502b-b7ea-a19b-272cb9af1e77 209b564e-d61b-2678-72cb-7cf4d7cb9700
b3691032-61e9-2bbc-739e-91c5f5d618f4 7dec2d8a-da97-5bfb-0c0b-7f986cd49f5d c0479566-236c-f560-057d-70c6f696f1b2
df1827dc-5776-1678-c02f-2c0e17fd281e e90b878e-6c92-0a68-b30c-ea08bd65615d e0e2d8d4-f977-97ee-1546-99502845f49f
e17d34b2-8093-1f3c-229c-20b2db71d147 83a359d7-b6c5-def2-7118-08d7c61f7491 c78a5b4a-6185-0741-8574-570637625d89
30324525-c0e1-d18c-73ae-9940f12d1fa3 e27c9e2d-416b-bc80-8d45-37fad03c1f45 b07b37ca-15dc-130d-42c9-73537e114326
3d67cfc3-9db2-6107-65ed-cb6d095f42ed 009f3c0d-c3af-3061-6e46-2f5b768e6a54 9ce5e6d5-32ea-ddfe-5a41-89461c183b46
22469027-b92e-3b0b-a56c-6d46b1cd24ff d1fd8df8-a556-eeb9-bce7-6d73c752201d fb500040-d4f1-6643-1145-deb9ce3cf269
"""


@pytest.mark.parametrize("written", [OF_A_TEMPLATE, OF_DIGITS])
def test_identifiers_drawn_digit_by_digit_are_found(written: str) -> None:
    drawn = [observed(UUID(each)) for each in written.split()]

    assert drawn_by_digit(drawn)
    assert not drawn_by_digit(drawn[:18])
    assert not drawn_by_perl(drawn)


@pytest.mark.parametrize("digits", ["0123456789abcdef", "0123456789", "0"])
def test_other_digits_show_nothing(digits: str) -> None:
    chance = random.Random("digits")

    for _ in range(200):
        assert not drawn_by_digit(observed(UUID("".join(chance.choices(digits, k=32)))) for _ in range(64))
