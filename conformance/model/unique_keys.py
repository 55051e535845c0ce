"""JSON whose objects have unique keys, as the suite writes it: of two equal keys some programs read the first one."""

from __future__ import annotations

import json
from collections import Counter
from typing import Any

from conformance.model.text import shorten


class RepeatedKey(ValueError):
    """An object has a key twice."""


def loads(text: str | bytes) -> Any:
    """Return the value of a JSON text, of bytes as UTF-8; raise RepeatedKey, or ValueError for what is no JSON."""
    return json.loads(text.decode("utf-8") if isinstance(text, bytes) else text, object_pairs_hook=_members)


def _members(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    members = dict(pairs)
    if len(members) < len(pairs):
        ((name, _),) = Counter(name for name, _ in pairs).most_common(1)
        raise RepeatedKey(f"two members {shorten(name, 60)!r} in one object")
    return members
