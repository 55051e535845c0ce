"""Parts of identifiers that are parts of known values: characters, digits or bytes of a value, or of its hash.

A part counts if it stands in the same place of every identifier of its user. Sixteen random identifiers agree in six
digits less than once in 10^100 runs. What is constant for another reason, such as the number of a node, may resemble a
value. So a part that identifiers of another user have too does not count, and a part counts only if constant digits
that have nothing to do with the account would agree with it by chance in less than one of 10^6 runs.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Final

from conformance.http.secrets.forms import encode, fold
from conformance.identifiers.derivation import hashes_of
from conformance.identifiers.sample import ORDERS, ObservedId, digits_at
from conformance.model.formats import is_uuid

FEWEST: Final = 6
"""Characters of a part of a value."""

_ALONE: Final = 10
"""Characters of a part where the other user's identifiers have none of the own account in its place. A hundred constant
digits that are unrelated to an account of a thousand characters agree with it in so many in one of 10^7 runs."""

_LONGEST: Final = 500
"""Characters of a value whose digits are looked for. A longer one is prose."""

_LONGEST_NUMBER: Final = 24
"""Digits of a number that is looked for in hexadecimal notation. No account number is longer (IBAN)."""

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
    for length, beside_own in ((FEWEST, bool(other.ids)), (_ALONE, False)):
        # So many texts of few digits agree with a constant part by chance, unless the other user's do as well.
        hashed = beside_own or length == _ALONE
        parts = {
            text: places
            for text, places in constant_parts(user.ids, length).items()
            if text not in digits_at(places, other.ids)
        }
        for name, value in user.account.items() if parts else ():
            theirs = _forms(other.account.get(name, ""), hashed=hashed)
            for form, texts in _forms(value, hashed=hashed).items():
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


def constant_parts(ids: Sequence[ObservedId], length: int = FEWEST) -> dict[str, tuple[int, ...]]:
    """Return each text of `length` digits that every identifier has in the same places, with these places.

    The digits of version and variant alone, and one digit that repeats, are no part of an account.
    """
    digits = [observed.id.hex for observed in ids]
    constant = {place for place in range(32) if len({each[place] for each in digits}) == 1} if len(ids) > 1 else set()
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


def _forms(value: str, *, hashed: bool) -> dict[str, list[str]]:
    """Return the texts that a value may be in an identifier, in lower case, by the words for their characters."""
    hashes = {f"digits of {words}": [digest.hex()] for words, digest in hashes_of(value)} if hashed and value else {}
    if len(value) > _LONGEST:
        return hashes
    plain = "".join(filter(str.isalnum, fold(value)))
    if is_uuid(value) and plain[12] in "16":
        plain = plain[:20]  # without the node: all identifiers that it makes have its number
    decimal = "".join(each for each in plain if each in "0123456789").lstrip("0")
    ends = combinations(range(len(decimal) + 1), 2) if len(decimal) <= _LONGEST_NUMBER else ()
    numbers = {int(decimal[start:end]) for start, end in ends if end - start >= FEWEST and decimal[start] != "0"}
    return {
        "characters": [plain.lstrip("0")],
        "digits": [decimal],
        "hexadecimal digits of the number": [f"{number:0{FEWEST}x}" for number in sorted(numbers)],
        "digits of the bytes": [encode(value).hex()] if hashed else [],
        **hashes,
    }
