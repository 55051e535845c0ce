"""The ways in which clients write a list of data types: to JSON they are the same (4.1; RFC 8259)."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence

Written = Callable[[Sequence[str]], bytes]
"""Makes the body of a list."""


def plain(types: Sequence[str]) -> bytes:
    """Write on one line, each letter beyond ASCII as an escape."""
    return json.dumps(list(types)).encode()


def in_letters(types: Sequence[str]) -> bytes:
    """Write letters as they are; half of a surrogate pair cannot be sent so, and with one all is escaped."""
    return json.dumps(list(types), ensure_ascii=_is_cut(types)).encode()


def on_lines(types: Sequence[str]) -> bytes:
    """Write one type to a line."""
    return json.dumps(list(types), indent=2).encode()


def apart(types: Sequence[str]) -> bytes:
    """Write white space of every kind before and after the list."""
    return b"\r\n\t " + plain(types) + b" \t\r\n"


def tight(types: Sequence[str]) -> bytes:
    """Write no space at all, letters as they are, and the slash as an escape, as PHP does."""
    text = json.dumps(list(types), ensure_ascii=_is_cut(types), separators=(",", ":"))
    return text.replace("/", "\\/").encode()


def spelt_out(types: Sequence[str]) -> bytes:
    """Write each letter as an escape."""
    return f"[{', '.join(map(_spelt_out, types))}]".encode()


def _is_cut(types: Sequence[str]) -> bool:
    return any("\ud800" <= char <= "\udfff" for char in "".join(types))


def _spelt_out(name: str) -> str:
    units = name.encode("utf-16-be", "surrogatepass")
    return '"' + "".join(f"\\u{units[place : place + 2].hex()}" for place in range(0, len(units), 2)) + '"'
