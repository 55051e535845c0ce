"""The order of the checks: the usual one, and the one for a run that is short of time."""

from __future__ import annotations

from collections.abc import Collection
from types import ModuleType
from typing import Final

import pytest

from conformance.client.user import UserClient
from conformance.courses import Course, Turn
from conformance.generation import generated, sequences
from conformance.trials import draws, full_again, limit, races
from conformance.trials.repeated import REPEATED

FEW: Final = 5
"""Calls that are worth making for one check or course also when the time of the run is short."""

_MANY: Final = 50
_SEARCHES: Final = (generated, sequences)
_OF_MANY_CALLS: Final = (draws, full_again, limit, races, *_SEARCHES)
"""What takes tens of calls; searches find mostly again what other checks find."""


def courses_of(item: pytest.Item) -> list[Course[object]]:
    """Return the courses that a check reads."""
    return [each for mark in item.iter_markers("course") for each in mark.args]


def usual(item: pytest.Item) -> int:
    """Return what checks are sorted by: early ones, those that hold requests, those that wait, whole-run ones."""
    if item.get_closest_marker("first"):
        return 0
    if item.get_closest_marker("last"):
        return 3
    ahead = REPEATED.keys() & set(getattr(item, "fixturenames", ())) or any(
        each.turn is not Turn.HOLDING for each in courses_of(item)
    )
    return 2 if ahead else 1


def by_calls(item: pytest.Item, service: UserClient, pending: Collection[Course[object]]) -> tuple[bool, int]:
    """Return what checks are sorted by when time is short: the whole-run ones last, the others by the calls they need.

    `pending` are the courses that were not gone through yet.
    """
    # What a course says is the most that it may ask: where that is a lot, it mostly asks less.
    ahead = sum(min(each.most(service), _MANY // 2) for each in courses_of(item) if each in pending)
    many = _MANY * (_names_any(item, _OF_MANY_CALLS) + _names_any(item, _SEARCHES))
    return item.get_closest_marker("last") is not None, ahead + many


def _names_any(item: pytest.Item, modules: tuple[ModuleType, ...]) -> bool:
    """Tell whether the code of a check names anything that one of `modules` holds."""
    if not isinstance(item, pytest.Function):
        return False
    named = (item.obj.__globals__.get(name) for name in item.obj.__code__.co_names)
    return any(getattr(each, "__module__", "") == module.__name__ for each in named for module in modules)
