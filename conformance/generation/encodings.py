"""Equivalent JSON encodings of a list of data types, as different clients write it (4.1; RFC 8259)."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence

Written = Callable[[Sequence[str]], bytes]
"""Returns the body of a list."""


def plain(types: Sequence[str]) -> bytes:
    """One line, with non-ASCII characters as escapes."""
    return json.dumps(list(types)).encode()


def in_letters(types: Sequence[str]) -> bytes:
    """One line, without escapes, except for a list with lone surrogates, which UTF-8 cannot encode."""
    return json.dumps(list(types), ensure_ascii=_is_cut(types)).encode()


def apart(types: Sequence[str]) -> bytes:
    """White space of every kind before and after the list."""
    return b"\r\n\t " + plain(types) + b" \t\r\n"


def tight(types: Sequence[str]) -> bytes:
    """No white space, characters without escapes, and the slash as an escape, as PHP writes it."""
    text = json.dumps(list(types), ensure_ascii=_is_cut(types), separators=(",", ":"))
    return text.replace("/", "\\/").encode()


def spelt_out(types: Sequence[str]) -> bytes:
    """Every character as an escape."""
    return f"[{', '.join(map(_spelt_out, types))}]".encode()


def _is_cut(types: Sequence[str]) -> bool:
    return any("\ud800" <= char <= "\udfff" for char in "".join(types))


def _spelt_out(name: str) -> str:
    units = name.encode("utf-16-be", "surrogatepass")
    return '"' + "".join(f"\\u{units[place : place + 2].hex()}" for place in range(0, len(units), 2)) + '"'
