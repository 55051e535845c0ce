"""The further header fields of a run: how a record, a shell line and a script name them, whose values are secrets."""

from __future__ import annotations

import re


def mark_of(name: str) -> str:
    """Return the label that stands for the value of a header field."""
    return f"header {name}"


def is_marked(name: str, value: str) -> bool:
    """Whether the recorded value of a header field is its mark."""
    return value == f"[{mark_of(name)}]"


def variable_of(name: str) -> str:
    """Return the environment variable from which a shell line or a script takes the value of a header field."""
    return "DRSI_HEADER_" + re.sub(r"\W", "_", name.upper(), flags=re.ASCII)
