"""Explicit examples, made of the service's own data types: the calls that generation would find by chance only."""

from __future__ import annotations

import json
import random
from collections.abc import Collection, Iterator, Sequence
from typing import Final
from urllib.parse import quote
from uuid import UUID

from conformance.generation.call import JSON, GeneratedCall, Written, apart, creation, spelt_out, tight
from conformance.generation.meaning import HARMLESS, alike, is_plainly_unknown, likenesses
from conformance.http.appearance import made_up
from conformance.model.exchange import Operation
from conformance.model.formats import is_uuid

_MALFORMED: Final = (
    b'{"type": [',
    b"[NaN]",
    b'["\\ud800"]',
    b'\xef\xbb\xbf["x"]',
    b'["x",]',
    b"[" * 600,
    b'["\xff\xfe"]',
)
_EVERYTHING_IN_A_LIST: Final = b'[null, 7, {"type": "x"}, ["y"], "\\u0000"]'
"""A list that breaks programs which expect strings: its elements have no hash, length or methods."""
_TRUE_IN_A_LIST: Final = b"[true]"
"""A loose comparison takes true for every string."""
_NO_LISTS: Final = (b"{}", b"null", b"7")
"""An object, null and a scalar in place of the list."""
_KINDS: Final = ("driver's-licence", r"passport.copy:1$%s\of-the-pages-with-a-photo-or-a-visa")
"""Kinds of data, with signs that divide, quote or replace, and longer than a column of 64 characters."""
_WORDS: Final = ("none", "null", "undefined", "latest", "me", "1", "constructor")

_UNKNOWN_IDENTIFIERS: Final = (
    (Operation.READ, 7, True),
    (Operation.DELETE, 7, False),
    (Operation.DELETE, 1, True),
)
"""Calls with an unknown identifier, its version, and whether in capitals: all are valid (2.1). Others use version 4."""
_LABEL_OF_CLIENTS: Final = "text/plain; charset=ISO-8859-1"
"""Defaults of common clients: JSON parsers may refuse the type and the charset."""


def with_a_specified_answer(
    known: list[str], listed: frozenset[str], chance: random.Random, times: int = 1, *, anonymous: bool = False
) -> Iterator[GeneratedCall]:
    """Yield calls with a specified answer: creations for unknown types, and unknown identifiers.

    `listed` are all available types, `known` some of them; `times` strings of each form are sent. In an `anonymous` run
    no word says that it is made up.
    """
    for types in _unknown(known, listed, chance, times, anonymous=anonymous):
        yield creation(types)
    for operation, version, in_capitals in _UNKNOWN_IDENTIFIERS:
        unknown = str(UUID(int=chance.getrandbits(128), version=4))
        segment = f"{unknown[:14]}{version}{unknown[15:]}"
        yield GeneratedCall(operation, segment=segment.upper() if in_capitals else segment)


def welcome(known: list[str], chance: random.Random) -> Iterator[GeneratedCall]:
    """Yield creations for known types, in any notation: all, two, and one. Each creates a request.

    Another one has a parameter in its media type, which a service may refuse. The last one has no body but the media
    type of the operation, as many clients send it (4.1).
    """
    lists = [[*reversed(known)], known[1::-1], _some(known, chance)]
    different = [types for types in dict.fromkeys(map(tuple, lists)) if types]
    alone = next((types for types in reversed(different) if len(types) == 1), ())
    write: dict[tuple[str, ...], Written] = dict(zip(different, (tight, apart), strict=False))
    write[alone] = spelt_out
    for types in different:
        yield creation(types, write.get(types))
    if known:
        yield creation(known[:1], media_type=f"{JSON}; charset=utf-8")
        yield GeneratedCall(Operation.CREATE, content=b"")


