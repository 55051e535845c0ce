"""The exchanges that a check read: the evidence of its verdict, also of a pass."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import fields, is_dataclass

import pytest

from conformance.model.exchange import Exchange


def in_fixtures(item: pytest.Item) -> Iterator[Exchange]:
    """Yield the exchanges in the results of the scenarios and fixtures that a check names in its signature."""
    return _within(getattr(item, "funcargs", {}), set())


def _within(value: object, seen: set[int]) -> Iterator[Exchange]:
    if isinstance(value, Exchange):
        yield value
    elif isinstance(value, str | bytes | int | float | None) or id(value) in seen:
        return
    else:
        seen.add(id(value))
        for part in _parts(value):
            yield from _within(part, seen)


def _parts(value: object) -> Iterable[object]:
    if is_dataclass(value):
        return [getattr(value, field.name) for field in fields(value)]
    if isinstance(value, Mapping):
        return value.values()
    return value if isinstance(value, list | tuple | set | frozenset) else ()
