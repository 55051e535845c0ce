"""JSON text in which no character can control a terminal."""

from __future__ import annotations

import json
import re
from typing import Any

from conformance.model.text import HAZARD


def as_json(value: Any, *, indent: int | None) -> str:
    """Return `value` as JSON; lone surrogates and characters that could control a terminal are escapes."""
    # Outside strings JSON has no such characters except the line feeds of the indent.
    lines = json.dumps(value, ensure_ascii=False, allow_nan=False, indent=indent).split("\n")
    return "\n".join(line if line.isprintable() else HAZARD.sub(_escape, line) for line in lines) + "\n"


def _escape(found: re.Match[str]) -> str:
    return json.dumps(found[0])[1:-1]
