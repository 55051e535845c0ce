"""Untrusted text made printable: no character of it can control a terminal, a browser or an XML parser."""

from __future__ import annotations

import json
import re
from typing import Any

_PLANES = "".join(f"{chr(plane << 16 | 0xFFFE)}{chr(plane << 16 | 0xFFFF)}" for plane in range(17))
"""The last two code points of each plane are not characters, and XML forbids the first pair."""

HAZARD = re.compile(
    "["
    "\x00-\x1f\x7f-\x9f"  # C0, DEL, C1: they move the cursor, ring, clear, and are forbidden in XML
    "\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069"  # bidi controls: they change the order in which text is shown
    "\u2028\u2029"  # line and paragraph separators
    "\xad\u115f\u1160\u17b4\u17b5\u180e\u200b-\u200d\u2060-\u2065\u206a-\u206f\u3164\ufeff\uffa0"  # invisible
    "\ufff0-\ufffb\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0000-\U000e0fff"  # invisible: format, tags
    "\ud800-\udfff\ufdd0-\ufdef" + _PLANES + "]"  # no characters at all
)
"""Every character that is shown as an escape."""

_SHORT = {"\n": r"\n", "\r": r"\r", "\t": r"\t"}


def printable(text: str, *, keep: str = "") -> str:
    r"""Return `text` with each hazardous character as a visible escape: \x1b, \u202e, \U000e0041.

    `keep` lists the characters to leave, such as "\n\t". A backslash stays as it is: the result is for people, and
    cannot be parsed back.
    """
    if text.isascii() and text.isprintable():
        return text
    if "\n" in keep and "\n" in text:  # most lines of a long text need no search
        return "\n".join(printable(line, keep=keep) for line in text.split("\n"))
    return HAZARD.sub(lambda match: match[0] if match[0] in keep else _escaped(match[0]), text)


def clip(text: str, limit: int) -> str:
    """Return at most `limit` characters of `text`; a longer one is followed by its length."""
    return text if len(text) <= limit else f"{text[:limit]}… ({len(text):,} characters in all)"


def one_line(text: str, limit: int) -> str:
    """Return `text` clipped to `limit` characters, printable and on one line."""
    return printable(clip(text, limit))


def as_json(value: Any, *, indent: int | None) -> str:
    """Return `value` as JSON; lone surrogates and characters that could control a terminal are escapes."""
    # Outside strings JSON has no such characters except the line feeds of the indent.
    text = json.dumps(value, ensure_ascii=False, allow_nan=False)
    if indent is not None:  # `json.dumps` indents in Python, which takes ten times as long
        import msgspec

        compact = text.encode("utf-8", "surrogatepass")
        text = msgspec.json.format(compact, indent=indent).decode("utf-8", "surrogatepass")
    lines = text.split("\n")
    return "\n".join(line if line.isprintable() else HAZARD.sub(_as_json_escape, line) for line in lines) + "\n"


def _as_json_escape(found: re.Match[str]) -> str:
    return json.dumps(found[0])[1:-1]


def _escaped(character: str) -> str:
    code = ord(character)
    if code < 0x100:
        return _SHORT.get(character, f"\\x{code:02x}")
    return f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"
