from __future__ import annotations

import hashlib
from uuid import NAMESPACE_DNS, NAMESPACE_OID, NAMESPACE_URL, UUID, uuid3, uuid5

import pytest
from identifier_samples import stamped

from conformance.judge.identifiers.derivation import hashed_moment, of_requester
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
    assert "the e-mail" in recomputed.derivation or "the nickname" in recomputed.derivation
    assert of_requester(ids, {"another": "bob@mail.example", "the name": "alice"}) is None


@pytest.mark.parametrize("text", ["2026-01-31T12:00:00.250279Z", "1769860800250", "2026-01-31 12:00:00"])
def test_the_hash_of_the_moment_of_creation_is_found(text: str) -> None:
    one = hashed("sha1", text)

    recomputed = hashed_moment(observed(one, created_at="2026-01-31T12:00:00.250279Z"))

    assert recomputed is not None
    assert recomputed.derivation == f"the sha1 of the moment {text}"
    assert hashed_moment(observed(one, created_at="2026-01-31T12:00:01.251Z")) is None
