from __future__ import annotations

import hashlib
from uuid import NAMESPACE_DNS, NAMESPACE_OID, NAMESPACE_URL, UUID, uuid3, uuid5

import pytest
from identifier_samples import fair, sample, stamped

from conformance.judge.identifiers.derivation import HIGHEST, hashed_counter, hashed_moment, of_requester
from conformance.judge.identifiers.sample import ObservedId

NAME = "alice@mail.example"


def observed(*ids: UUID, created_at: str = "") -> list[ObservedId]:
    return [ObservedId(one, float(index), index + 0.5, created_at) for index, one in enumerate(ids)]


def known(*values: str) -> dict[str, str]:
    return {value: value for value in values}


def hashed(algorithm: str, name: str = NAME) -> UUID:
    return stamped(int.from_bytes(hashlib.new(algorithm, name.encode()).digest()[:16]))


@pytest.mark.parametrize(
    "one",
    [
        uuid3(NAMESPACE_DNS, NAME),
        uuid5(NAMESPACE_DNS, NAME),
        *map(hashed, ("md5", "sha1", "sha256")),
        UUID(bytes_le=hashlib.md5(NAME.encode()).digest()),
        stamped(UUID(bytes_le=hashlib.md5(NAME.encode()).digest()).int),
    ],
)
def test_what_is_made_of_a_name_is_recomputed(one: UUID) -> None:
    assert of_requester(observed(one), known("bob@mail.example", NAME)) is not None
    assert of_requester(observed(one), known("bob@mail.example", "alice")) is None


def test_a_name_that_was_cut_in_a_surrogate_pair_is_a_name_like_any_other() -> None:
    cut = "ali \ud83d"
    one = stamped(int.from_bytes(hashlib.md5(cut.encode("utf-8", "surrogatepass")).digest()))

    assert of_requester(observed(one), known(cut)) is not None
    assert of_requester(observed(one), known("ali ")) is None


def test_random_identifiers_derive_from_nothing() -> None:
    values = known("alice.example", "8b1d8f0e-3c50-4f0c-9d34-5b2a7f6d1c11", "20260131", NAME)
    for seed in range(5):
        ids = sample(str(seed), fair, 32).ids

        assert of_requester(ids, values) is None
        assert hashed_counter(ids) == []
        assert hashed_moment(ids) is None


@pytest.mark.parametrize(
    "name",
    [f"{NAME}7", f"{NAME}-7", f"{NAME}:2026-01-31T12:00:00.250Z", f"1769860800_{NAME}", f"{NAME}|1769860800250"],
)
def test_a_name_with_a_counter_or_the_moment_is_found(name: str) -> None:
    ids = [hashed("sha256", name), uuid5(NAMESPACE_OID, name), uuid3(NAMESPACE_URL, name)]
    for one in ids:
        recomputed = of_requester(observed(one, created_at="2026-01-31T12:00:00.250Z"), {"the e-mail": NAME})

        assert recomputed is not None
        assert "the e-mail" in recomputed.derivation


# ---------------------------------------------------------------------- counters


@pytest.mark.parametrize("algorithm", ["md5", "sha1", "sha256"])
@pytest.mark.parametrize(("first", "found"), [(0, True), (1, True), (HIGHEST - 20, True), (HIGHEST + 1, False)])
@pytest.mark.parametrize("step", [1, -1])
def test_hashed_row_numbers_are_a_counter(algorithm: str, first: int, found: bool, step: int) -> None:
    """Sixteen of them, which is the fewest that a run judges, in order or backwards."""
    ids = observed(*(hashed(algorithm, str(number)) for number in range(first, first + 16)[::step]))

    recomputed = hashed_counter(ids)

    assert {each.observed for each in recomputed} == (set(ids) if found else set())


# ---------------------------------------------------------------------- moments


@pytest.mark.parametrize(
    "text",
    [
        "2026-01-31T12:00:00.250279Z",
        "1769860800",
        "1769860800250",
        "2026-01-31T12:00:00.250279",
        "2026-01-31 12:00:00.250279",
        "2026-01-31 12:00:00",
    ],
)
def test_the_hash_of_the_moment_of_creation_is_found(text: str) -> None:
    one = hashed("sha1", text)

    recomputed = hashed_moment(observed(one, created_at="2026-01-31T12:00:00.250279Z"))

    assert recomputed is not None
    assert recomputed.derivation == f"the sha1 of the moment {text}"
    assert hashed_moment(observed(one, created_at="2026-01-31T12:00:01.251Z")) is None
