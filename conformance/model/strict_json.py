"""Strict JSON (RFC 8259), with a sentence that explains why a body is not JSON."""

from __future__ import annotations

import json
import re
from array import array
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation
from itertools import accumulate, islice
from typing import Any, Final, NoReturn

from conformance.model.text import excerpt

MAX_DEPTH = 512
"""Published limit of the suite: arrays and objects nested deeper are legal JSON that it does not read."""

MAX_VALUES = 500_000
"""Published limit of the suite: JSON with more values is not read, because each takes up to 300 bytes of memory."""

_MAX_INT_DIGITS = 400
_MAX_DUPLICATES = 100
_BOM = b"\xef\xbb\xbf"
_UTF_BOMS = (
    (b"\xff\xfe\x00\x00", "UTF-32"),
    (b"\x00\x00\xfe\xff", "UTF-32"),
    (b"\xff\xfe", "UTF-16"),
    (b"\xfe\xff", "UTF-16"),
)
_BLANK = b" \t\r\n"
_LITERALS = (b"true", b"false", b"null", b"-")
_NEITHER_BRACKET_NOR_QUOTE = bytes(set(range(256)) - set(b'[]{}"'))
_STEPS = bytes.maketrans(b"[{]}", b"\x01\x01\xff\xff")
_STRING_OR_SEPARATOR = re.compile(rb'("(?:[^"\\]++|\\.)*+"?)|,|[\[{](?![ \t\r\n]*+[\]}])', re.DOTALL)
_STRING_OR_CONSTANT = re.compile(r'"(?:[^"\\]++|\\.)*+"|-?\b(?:NaN|Infinity)\b', re.DOTALL)
HTML: Final = re.compile(rb"<(?:!doctype\s+html|html|head|body)\b", re.IGNORECASE)
"""The tags with which a page begins; a warning in HTML before a document has none of them."""


@dataclass(frozen=True, slots=True)
class Document:
    """A parsed body. `value` means something only while `problem` is None; offsets in `problem` count bytes from 0."""

    value: Any
    problem: str | None
    unread: bool = False
    """Whether it is JSON beyond a limit of the suite: correct as far as it was read, and no fault of the service."""
    duplicate_members: tuple[str, ...] = ()
    """Names that an object has twice, at most 100."""
    conflicting_members: tuple[str, ...] = ()
    """Names that an object has twice with different values, at most 100: clients read different documents."""


_TOO_DEEP = Document(
    None,
    f"nested deeper than the suite's published limit of {MAX_DEPTH} levels: legal JSON, but the suite does not read it",
    unread=True,
)
_TOO_MANY_VALUES = Document(
    None,
    f"more values than the suite's published limit of {MAX_VALUES:,}: correct JSON as far as the suite reads it",
    unread=True,
)


class _ConstantError(ValueError):
    """NaN, Infinity or -Infinity instead of a value."""


def as_strings(value: Any) -> list[str] | None:
    """Return a value that is an array of strings, and None for any other."""
    return value if isinstance(value, list) and all(isinstance(each, str) for each in value) else None


def parse(body: bytes) -> Document:
    """Parse `body`, at most a few MiB, in linear time. Never raises.

    A byte order mark is tolerated, of members of the same name the last one counts and the names are noted, lone
    surrogates stay. Numbers that neither int (beyond 400 digits) nor float can hold come as `Decimal`.
    """
    encoded = body.removeprefix(_BOM)
    offset = len(body) - len(encoded)
    if problem := _not_text(encoded):
        return Document(None, problem)
    try:
        text = encoded.decode("utf-8")
    except UnicodeDecodeError as error:
        where = error.start + offset
        return Document(None, f"not UTF-8: byte 0x{encoded[error.start]:02x} at byte {where}")
    end = _end_of_values(encoded, MAX_VALUES)
    if _depth_exceeds(encoded[:end], MAX_DEPTH):
        return _TOO_DEEP
    duplicates, conflicts = dict[str, None](), dict[str, None]()
    try:
        value = _decoder(duplicates, conflicts).decode(text if end is None else encoded[:end].decode("utf-8"))
    except RecursionError:
        return _TOO_DEEP
    except _ConstantError as error:
        where = _byte(text, _constant_at(text)) + offset
        return Document(None, f"{error} at byte {where} is not JSON")
    except json.JSONDecodeError as error:
        if end is not None and error.pos == len(error.doc):
            return _TOO_MANY_VALUES
        return Document(None, _explain(encoded, json.JSONDecodeError(error.msg, text, error.pos), offset))
    return Document(value, None, duplicate_members=tuple(duplicates), conflicting_members=tuple(conflicts))


