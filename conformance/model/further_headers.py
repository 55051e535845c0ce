"""The further header fields of a run: how a record, a shell line and a script name them, whose values are secrets."""

from __future__ import annotations

import base64


def mark_of(name: str) -> str:
    """Return the label that stands for the value of a header field."""
    return f"header {name}"


def is_marked(name: str, value: str) -> bool:
    """Whether the recorded value of a header field is its mark; a call may have its name in lower case."""
    return value.lower() == f"[{mark_of(name)}]".lower()


def pair_of_basic(value: str) -> str:
    """Return NAME:PASSWORD of a value of Authorization; "" for what is not Basic (RFC 7617)."""
    scheme, _, credentials = value.partition(" ")
    if scheme.lower() != "basic":
        return ""
    try:
        pair = base64.b64decode(credentials.strip(), validate=True).decode("utf-8")
    except ValueError:
        return ""
    return pair if ":" in pair else ""
