from __future__ import annotations

import random

import pytest

from conformance.identifiers.glibc_rand import drawn_by_glibc

# What srand(7) and sprintf with eight times rand() & 0xffff print, which gcc evaluates from the last one on.
WORDS = """
5b913b7a-931b-4a6d-9caf-073be243dff5 a1b8d9a9-09e6-4fe3-9be9-86738a391750 65e8a87c-2903-4778-9960-0c72c982a5f2
00b6254d-a36e-40c1-8970-9e0192cc18cd d6f4fbb1-d8e0-4fa3-a01f-9d662c8885b2 31fd14b4-4c87-4c0a-b2fc-72dd82246319
62f71369-b3d9-4a2a-ad81-0b5d21261609 da8a681d-51b5-44d8-a767-2c68b16a46a5 417d14d5-765b-4e63-bde1-7aaa05837e3e
ea43b686-c92e-443a-8489-b47987b3f87f bc629776-ab2d-45bc-b47e-97c4c1e3ea54 93d18bfa-8be6-4593-b16f-23c9c3de5c97
757eb14a-e688-4cff-afcd-d1b306a4916a 19462cb8-b08e-4ef2-8275-fa0765c46e3b cc40a490-e53b-4fa9-a82e-4dc5c47c7271
e5a9527e-09aa-443f-beac-7db0c859a919 78f502cb-06c1-4ab9-8d4d-55772431104e 1fd2b4be-e823-4d60-9b77-bb6afcd26c85
90d7e889-ac90-47be-9c49-08000283ac9f 8031aed2-a201-4fe3-8928-4f83663974e9 779049e1-1049-4b0a-90ec-0d7e0449c632
9a0eda4e-c7c5-4d6e-ba7c-1307054b0d1c 03c742dd-9ee0-4ede-b206-b657e24eca48 fa95f52f-7bc2-4462-b4fd-ccf09261051a
201302a5-1562-42f7-8b15-cb8102ad800b a7bba22a-b4de-4d72-881c-da8f15ad1aad fc7b29d2-9c9f-4761-a60b-59c15881972c
f28f5df7-66a8-4284-a362-7179f6c22f00 59889c5f-804a-4eda-bc4c-7da529786955 c2f91b25-03ce-4bcd-b36a-61a476ef95f7
4085502c-12d7-4185-93b0-e90474e65c4f 91a26ead-01df-484d-bc1e-a3e8c1a50999 0294c3ba-aa4e-4c9d-aa32-0defec522b58
"""
# The same with rand() % 256 for each byte.
BYTES = """
f5433baf-6d1b-4a91-9039-73e9e3e6a9b8 f2827260-7803-4ce8-8dcc-0170c16e4db6 b288661f-a3e0-41f4-9924-ddfc0a87b4fd
09265d81-2ad9-49f7-a56a-6867d8b51d8a 3e83aae1-635b-457d-bfb3-79893a2e8643 54e3c47e-bc2d-4662-97de-c96f93e6fad1
6aa4b3cd-ff88-4a7e-bbc4-0775f28eb846 717cc52e-a93b-4040-9959-b0ac3faa7ea9 4e31774d-b9c1-4bf5-85d2-6a776023bed2
9f830049-be90-49d7-a939-8328e301d231 32497eec-0a49-4190-9c4b-077c6ec54e0e 484e5706-dee0-4dc7-9a61-f0fd62c22f95
0bad8115-f762-4513-adad-8f1c72de2abb 2c81c10b-619f-427b-80c2-796284a8f78f 5578a54c-da4a-4f88-b7ef-a46acdce25f9
4fe604b0-85d7-4c85-99a5-e81e4ddfada2 5852ef32-9d4e-4a94-bd5e-fe0a2c23047b 0a082c8f-df58-4579-bdfd-974adc44ec34
97db6734-2a21-4867-80c7-72acea7628f4 7e54845e-ac99-47a9-966e-f372b2dfa749 bb0e7de5-2f46-4caf-8dbe-5cf73484ecb3
d8701184-09e8-4d9f-9620-1108ffb852ba c6cf9ff6-15ec-4522-aa01-1adf8506925d 76a3e17f-8b0e-4ee1-ae2f-e92ee83be8ae
0b88a420-744a-431e-8b5d-fdd1638f2ed9 321058bd-1e76-4e4d-a588-7b8dc3633cce ebe0ef5f-2a32-4e76-8f7b-47f20b75cb3d
8523fba4-9999-413e-a16c-cce5cf08b3bb e8a21a13-d498-4963-94d0-551f45205ccb 43576fdc-f160-4b12-8ce7-f79befab56d7
4d71ea22-0973-451d-83db-3c89fb99543f f0c31be1-2336-44ef-9deb-8a0c96e1e4e4 52ce065b-428b-4985-a6b5-0e624e62a13f
"""
# The same with rand() % 16 and rand() % 4 + 8 for the letters of a template.
DIGITS = """
53bfdba1-0939-4369-8222-083c8dc101ed 6286f301-494d-4ca7-8d96-d1a9975a8785 dae3a13b-5df3-499a-a634-34ecd627e9f3
6a1a43df-8aeb-4475-ae86-1c5e9b00990c fae9e17d-91b5-452a-b03e-2f309e097993 8312129e-ca91-40cb-bce5-ee8e76e0d7a1
0d22f5bd-1572-453d-9fc2-eabc11b1f2b0 292487f5-85ca-4af8-bf4a-de59f64057c5 958edfd2-82f2-4dea-8dee-ac34ba8cff85
9dd7ac4c-47b7-44a1-8707-2ca684e44ec9 796e322f-79be-4d5f-acfd-ec744c380149 8df6018f-82a6-4ff6-9c52-a1af562d631f
bee1ef9e-8b8e-4b84-84a3-ebdd13fe9208 de6ed58b-d33c-4eb0-bfa2-e6fb72b5bd53 b4991e1c-c5f8-43b8-aa34-893405f50cb3
7fc10b2c-77bf-4b67-91a2-935d3bc9b94f 03b1364f-dbac-4614-82e6-b2b9565e2e21 f5c08347-002d-4631-a5f0-01c972f54d85
cd2d651d-51f2-4823-a733-84f1b1016e9b a6d7c29a-8a9a-42ce-9318-b57d18d2ebba 617dea68-211c-43da-81b0-c1792074e2f8
8006eac6-cd88-4153-96ea-3f1c11350648 e584321a-ee27-4f7a-9e83-184d961f673e 587ac9b6-898f-49f9-ad15-e99c3fd25454
9eb3a4e0-c88b-4174-b568-3f1f21c460aa a85d2ac2-64a2-4516-86c0-ac19e26396d3 059e73a9-9e3b-4342-bbeb-5ace9f4c8b9b
be49573e-111c-445e-b0da-5774068ce359 f3e885c6-6d73-42d1-9dec-363769f37380 2cea446b-a42d-46ff-bdd3-0367af6d6957
b15669c1-4031-4630-a0e1-0187b7d8e7e5 2fa85456-85a9-4cda-ad8b-d9345b1d98be bb830c87-4e1e-4ae8-8b0f-893ceedc7675
"""


