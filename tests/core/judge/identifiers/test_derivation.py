from __future__ import annotations

import hashlib
from uuid import NAMESPACE_DNS, NAMESPACE_OID, NAMESPACE_URL, UUID, uuid3, uuid5

import pytest
from identifier_samples import fair, sample, stamped

from conformance.judge.identifiers.derivation import HIGHEST, hashed_counter, hashed_moment, of_requester
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


def test_random_identifiers_derive_from_nothing() -> None:
    values = {"an id": "8b1d8f0e-3c50-4f0c-9d34-5b2a7f6d1c11", "the day": "20260131", "the e-mail": NAME}
    for seed in range(2):
        ids = sample(str(seed), fair, 32).ids

        assert of_requester(ids, values) is None
        assert hashed_counter(ids) == []
        assert hashed_moment(ids) is None


@pytest.mark.parametrize(
    ("algorithm", "first", "found", "step"),
    [("md5", 0, True, 1), ("sha1", 1, True, -1), ("sha256", HIGHEST - 20, True, 1), ("md5", HIGHEST + 1, False, 1)],
)
def test_hashed_row_numbers_are_a_counter(algorithm: str, first: int, found: bool, step: int) -> None:
    """Sixteen of them, which is the fewest that a run judges, in order or backwards."""
    ids = observed(*(hashed(algorithm, str(number)) for number in range(first, first + 16)[::step]))

    recomputed = hashed_counter(ids)

    assert {each.observed for each in recomputed} == (set(ids) if found else set())


@pytest.mark.parametrize("text", ["2026-01-31T12:00:00.250279Z", "1769860800250", "2026-01-31 12:00:00"])
def test_the_hash_of_the_moment_of_creation_is_found(text: str) -> None:
    one = hashed("sha1", text)

    recomputed = hashed_moment(observed(one, created_at="2026-01-31T12:00:00.250279Z"))

    assert recomputed is not None
    assert recomputed.derivation == f"the sha1 of the moment {text}"
    assert hashed_moment(observed(one, created_at="2026-01-31T12:00:01.251Z")) is None
