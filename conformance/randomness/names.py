"""Identifiers recomputed from what is known: nothing here is left to chance (2.1)."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from typing import Final
from uuid import NAMESPACE_DNS, NAMESPACE_OID, NAMESPACE_URL, NAMESPACE_X500, UUID

from conformance.randomness.sample import FEWEST, FREE, Drawn, Sample

NAMESPACES: Final = (
    ("DNS", NAMESPACE_DNS),
    ("URL", NAMESPACE_URL),
    ("OID", NAMESPACE_OID),
    ("X.500", NAMESPACE_X500),
    ("nil", UUID(int=0)),
)


def as_bytes(name: str) -> bytes:
    """Return a name in UTF-8, also one that was cut in the middle of a character of two halves."""
    return name.encode("utf-8", "surrogatepass")


def derived(one: UUID, known: Iterable[str]) -> str | None:
    """Return in words how an identifier is made from something known of the requester, or None."""
    forms = (one.int & FREE, UUID(bytes_le=one.bytes).int & FREE_TURNED)
    for name in known:
        made = _derived_from(name)
        if (how := made.get(forms[0])) is not None:
            return how
        if (how := _turned_from(name).get(forms[1])) is not None:
            return f"{how}, its first bytes turned round"
    return None


FREE_TURNED: Final = UUID(bytes_le=FREE.to_bytes(16)).int
"""The bits that should be random where a platform turns the first three groups round."""


@lru_cache(maxsize=4096)
def _derived_from(name: str) -> dict[int, str]:
    return {int.from_bytes(value) & FREE: how for how, value in reversed(tuple(_derivations(name)))}


@lru_cache(maxsize=4096)
def _turned_from(name: str) -> dict[int, str]:
    return {int.from_bytes(value) & FREE_TURNED: how for how, value in reversed(tuple(_derivations(name)))}


def carried(ids: Sequence[UUID], known: Iterable[str]) -> str | None:
    """Return in words what of the requester stands in the same place of every identifier, or None.

    Looked for are four bytes or more of a known value or of a hash of it; by chance they stand in all of two
    identifiers or more about once in 2^64.
    """
    parts = [ids[0].bytes[start : start + 4] for start in _constant_places(ids)] if len(ids) > 1 else []
    for name in known if parts else ():
        for how, value in [*_plain(name), *_derivations(name, whole=True)]:
            if any(part in value for part in parts):
                return f"a part of {how.removeprefix('the end of ')}"
    return None


def _constant_places(ids: Sequence[UUID]) -> list[int]:
    """Return where four bytes, clear of version and variant, are the same in all identifiers."""
    places = (*range(3), *range(9, 13))
    return [
        start
        for start in places
        if len({one.bytes[start : start + 4] for one in ids}) == 1 and len(set(ids[0].bytes[start : start + 4])) > 1
    ]


def _plain(name: str) -> Iterator[tuple[str, bytes]]:
    digits = "".join(character for character in name if character in "0123456789abcdefABCDEF")
    yield "the bytes of {name}", as_bytes(name)
    yield "the digits of {name}", bytes.fromhex(digits[: len(digits) // 2 * 2])
    if name.isascii() and name.isdecimal() and len(name) < 17:
        yield "the digits of {name}", bytes.fromhex(name.zfill(16))
        yield "the number {name}", int(name).to_bytes(8)


def _derivations(name: str, *, whole: bool = False) -> Iterator[tuple[str, bytes]]:
    """Yield ways to make 16 bytes of a name, or with `whole` all the bytes that it gives."""
    raw = as_bytes(name)
    for algorithm in ("md5", "sha1", "sha256", "sha512"):
        digest = hashlib.new(algorithm, raw, usedforsecurity=False).digest()
        yield f"the {algorithm} of {{name}}", digest if whole else digest[:16]
        yield f"the end of the {algorithm} of {{name}}", digest[-16:]
    for word, namespace in NAMESPACES:
        for version, algorithm in ((3, "md5"), (5, "sha1")):
            digest = hashlib.new(algorithm, namespace.bytes + raw, usedforsecurity=False).digest()
            yield f"the version {version} UUID of {{name}} in the {word} namespace", digest[:16]


def tied(sample: Sample, others: Sequence[Drawn]) -> int:
    """Return how many bits are the same in all identifiers of one user, where some differ for another; 0 for none.

    Asked are only identifiers that another user was given in between, so that no clock explains the difference. By
    chance sixteen bits never stay the same.
    """
    values = sample.values
    between = [each for each in others if sample.drawn[0].ended < each.began < sample.drawn[-1].began]
    if len(values) < FEWEST or not between:
        return 0
    same = sample.mask
    for value in values:
        same &= ~(value ^ values[0])
    apart = all((each.id.int ^ values[0]) & same for each in between)
    return same.bit_count() if apart and same.bit_count() >= 16 else 0