def numbers(printed: str) -> list[int]:
    return [int(each.replace("-", ""), 16) for each in printed.split()]


@pytest.mark.parametrize("printed", [WORDS, BYTES, DIGITS])
def test_identifiers_of_rand_are_found(printed: str) -> None:
    drawn = numbers(printed)
    drawn[10], drawn[11] = drawn[11], drawn[10]  # two calls at the same time

    assert drawn_by_glibc(drawn)
    assert not drawn_by_glibc(drawn[::2])


def test_random_identifiers_are_not() -> None:
    chance = random.Random("rand")

    for _ in range(30):
        assert not drawn_by_glibc([chance.getrandbits(128) for _ in range(60)])


@pytest.mark.parametrize("part", [0xFFFFFFFFFFFFFFFF, 0xFFFF_FFFF_0000_0000_FFFF_FFFF << 16, 0xFFFFFFFFFFFFFFFF << 64])
@pytest.mark.parametrize("digits", [0, 0xF0F0F0F0_F0F0F0F0_F0F0F0F0_F0F0F0F0, 0xFFFFFFFF_FFFFFFFF_FFFFFFFF_FFFFFFFF])
def test_a_part_that_is_constant_shows_nothing(part: int, digits: int) -> None:
    chance = random.Random("rand")

    assert not drawn_by_glibc([chance.getrandbits(128) & ~part | digits & part for _ in range(60)])
