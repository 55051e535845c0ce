"""The checks as pytest collects them: their modules, the requirement that each decides, and what it reads."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import wraps
from inspect import Parameter, Signature, signature
from typing import Any

import pytest

from conformance.generation import generated, links, sequences  # noqa: F401 - they define scenarios
from conformance.model.identity import USER
from conformance.model.requirements import Requirement, catalogue
from conformance.scenarios import (  # noqa: F401 - they define scenarios
    basic,
    completion,
    credentials,
    identifiers,
    languages,
    races,
)
from conformance.scenarios.registry import OR_REASON, SCENARIOS, Scenario


class CheckModule(pytest.Module):
    """A file of checks. The arguments of a check are results of a run, and no fixtures of pytest.

    So a fixture of the same name in a conftest.py of the user cannot replace them.
    """

    def funcnamefilter(self, name: str) -> bool:
        """Tell whether a function is a check. `python_functions` governs only the user's own tests."""
        return name.startswith("test_")

    def collect(self) -> Iterable[pytest.Function]:
        """Yield the checks, each with the names of what it `reads`."""
        for name, function in vars(self.obj).items():
            if self.funcnamefilter(name):
                shown = _with_the_arguments_of_pytest(function)
                for item in self.ihook.pytest_pycollect_makeitem(collector=self, name=name, obj=shown):
                    item.obj = shown  # pytest looks it up in the module again
                    item.reads = tuple(dict.fromkeys(_names(item, function)))
                    yield item


def _with_the_arguments_of_pytest(check: Callable[..., None]) -> Callable[..., None]:
    """Return a check as pytest sees it: it has only the argument that distinguishes several checks."""
    shown = wraps(check)(lambda **_: None)
    tables = (mark for mark in getattr(check, "pytestmark", ()) if mark.name == "parametrize")
    arguments = [Parameter(mark.args[0], Parameter.KEYWORD_ONLY) for mark in tables]
    shown.__signature__ = Signature(arguments)  # type: ignore[attr-defined]
    return shown


def _names(item: pytest.Function, check: Callable[..., None]) -> Iterator[str]:
    """Yield the names of what a check reads, in the order in which it is computed."""
    for mark in item.iter_markers("needs"):
        yield from mark.args
    yield from names_of(check)
    for mark in item.iter_markers("scenarios"):
        yield from mark.args


def names_of(function: Callable[..., Any]) -> list[str]:
    """Return the names of the arguments of a function."""
    return [*signature(function).parameters]


def is_check(item: pytest.Item) -> bool:
    """Tell whether a test is one of the checks."""
    return isinstance(item.parent, CheckModule)


def reads(item: pytest.Item) -> Sequence[str]:
    """Return the names of what a check reads: its arguments, and what its marks name."""
    names: Sequence[str] = getattr(item, "reads", ())
    return names


def scenarios_of(item: pytest.Item) -> list[Scenario[Any]]:
    """Return the scenarios that a check reads."""
    names = (name.removesuffix(OR_REASON) for name in reads(item))
    return [SCENARIOS[name] for name in names if name in SCENARIOS]


def requirement_of(item: pytest.Item) -> Requirement:
    """Return the requirement that a collected check decides; a check without one is a fault of the suite."""
    mark = item.get_closest_marker("requirement")
    if mark is None:
        raise pytest.UsageError(f"{item.nodeid} names no requirement")
    return catalogue()[mark.args[0]]


def needs_a_user(item: pytest.Item) -> bool:
    """Tell whether a check reads what a user does; the public profile leaves such checks out."""
    return USER.label in reads(item) or not all(each.public for each in scenarios_of(item))


def check_name(item: pytest.Item) -> str:
    """Return the name of a check: its file and its function, with the requirement if there are several."""
    return item.nodeid.rpartition("/")[2]


def place_of(item: pytest.Item) -> tuple[int, ...]:
    """Return the place of a check among the others: that of its file, or of its clause if each answer decides it."""
    if item.get_closest_marker("scenarios") is not None:
        return *map(int, requirement_of(item).clause.split(".")), 0
    return *map(int, re.findall(r"(?<=_)[0-9]+", item.path.stem)), 1