def _not_text(encoded: bytes) -> str | None:
    if not encoded.strip(_BLANK):
        return "the body is empty" if not encoded else "the body contains only white space"
    named = next((name for mark, name in _UTF_BOMS if encoded.startswith(mark)), None)
    if named is None and 0 in encoded[:2]:
        named = "UTF-32" if encoded[:4].count(0) == 3 else "UTF-16"
    return f"encoded as {named} from byte 0 on; JSON must be UTF-8" if named else None


def _end_of_values(encoded: bytes, most: int) -> int | None:
    """Return the index of the separator with which a JSON text has more than `most` values, or None if it has not."""
    left = most - 1  # each comma, and each bracket of an array or object that is not empty, comes before a value
    if sum(map(encoded.count, (b",", b"[", b"{"))) <= left:
        return None
    separators = (each.start() for each in _STRING_OR_SEPARATOR.finditer(encoded) if each.lastindex is None)
    return next(islice(separators, left, None), None)


def _depth_exceeds(encoded: bytes, limit: int) -> bool:
    if encoded.count(b"[") + encoded.count(b"{") <= limit:
        return False
    # Without escaped backslashes and quotes every other piece between quotes is a string, whose brackets do not nest.
    # Two quotes side by side change nothing for what follows: without them hardly more than the brackets is left.
    bare = encoded.replace(b"\\\\", b"").replace(b'\\"', b"").translate(None, _NEITHER_BRACKET_NOR_QUOTE)
    pieces = bare.replace(b'""', b"").split(b'"')[::2]
    steps = b"".join(pieces).translate(_STEPS)
    return max(accumulate(array("b", steps)), default=0) > limit


def _decoder(duplicates: dict[str, None], conflicts: dict[str, None]) -> json.JSONDecoder:
    def members(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        value = dict(pairs)
        if len(value) != len(pairs):
            seen: dict[str, Any] = {}
            for name, each in pairs:
                if name in seen:
                    if len(duplicates) < _MAX_DUPLICATES:
                        duplicates[name] = None
                    if len(conflicts) < _MAX_DUPLICATES and not _is_equal(seen[name], each):
                        conflicts[name] = None
                seen.setdefault(name, each)
        return value

    return json.JSONDecoder(
        object_pairs_hook=members, parse_float=_real, parse_int=_integer, parse_constant=_refuse_constant
    )


def _is_equal(one: Any, other: Any) -> bool:
    """Whether two values are equal in JSON: 1 is 1.0, and no truth value is a number."""
    left = [(one, other)]
    while left:  # no recursion: values are nested deeper than Python calls functions
        one, other = left.pop()
        if isinstance(one, dict) and isinstance(other, dict) and one.keys() == other.keys():
            left += [(value, other[name]) for name, value in one.items()]
        elif isinstance(one, list) and isinstance(other, list) and len(one) == len(other):
            left += zip(one, other, strict=True)
        elif isinstance(one, dict | list) or isinstance(one, bool) != isinstance(other, bool) or one != other:
            return False
    return True


def _integer(digits: str) -> int | Decimal:
    return int(digits) if len(digits) <= _MAX_INT_DIGITS else Decimal(digits)


def _real(digits: str) -> float | Decimal:
    value = float(digits)
    if value not in (float("inf"), float("-inf")):
        return value
    try:
        return Decimal(digits)
    except InvalidOperation:
        # Numbers beyond Decimal's exponents become the largest number with the right sign.
        return Decimal((digits.startswith("-"), (9,), 999_999_999_999_999_999))


def _refuse_constant(name: str) -> NoReturn:
    raise _ConstantError(name)


def _constant_at(text: str) -> int:
    return next((found.start() for found in _STRING_OR_CONSTANT.finditer(text) if found.group()[0] != '"'), 0)


def _byte(text: str, position: int) -> int:
    return len(text[:position].encode("utf-8"))


def _explain(encoded: bytes, error: json.JSONDecodeError, offset: int) -> str:
    where = _byte(error.doc, error.pos) + offset
    start = encoded.lstrip(_BLANK)
    if start.startswith(b"<"):
        hint = "looks like HTML" if HTML.search(start[:1024]) else "looks like XML or HTML"
        return f"not JSON from byte {where} on: {hint}"
    if error.msg.startswith("Extra data"):
        return f"the JSON value ends before byte {where}, but more follows: {_excerpt(error)}"
    # A literal that lacks its end (tru, -) is a cut as well.
    rest = encoded[where - offset :].strip(_BLANK)[:6]
    if error.msg.startswith("Unterminated string") or any(word.startswith(rest) for word in _LITERALS):
        return f"cut off: the body ends at byte {len(encoded) + offset} in the middle of the JSON value"
    expected = error.msg[0].lower() + error.msg[1:].removesuffix(" at")
    return f"not JSON at byte {where}: {expected}, found {_excerpt(error)}"


def _excerpt(error: json.JSONDecodeError) -> str:
    return ascii(excerpt(error.doc, error.pos, 20))
