"""The parts of a JSON document, for tests that alter one of them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any


def places(value: Any) -> Iterator[tuple[Any, Any]]:
    """Yield each part of a JSON value: the object or array that holds it, and its name or index there."""
    inner = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for name, each in inner:
        yield value, name
        yield from places(each)


def another(value: Any) -> Any:
    """Return another value of the same type."""
    match value:
        case bool():
            return not value
        case int() | float():
            return value + 1
        case str():
            return f"{value}x"
        case list():
            return [*value, None]
        case dict():
            return {**value, "x": None}
    return 0
