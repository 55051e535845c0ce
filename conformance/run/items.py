"""The checks as pytest collects them: their modules, the requirement that each decides, and what it reads."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import wraps
from inspect import Parameter, Signature, signature
from typing import Any, Final

import pytest

from conformance.generation import generated, links, sequences  # noqa: F401 - they define scenarios
from conformance.model.requirements import Requirement, catalogue
from conformance.scenarios import (  # noqa: F401 - they define scenarios
    basic,
    completion,
    credentials,
    identifiers,
    languages,
    races,
)
from conformance.scenarios.registry import OR_REASON, SCENARIOS

RUN: Final = pytest.StashKey[Any]()
"""Where the configuration of pytest keeps the run, which calls the checks: a CheckRunner."""


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
                    item.obj = _called_by_the_run(item, shown)  # pytest looks it up in the module again
                    item.reads = tuple(_names(item, function))
                    yield item


def _with_the_arguments_of_pytest(check: Callable[..., None]) -> Callable[..., None]:
    """Return a check as pytest sees it: it has only the argument that distinguishes several checks."""
    shown = wraps(check)(lambda **_: None)
    tables = (mark for mark in getattr(check, "pytestmark", ()) if mark.name == "parametrize")
    arguments = [Parameter(mark.args[0], Parameter.KEYWORD_ONLY) for mark in tables]
    shown.__signature__ = Signature(arguments)  # type: ignore[attr-defined]
    return shown


def _called_by_the_run(item: pytest.Function, shown: Callable[..., None]) -> Callable[..., None]:
    return wraps(shown)(lambda **_: item.config.stash[RUN].call(item))


def _names(item: pytest.Function, check: Callable[..., None]) -> Iterator[str]:
    """Yield the names of what a check reads, in the order in which it is computed."""
    scenarios = item.get_closest_marker("scenarios")
    needed = [each for mark in item.iter_markers("needs") for each in mark.args]
    names = dict.fromkeys([*needed, *names_of(check)])
    names |= dict.fromkeys(more for name in [*names] for more in _read_by(name))
    yield from names
    if scenarios is not None:
        yield from scenarios.args
        if any("user" in _read_by(each) for each in scenarios.args):
            yield "user"


def _read_by(name: str) -> Sequence[str]:
    """Return what the result of a scenario needs: the token of a user, unless it is public."""
    scenario = SCENARIOS.get(name.removesuffix(OR_REASON))
    return () if scenario is None or scenario.public else ("user",)


def names_of(function: Callable[..., Any]) -> list[str]:
    """Return the names of the arguments of a function."""
    return [*signature(function).parameters]


def is_check(item: pytest.Item) -> bool:
    """Tell whether a test is one of the checks."""
    return isinstance(item.parent, CheckModule)


def reads(item: pytest.Item) -> Sequence[str]:
    """Return the names of what a check reads: its arguments, and what the results among them need."""
    names: Sequence[str] = getattr(item, "reads", ())
    return names


def requirement_of(item: pytest.Item) -> Requirement:
    """Return the requirement that a collected check decides; a check without one is a fault of the suite."""
    mark = item.get_closest_marker("requirement")
    if mark is None:
        raise pytest.UsageError(f"{item.nodeid} names no requirement")
    return catalogue()[mark.args[0]]


def needs_a_user(item: pytest.Item) -> bool:
    """Tell whether a check reads what a user does; the public profile leaves such checks out."""
    return "user" in reads(item)


def check_name(item: pytest.Item) -> str:
    """Return the name of a check: its file and its function, with the requirement if there are several."""
    return item.nodeid.rpartition("/")[2]


def place_of(item: pytest.Item) -> tuple[int, ...]:
    """Return the place of a check among the others: that of its file, or of its clause if each answer decides it."""
    if item.get_closest_marker("scenarios") is not None:
        return *map(int, requirement_of(item).clause.split(".")), 0
    return *map(int, re.findall(r"(?<=_)[0-9]+", item.path.stem)), 1
