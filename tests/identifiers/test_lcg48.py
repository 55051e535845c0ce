from __future__ import annotations

import random
from uuid import UUID

import pytest

from conformance.identifiers.lcg48 import drawn_by_java, drawn_by_perl
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
