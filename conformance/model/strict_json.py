"""Bodies of messages, read or not, and strict JSON (RFC 8259), with a sentence that explains why a body is no JSON."""

from __future__ import annotations

import json
import re
from array import array
from collections import OrderedDict
from collections.abc import Mapping
from dataclasses import dataclass, field
from itertools import accumulate
from sys import float_info
from threading import RLock
from typing import Any, Final, NoReturn

MAX_DEPTH = 512
"""Published limit of the suite: arrays and objects nested deeper are legal JSON that it does not read."""

MAX_VALUES = 500_000
"""Published limit of the suite: JSON with more commas and opening brackets, of which each comes before a value, is not
read, because each value takes up to 300 bytes of memory."""

BOM: Final = b"\xef\xbb\xbf"
_UTF_16_BOMS = (b"\xff\xfe", b"\xfe\xff")
_BLANK = b" \t\r\n"
_NO_BRACKET = bytes(set(range(256)) - set(b"[]{}"))
_STEPS = bytes.maketrans(b"[{]}", b"\x01\x01\xff\xff")
_STRING = re.compile(rb'"(?:[^"\\]++|\\.)*+"?', re.DOTALL)
HTML: Final = re.compile(rb"<(?:!doctype\s+html|html|head|body)\b", re.IGNORECASE)
"""The tags with which a page begins; a warning in HTML before a document has none of them."""


@dataclass(frozen=True, slots=True)
class Document:
    """A parsed body. `value` means something only while `problem` is None; offsets in `problem` count bytes from 0."""

    value: Any
    problem: str | None
    unread: bool = False
    """Whether it is beyond a limit of the suite, which is no fault of the service."""
    repeated_members: Mapping[str, bool] = field(default_factory=dict)
    """Names that an object has twice, and whether their values differ: then clients read different documents."""


_TOO_DEEP = Document(
    None,
    f"nested deeper than the suite's published limit of {MAX_DEPTH} levels: legal JSON, but the suite does not read it",
    unread=True,
)
_TOO_MANY_VALUES = Document(
    None, f"perhaps more values than the suite's published limit of {MAX_VALUES:,}: the suite does not read it", True
)


def as_strings(value: Any) -> list[str] | None:
    """Return a value that is an array of strings, and None for any other."""
    return value if isinstance(value, list) and all(isinstance(each, str) for each in value) else None


def parse(body: bytes) -> Document:
    """Parse `body`, at most a few MiB, in linear time. Never raises.

    A byte order mark is tolerated and not counted, of members of the same name the last one counts and the names are
    noted, lone surrogates stay. A number that no float can hold becomes the largest float with its sign, and of an
    integer as many digits count as a float can hold.
    """
    encoded = body.removeprefix(BOM)
    if problem := _not_text(encoded):
        return Document(None, problem)
    try:
        text = encoded.decode("utf-8")
    except UnicodeDecodeError as error:
        return Document(None, f"not UTF-8: byte 0x{encoded[error.start]:02x} at byte {error.start}")
    brackets = encoded.count(b"[") + encoded.count(b"{")
    if brackets + encoded.count(b",") >= MAX_VALUES:
        return _TOO_MANY_VALUES
    if brackets > MAX_DEPTH and depth_of(encoded) > MAX_DEPTH:
        return _TOO_DEEP
    repeated: dict[str, bool] = {}
    try:
        value = _decoder(repeated).decode(text)
    except RecursionError:
        return _TOO_DEEP
    except json.JSONDecodeError as error:
        return Document(None, _explain(encoded, error))
    except ValueError as error:
        return Document(None, str(error))
    return Document(value, None, repeated_members=repeated)


def _not_text(encoded: bytes) -> str | None:
    if not encoded.strip(_BLANK):
        return "the body is empty" if not encoded else "the body contains only white space"
    if 0 in encoded[:2] or encoded.startswith(_UTF_16_BOMS):
        return "encoded as UTF-16 or UTF-32; JSON must be UTF-8"
    return None


def depth_of(encoded: bytes) -> int:
    """Return how deep a JSON text is nested; brackets in its strings do not nest."""
    steps = _STRING.sub(b"", encoded).translate(_STEPS, _NO_BRACKET)
    return max(accumulate(array("b", steps)), default=0)


def _decoder(repeated: dict[str, bool]) -> json.JSONDecoder:
    def members(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        value = dict(pairs)
        if len(value) != len(pairs):
            seen: dict[str, Any] = {}
            for name, each in pairs:
                if name in seen:
                    repeated[name] = repeated.get(name, False) or bool(seen[name] != each)
                seen.setdefault(name, each)
        return value

    return json.JSONDecoder(
        object_pairs_hook=members,
        parse_float=lambda digits: max(-float_info.max, min(float(digits), float_info.max)),
        parse_int=lambda digits: int(digits[: float_info.max_10_exp]),
        parse_constant=_refuse_constant,
    )


def _refuse_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is not JSON")


def _explain(encoded: bytes, error: json.JSONDecodeError) -> str:
    where = len(error.doc[: error.pos].encode())
    start = encoded.lstrip(_BLANK)
    if start.startswith(b"<"):
        hint = "looks like HTML" if HTML.search(start[:1024]) else "looks like XML or HTML"
        return f"not JSON from byte {where} on: {hint}"
    if error.msg.startswith("Extra data"):
        return f"the JSON value ends before byte {where}, but more follows"
    if error.msg.startswith("Unterminated string") or not encoded[where:].strip(_BLANK):
        return f"cut off: the body ends at byte {len(encoded)} in the middle of the JSON value"
    expected = error.msg[0].lower() + error.msg[1:].removesuffix(" at")
    return f"not JSON at byte {where}: {expected}, found {error.doc[error.pos]!a}"


LARGE: Final = 16 * 1024
"""Bytes beyond which a body is large: a run reads a bounded amount of those, and writes one that repeats once."""

MOST: Final = 32 * 1024 * 1024
"""Bytes of the large bodies that a run reads: each different one counts once. The cached documents take twice as many,
by an estimate; the latest may take more."""


@dataclass(frozen=True)
class Unread:
    """A body that was received, but is not read."""

    digest: bytes
    """What tells it from other bodies."""
    size: int = field(compare=False)
    problem: str = field(compare=False)
    """Why it is not read."""


Content = bytes | Unread
"""A body; hashable, and cheap to compare."""


def bytes_of(content: Content) -> bytes:
    """Return a body as bytes."""
    return content if isinstance(content, bytes) else b""


class _Documents:
    """The documents of the bodies that were parsed last, as many as fit into a bounded amount of memory."""

    def __init__(self) -> None:
        self._documents: OrderedDict[Content, tuple[Document, int]] = OrderedDict()
        self._cost = 0
        self._lock = RLock()

    def of(self, content: Content) -> Document:
        """Return the document of a body. It is shared: do not change it."""
        if isinstance(content, Unread):
            return Document(None, content.problem, unread=True)
        with self._lock:  # one large body at a time takes memory while it is parsed
            if content not in self._documents:
                cost = _cost(content)
                while self._documents and self._cost + cost > 2 * MOST:
                    self._cost -= self._documents.popitem(last=False)[1][1]
                self._documents[content] = parse(content), cost
                self._cost += cost
            self._documents.move_to_end(content)
            return self._documents[content][0]


parsed: Final = _Documents().of
"""Return the document of a body, parsed strictly. It is cached and shared: do not change it."""


def _cost(body: bytes) -> int:
    """Return an estimate of the memory of a body and its document."""
    return len(body) * 5 // 2 + 60 * sum(map(body.count, (b",", b"[", b"{")))
