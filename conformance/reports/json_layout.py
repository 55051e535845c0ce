"""JSON laid out for reading, without reading it: only the space between tokens changes."""

from __future__ import annotations

import re

_PIECE = re.compile(r'"(?:[^"\\]|\\.)*"?|\{\s*\}|\[\s*\]|[\[\]{},:]|[^\s\[\]{},:"]+|\s+', re.DOTALL)
_DEEPEST = 12
"""Levels that are indented; what is nested deeper stays at this depth, so the result is never much longer."""


def looks_like_json(text: str) -> bool:
    """Tell whether `text` begins as a JSON object or array does."""
    return text.lstrip()[:1] in ("{", "[")


def lay_out(text: str) -> str:
    """Return `text` with a line for each member and element.

    Nothing is parsed, so that repeated members, unexpected numbers and errors stay visible as they were
    sent, and a text that was cut short or is nested without end does no harm.
    """
    parts: list[str] = []
    depth = 0
    for piece in _PIECE.findall(text):
        match piece:
            case "{" | "[":
                depth += 1
                parts += [piece, _line(depth)]
            case "}" | "]":
                depth -= 1
                parts += [_line(depth), piece]
            case ",":
                parts += [piece, _line(depth)]
            case ":":
                parts.append(": ")
            case _ if piece[0] in "{[":
                parts.append(piece[0] + piece[-1])
            case _ if not piece.isspace():
                parts.append(piece)
    return "".join(parts)


def _line(depth: int) -> str:
    return "\n" + "  " * max(0, min(depth, _DEEPEST))