def _unknown(
    known: list[str], listed: frozenset[str], chance: random.Random, times: int, *, anonymous: bool
) -> Iterator[list[str]]:
    """Yield arrays in which at least one string is an unknown type: one of each form, and others."""
    for form in _near(known):
        unknown = [each for each in form if is_plainly_unknown(each, listed)]
        yield from ([name] for name in _some(unknown, chance, times))
    beyond = [f"{name}\x00x" for name in known if alike(f"{name}x") not in likenesses(listed)]
    yield from ([name] for name in _some(beyond, chance))
    if "" not in known:
        yield [""]
        yield [*known[:1], ""]  # a filter drops what is empty
    for number, kind in enumerate(_KINDS):
        # The unknown type is first or last by turns, so that a service which checks one place only is found.
        word = made_up(kind, chance, anonymous=anonymous)
        others = chance.sample(known, min(len(known), chance.randint(1, 6)))
        yield [*others, word] if number % 2 else [word, *others]


def _near(known: list[str]) -> Iterator[list[str]]:
    """Yield, form by form, strings that are almost types: cut short, longer, as a pattern, joined.

    Other strings are found by a look-up in an object of JavaScript or in a list by its places, or match everything in a
    pattern or in words.
    """
    yield [name[:-1] for name in known]
    yield [f"{name}\U0001f600" for name in known]
    yield [f"[{name[:1]}]{name[1:]}" for name in known]
    yield [",".join(known[:2])]
    yield ["constructor", "__proto__"]
    yield ["*", ".*"]
    yield ["%"]
    yield ["all", "ALL"]
    yield ["0"]


def open_bodies(known: list[str], every_type: Collection[str], chance: random.Random) -> Iterator[GeneratedCall]:
    """Yield creations whose answer the specification leaves open; `known` are some of the types."""
    for content in (chance.choice(_MALFORMED), _EVERYTHING_IN_A_LIST, _TRUE_IN_A_LIST, chance.choice(_NO_LISTS), b"[]"):
        yield GeneratedCall(Operation.CREATE, content=content)
    yield creation(("x" * 5_000,), open=True)
    if not known:
        return
    name = chance.choice([each for each in known if len(each) <= HARMLESS] or known)
    # A key of an object in JavaScript is a string, and that of a list with one string is this string.
    yield GeneratedCall(Operation.CREATE, content=json.dumps([[name]]).encode())
    yield creation((name, name))
    similar = [*_similar(name)]
    if name.swapcase() == name:  # a number has no letter case: a name beside it shows whether letter case counts
        named = [each for each in every_type if each.swapcase() not in every_type and len(each) <= HARMLESS]
        similar += [each.swapcase() for each in named[:1]]
    for each in similar:
        if each not in every_type:
            yield creation((each,), open=True)
    yield creation((name,), media_type=_LABEL_OF_CLIENTS, open=True)


def _similar(name: str) -> Iterator[str]:
    """Yield strings that some comparisons treat as a type."""
    yield f"0{name}" if name.isdecimal() else name.swapcase()
    yield f" {name}\t"
    yield f"{name}\n"  # which $ of a pattern lets pass


def words(chance: random.Random) -> Iterator[GeneratedCall]:
    """Yield a reading and a deletion by a word, which is no identifier."""
    for operation in (Operation.READ, Operation.DELETE):
        segment = f"{chance.choice(_WORDS)}-{chance.getrandbits(48):x}"
        yield GeneratedCall(operation, segment=segment)


def other_forms(request_id: str) -> Iterator[GeneratedCall]:
    """Yield readings of a request by other notations of its identifier, and by five that are no identifier of it.

    A service finds it by the shorter one if it compares beginnings, by the longer one if it cuts what it receives, by
    the one with an underscore if it compares by LIKE of SQL, and by half of it if it keeps a number of 64 bits.
    """
    for form in (request_id.swapcase(), request_id.replace("-", "")):
        if form != request_id:
            yield GeneratedCall(Operation.READ, segment=quote(form, safe=""), open=True)
    if is_uuid(request_id):
        other = str(UUID(int=~UUID(request_id).int % 2**128))
        halves = f"{request_id[:19]}{other[19:]}", f"{other[:19]}{request_id[19:]}"
        for form in (request_id[:-1], f"{request_id}0", f"{request_id[:-1]}_", *halves):
            yield GeneratedCall(Operation.READ, segment=form)


def _some(values: Sequence[str], chance: random.Random, count: int = 1) -> list[str]:
    return chance.sample(values, min(count, len(values)))
