"""Identifiers that derive from known data: recomputed ones, and those that carry a part of a known value.

Recomputed are hashes of a counter, of the moment of creation, and of the requester.

The derivations are those of real code: UUIDs of versions 3 and 5 (RFC 9562), and the first 16 bytes of an MD5, SHA-1 or
SHA-256, with or without the digits of a version, also in the byte order of `new Guid(bytes)` of .NET.

A recomputed identifier agrees with a hash in 56 bits. A run compares its identifiers with fewer than 200,000 hashes, so
random ones agree with one of them in less than one of 10^9 runs.

A part of a known value is characters, digits or bytes of the value. It counts if it stands in the same
place of every identifier of its user. Sixteen random identifiers agree in six digits less than once in 10^100 runs.
What is constant for another reason, such as the number of a node, may resemble a value. So a part that identifiers of
another user have too does not count, and a part counts only if constant digits that have nothing to do with the account
would agree with it by chance in less than one of 10^6 runs.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from itertools import chain, combinations, islice, product
from typing import Final
from uuid import NAMESPACE_DNS, NAMESPACE_OID, NAMESPACE_URL, NAMESPACE_X500

from conformance.judge.identifiers.generators import drawn_by_python
from conformance.judge.identifiers.sample import FEWEST, ORDERS, Clue, ObservedId, digits_at
from conformance.model.account import LONGEST_VALUE
from conformance.model.formats import is_uuid, parse_date_time
from conformance.model.text import encode, fold

_END: Final = slice(9, 16)
"""The bytes that are compared. They hold neither version nor variant, and no platform reverses their order."""

_MD5: Final = partial(hashlib.md5, usedforsecurity=False)
_SHA1: Final = partial(hashlib.sha1, usedforsecurity=False)
_NAMESPACES: Final = {"DNS": NAMESPACE_DNS, "URL": NAMESPACE_URL, "OID": NAMESPACE_OID, "X.500": NAMESPACE_X500}
_DERIVATIONS: Final = {
    "the md5": _MD5(),
    "the sha1": _SHA1(),
    "the sha256": hashlib.sha256(),
    **{f"the version 3 UUID ({name} namespace)": _MD5(space.bytes) for name, space in _NAMESPACES.items()},
    **{f"the version 5 UUID ({name} namespace)": _SHA1(space.bytes) for name, space in _NAMESPACES.items()},
}
"""How an identifier is made of a text: in words, and as a hash that gets the text next."""


def _by_end(ids: Sequence[ObservedId]) -> Mapping[bytes, ObservedId]:
    """Return identifiers by the bytes that are compared."""
    return {observed.id.bytes[_END]: observed for observed in ids}


def _recompute(by_end: Mapping[bytes, ObservedId], inputs: Iterable[tuple[str, str]]) -> Iterator[Clue]:
    """Yield each identifier that derives from one of `inputs`, which are texts with their names."""
    for name, text in inputs:
        raw = encode(text)
        for words, state in _DERIVATIONS.items():
            hashed = state.copy()
            hashed.update(raw)
            if (observed := by_end.get(hashed.digest()[_END])) is not None:
                yield Clue((observed,), f"{words} of {name}")
                break


# ---------------------------------------------------------------------- a counter

HIGHEST: Final = 16_384
"""The limit of a counter whose hashes are recomputed."""


def hashed_counter(ids: Sequence[ObservedId]) -> Clue | None:
    """Return an identifier that is the hash of a row number, or None.

    A counter that gave `FEWEST` identifiers passed a multiple of `FEWEST`, and only these are tried.
    """
    by_end = _by_end(ids)
    multiples = _numbers(*range(0, HIGHEST, FEWEST)) if len(by_end) > 1 else []  # one alone may be of the requester
    return next(_recompute(by_end, multiples), None)


def _numbers(*numbers: int) -> list[tuple[str, str]]:
    return [(f"the number {each}", str(each)) for each in numbers]


# ---------------------------------------------------------------------- the moment of creation


def hashed_moment(ids: Sequence[ObservedId]) -> Clue | None:
    """Return an identifier that is a hash of its moment of creation, or None.

    The moment is written as createdAt shows it, as a date and time, or in seconds or milliseconds since 1970.
    """
    return next(_recompute(_by_end(ids), chain.from_iterable(map(_moments, ids[:8]))), None)


def _moments(observed: ObservedId) -> list[tuple[str, str]]:
    """Return the usual ways to write the moment of a creation."""
    written = [observed.created_at]
    with suppress(ValueError):
        moment = parse_date_time(observed.created_at)
        plain, seconds = moment.replace(tzinfo=None), moment.timestamp()
        written += [str(int(seconds)), str(int(seconds * 1000 + 1e-3))]
        written += [plain.isoformat(), plain.isoformat(" ", "seconds"), str(plain)]
    return [(f"the moment {text}", text) for text in written if text]


# ---------------------------------------------------------------------- the requester

_COMBINED: Final = 6
"""The number of known values that are combined with numbers and moments."""
_SEPARATORS: Final = ("", "-", ":", "_", "/", "|")


def of_requester(ids: Sequence[ObservedId], known: Mapping[str, str]) -> Clue | None:
    """Return an identifier that derives from known data of the requester (name to show, value), or None.

    The value stands alone, or beside a small number or the moment of creation.
    """
    beside = [*_numbers(*range(10)), *chain.from_iterable(map(_moments, ids[:2]))]

    def inputs() -> Iterator[tuple[str, str]]:
        yield from known.items()
        for name, value in islice(known.items(), _COMBINED):
            for (words, text), separator in product(beside, _SEPARATORS):
                yield f"{name} and {words}", f"{value}{separator}{text}"
                yield f"{words} and {name}", f"{text}{separator}{value}"

    return next(_recompute(_by_end(ids), inputs()), None) or _seeded(ids, known)


def _seeded(ids: Sequence[ObservedId], known: Mapping[str, str]) -> Clue | None:
    """Return an identifier of a generator that has a known value as its seed, as a text or a number, or None."""
    for name, value in known.items():
        number = [int(value)] if value.isdecimal() and len(value) < LONGEST_VALUE else []
        if drawn := drawn_by_python(ids, [encode(value), *number]):
            return Clue(drawn.ids, f"drawn from random.Random of Python, whose seed is {name}")
    return None


# ---------------------------------------------------------------------- parts of known values

_SHORTEST: Final = 6
"""Characters of a part of a value."""

_FEWEST_DIGITS: Final = 4
"""Digits of a number that is a part with the zeros before it, up to `_SHORTEST`. Constant digits that are unrelated to
the accounts agree with the numbers of both users, among 81 places, 2 forms and 1,000 values, in one of 10^9 runs."""

_ALONE: Final = 10
"""Characters of a part where the other user's identifiers have none of the own account in its place. A hundred constant
digits that are unrelated to an account of a thousand characters agree with it in so many in one of 10^7 runs."""

_ORDERS: Final = (*ORDERS, tuple(range(32)))
"""The orders in which the digits of an identifier are read, also with version and variant."""


@dataclass(frozen=True, slots=True)
class User:
    """The identifiers of a user, and the values of the account by the names that may be shown."""

    ids: Sequence[ObservedId]
    account: Mapping[str, str]


def part_of_account(user: User, other: User) -> str | None:
    """Return in words which part of the user's account every identifier of the user carries, or None.

    The other user's identifiers do not have it. If they have a part of the same value of their own account in its
    place, fewer digits are enough. Without identifiers of another user, six characters are named, and decide nothing.
    """
    for length, beside_own in ((_SHORTEST, bool(other.ids)), (_ALONE, False)):
        parts = {
            text: places
            for text, places in constant_parts(user.ids, length).items()
            if text not in digits_at(places, other.ids)
        }
        for name, value in user.account.items() if parts else ():
            theirs = _forms(other.account.get(name, ""))
            for form, texts in _forms(value).items():
                # Zeros before a number are its padding, and no part of it.
                places = [
                    parts[part]
                    for part in _pieces(texts, length)
                    if part in parts and (part[0] != "0" or part in (text[:length] for text in texts))
                ]
                if any(not beside_own or _all_have(theirs.get(form, ()), each, other.ids) for each in places):
                    apart = ", which no requestId of the other user has there" if other.ids else ""
                    return f"{length} or more {form} of {name}{apart}"
    return None


def constant_parts(ids: Sequence[ObservedId], length: int = _SHORTEST) -> dict[str, tuple[int, ...]]:
    """Return each text of `length` digits that every identifier has in the same places, with these places.

    The digits of version and variant alone, and one digit that repeats, are no part of an account.
    """
    digits = [observed.id.hex for observed in ids]
    constant = {place for place in range(32) if len({each[place] for each in digits}) == 1}
    found: dict[str, tuple[int, ...]] = {}
    for order in _ORDERS:
        for start in range(len(order) - length + 1):
            places = order[start : start + length]
            if constant.issuperset(places) and len(set(text := digits_at(places, ids[:1])[0])) > 1:
                found.setdefault(text, places)
    return found


def _pieces(texts: Sequence[str], length: int) -> set[str]:
    return {text[start : start + length] for text in texts for start in range(len(text) - length + 1)}


def _all_have(texts: Sequence[str], places: tuple[int, ...], ids: Sequence[ObservedId]) -> bool:
    """Tell whether all identifiers have a part of one of the texts, which may be padded with zeros, in these places."""
    first, *others = sorted(set(digits_at(places, ids)))
    return not others and len(set(first)) > 1 and any(first in text.rjust(32, "0") for text in texts)


def _forms(value: str) -> dict[str, list[str]]:
    """Return the texts that a value may be in an identifier, in lower case, by the words for their characters."""
    if len(value) > LONGEST_VALUE:
        return {}
    plain = "".join(filter(str.isalnum, fold(value)))
    if is_uuid(value) and plain[12] in "16":
        plain = plain[:20]  # without the node: all identifiers that it makes have its number
    decimal = "".join(each for each in plain if each in "0123456789").lstrip("0")
    ends = combinations(range(len(decimal) + 1), 2) if len(decimal) <= len(_ORDERS[-1]) else ()
    least = max(_FEWEST_DIGITS, min(_SHORTEST, len(decimal)))
    numbers = {int(decimal[start:end]) for start, end in ends if end - start >= least and decimal[start] != "0"}
    return {
        "characters": [plain.lstrip("0")],
        "digits": [decimal.rjust(_SHORTEST, "0")] if len(decimal) >= _FEWEST_DIGITS else [],
        "hexadecimal digits of the number": [f"{number:0{_SHORTEST}x}" for number in sorted(numbers)],
        "digits of the bytes": [encode(value).hex()],
    }
