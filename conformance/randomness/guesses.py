"""Identifiers made of a moment, or of a name with a counter or a moment: found by trying the likely names (2.1).

A random identifier is never found: what is tried are some ten thousand hashes of at least 56 bits that must agree.
"""

from __future__ import annotations

import hashlib
import hmac
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import chain
from typing import Final
from uuid import UUID

from conformance.model.formats import parse_date_time
from conformance.randomness.names import NAMESPACES, as_bytes, derived
from conformance.randomness.numbers import OPEN
from conformance.randomness.sample import FREE, Drawn

MOST_NAMES: Final = 6
"""So many values known of the requester are combined with counters and moments: this costs about 0.03 s a run."""

_CLOSELY: Final = 2
"""Identifiers of which every microsecond of the millisecond is tried: each costs some 0.02 s."""
_HIGHEST_OF_A_NAME: Final = 20
_HIGHEST_OF_A_MOMENT: Final = 4
_BETWEEN: Final = ("", "-", ":", "_", "|", "/", ".", "#")
_KEYED: Final = ("md5", "sha1", "sha256")
_NAMESPACES: Final = [b"", *(namespace.bytes for _, namespace in NAMESPACES)]


def timed(drawn: Sequence[Drawn]) -> tuple[Drawn, str] | None:
    """Return an identifier that is the hash of the moment of its creation, with how in words; or None.

    The first one may have a counter beside the moment that has only just begun.
    """
    alone = ((tail, f"the moment {tail}") for each in drawn[:4] for tail in _moments(each))
    beside = (
        (f"{one}{between}{other}", f"the moment {moment} and the number {number}")
        for each in drawn[:1]
        for moment in _moments(each)
        for between in _BETWEEN
        for number in range(_HIGHEST_OF_A_MOMENT)
        for one, other in ((moment, number), (number, moment))
    )
    return _found(drawn, chain(alone, beside)) or _to_the_microsecond(drawn)


def _to_the_microsecond(drawn: Sequence[Drawn]) -> tuple[Drawn, str] | None:
    """Return an identifier that is the MD5 or SHA-1 of a microsecond of the millisecond that createdAt tells; or None.

    Two are tried: the milliseconds of the identifier and of createdAt are the same ones for most requests.
    """
    for created_at in dict.fromkeys(each.created_at for each in drawn[:_CLOSELY]):
        tails = _of_microseconds(created_at)
        for one in drawn:
            name = tails.get(one.id.bytes[OPEN])
            if name is not None and (how := derived(one.id, [name])) is not None:
                return one, how.format(name=f"the moment {name}")
    return None


@lru_cache(maxsize=4)
def _of_microseconds(created_at: str) -> Mapping[bytes, str]:
    """Return the ways to write each microsecond of a moment's millisecond, by what stays open of their hashes."""
    try:
        moment = parse_date_time(created_at)
    except ValueError:
        return {}
    if not moment.microsecond:
        return {}  # whole seconds: a million microseconds are too many to try
    since, first, plain = int(moment.timestamp()), moment.microsecond // 1000 * 1000, moment.replace(tzinfo=None)
    second, t_second = plain.isoformat(" ", "seconds"), plain.isoformat("T", "seconds")
    names = (
        name
        for micro in range(first, first + 1000)
        for digits in (f"{micro:06}",)
        for name in (
            f"{since:08x}{micro:05x}",
            f"{second}.{digits}",
            f"{t_second}.{digits}",
            f"{since}.{digits}",
            f"{since}{digits}",
            f"0.{digits}00 {since}",
        )
    )
    md5, sha1 = hashlib.md5, hashlib.sha1
    return {
        algorithm(name.encode(), usedforsecurity=False).digest()[OPEN]: name
        for name in names
        for algorithm in (md5, sha1)
    }


def named(drawn: Sequence[Drawn], known: Iterable[tuple[str, str]]) -> tuple[Drawn, str] | None:
    """Return an identifier that is the hash of something known (name to show, value) with a counter or the moment."""
    numbers = [(str(number), f"the number {number}") for number in range(_HIGHEST_OF_A_NAME)]
    moments = [(tail, f"the moment {tail}") for each in drawn[:2] for tail in _moments(each)]

    def names() -> Iterator[tuple[str, str]]:
        for name, value in known:
            for between in _BETWEEN:
                yield from ((f"{value}{between}{tail}", f"{name} and {word}") for tail, word in numbers)
                for tail, word in moments:
                    yield f"{value}{between}{tail}", f"{name} and {word}"
                    yield f"{tail}{between}{value}", f"{word} and {name}"

    known = list(known)
    return _found(drawn, names()) or _keyed(drawn, known, numbers + moments)


def _keyed(
    drawn: Sequence[Drawn], known: Iterable[tuple[str, str]], tails: Sequence[tuple[str, str]]
) -> tuple[Drawn, str] | None:
    """Return an identifier for which something known is the key, or the name of a namespace, of the rest; or None."""
    wanted = {each.id.int & FREE: each for each in drawn}
    for name, value in known:
        raw = as_bytes(value)
        spaces = [hashlib.sha1(space + raw, usedforsecurity=False).digest()[:16] for space in _NAMESPACES[1:]]
        spaces = [UUID(bytes=space, version=5).bytes for space in spaces]
        for tail, word in tails:
            end = as_bytes(tail)
            made = [(hmac.digest(raw, end, algorithm)[:16], algorithm) for algorithm in _KEYED]
            made += [(hashlib.sha1(space + end, usedforsecurity=False).digest()[:16], "") for space in spaces]
            for value_made, algorithm in made:
                one = wanted.get(int.from_bytes(value_made) & FREE)
                if one is not None:
                    kind = f"the HMAC ({algorithm})" if algorithm else "the version 5 UUID"
                    role = "the key" if algorithm else "the namespace"
                    return one, f"{kind} of {word} with {name} as {role}"
    return None


def _moments(drawn: Drawn) -> list[str]:
    """Return the ways in which a program writes the moment of a creation."""
    try:
        moment = parse_date_time(drawn.created_at)
    except ValueError:
        return [drawn.created_at] if drawn.created_at else []
    seconds = int(moment.timestamp())
    thousands = seconds * 1000 + moment.microsecond // 1000
    plain = moment.replace(tzinfo=None)
    written = (drawn.created_at, str(seconds), str(thousands), plain.isoformat(), plain.isoformat(" ", "seconds"))
    return list(dict.fromkeys(written))


def _found(drawn: Sequence[Drawn], names: Iterable[tuple[str, str]]) -> tuple[Drawn, str] | None:
    wanted = {each.id.bytes[OPEN]: each for each in drawn}
    for name, words in names:
        for tail in _tails(name):
            if tail in wanted:
                how = derived(wanted[tail].id, [name])
                if how is not None:
                    return wanted[tail], how.format(name=words)
    return None


@lru_cache(maxsize=8192)
def _tails(name: str) -> tuple[bytes, ...]:
    """Return what the usual hashes make of a name, as far as it stays open; another run in this process asks again."""
    md5, sha1, longer = hashlib.md5, hashlib.sha1, (hashlib.sha256, hashlib.sha512)
    raw = as_bytes(name)
    tails = [algorithm(raw).digest()[OPEN] for algorithm in longer]
    for namespace in _NAMESPACES:
        tails.append(md5(namespace + raw, usedforsecurity=False).digest()[OPEN])
        tails.append(sha1(namespace + raw, usedforsecurity=False).digest()[OPEN])
    return tuple(tails)
