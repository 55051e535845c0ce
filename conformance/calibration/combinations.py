"""Combinations of faults: several faults composed into one service, and the draw of those that a self-test tries."""

from __future__ import annotations

import dis
import random
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from inspect import unwrap
from itertools import combinations, permutations
from types import CodeType, FunctionType
from typing import Any, Final

from conformance.calibration.tour import tour
from conformance.reference.bend import Bend, Fault
from conformance.reference.faults import FAULTS
from conformance.reference.service import Service

_SIZES: Final = (2, 2, 3, 2, 2, 3, 2)
"""Sizes of consecutive combinations, over and over: five pairs to two triples, also in a short draw."""

_BETWEEN: Final = " + "

_ENTRIES: Final = ("__init__", "answer", "refuse", "conclude")
"""The methods of Service that the application calls."""

_CONFIGURED: Final = frozenset(["config", "completed_at"])
"""What the methods of Service that depend on the configuration use."""


@dataclass(frozen=True, kw_only=True)
class Combination(Bend):
    """One service with several faults; its name lists them in the order of its bases."""

    faults: tuple[Fault, ...]


class CannotCombine(ValueError):
    """Faults that cannot all be present in one service, or whose effects cannot be told apart."""


def is_combination(name: str) -> bool:
    """Tell whether `name` lists several faults, with " + " between them."""
    parts = name.split(_BETWEEN)
    return len(parts) > 1 and all(part in FAULTS for part in parts)


@cache
def combination(name: str) -> Combination:
    """Return the service with the faults that `name` lists; raise CannotCombine where Python cannot compose it."""
    faults = tuple(FAULTS[each] for each in name.split(_BETWEEN))
    config: dict[str, Any] = {}
    run: dict[str, Any] = {}
    for each in faults:
        config |= each.config
        run |= each.run
    try:
        return Combination(
            name=name,
            summary=" ".join(each.summary for each in faults),
            service=_composed(faults),
            config=config,
            run=run,
            faults=faults,
        )
    except TypeError as error:  # one class twice, or before its own subclass
        raise CannotCombine(f"{name}: {error}") from None


def draw(number: int, seed: int) -> list[str]:
    """Return the names of so many different combinations, the same ones for the same seed.

    The faults are dealt from a shuffled deck, so that each is drawn about equally often.
    """
    generator = random.Random(seed)
    faults = [fault.name for fault in FAULTS.values() if not fault.undetectable]
    deck: list[str] = []
    drawn: dict[str, None] = {}
    while len(drawn) < number:
        names: list[str] = []
        passed_over: list[str] = []
        while len(names) < _SIZES[len(drawn) % len(_SIZES)]:
            if not deck:
                deck = generator.sample(faults, len(faults))
            candidate = deck.pop()
            arranged = _arranged([*names, candidate])
            if arranged:
                names = arranged
            else:
                passed_over.append(candidate)
        deck += reversed(passed_over)
        drawn[_BETWEEN.join(names)] = None
    return list(drawn)


def check_combination(name: str) -> None:
    """Raise CannotCombine unless the faults in `name` break different requirements and are present together."""
    combined = combination(name)
    for one, other in combinations(combined.faults, 2):
        _check_pair(one, other)
    reached = _reached(combined.service)
    for fault in combined.faults:
        if hidden := sorted(method for _, method in _needed(fault.name) - reached):
            raise CannotCombine(f"{name}: no call reaches {hidden[0]} of {fault.name}")
    _check_answers(combined)


def _arranged(names: Sequence[str]) -> list[str] | None:
    """Return `names` in an order in which all of them are present, None where there is no such order."""
    if len(names) == 1:
        return list(names)
    for order in permutations(names):
        try:
            check_combination(_BETWEEN.join(order))
        except CannotCombine:
            continue
        return list(order)
    return None


def _composed(faults: Sequence[Fault]) -> type[Service]:
    return type("Composed", tuple(each.service for each in faults), {})


def _check_pair(one: Fault, other: Fault) -> None:
    """Raise CannotCombine where the two cannot be present together, in whichever order."""
    both = f"{one.name} and {other.name}"
    if one.requirement in other.broken or other.requirement in one.broken:
        raise CannotCombine(f"{both} break the same requirement")
    for options, others in ((one.config, other.config), (one.run, other.run)):
        for key in options.keys() & others.keys():
            if options[key] != others[key]:
                raise CannotCombine(f"{both} need different values of {key}")
    shared = set(_classes(one.service)) & set(_classes(other.service))
    if shared & {one.service, other.service}:
        raise CannotCombine(f"{both}: one is derived from the other")
    mine, its = (
        {name for kind in _classes(each.service) if kind not in shared for name in _added(kind)}
        for each in (one, other)
    )
    if clash := sorted(mine & its):
        raise CannotCombine(f"{both} both use the name {clash[0]} for something of their own")


def _check_answers(combined: Combination) -> None:
    """Raise CannotCombine where the composed service raises an error, or answers the same without one of its faults."""
    try:
        answers = tour(combined)
        for fault in combined.faults:
            others = _composed([each for each in combined.faults if each != fault])
            # A fault that the tour cannot show passes where no other fault changes its configuration.
            if answers == tour(_bend(others, combined.config)) and (
                combined.config != fault.config or tour(fault) != tour(_bend(Service, fault.config))
            ):
                raise CannotCombine(f"{combined.name}: {fault.name} changes no answer")
    except (ArithmeticError, AttributeError, LookupError, TypeError) as error:
        raise CannotCombine(f"{combined.name}: the composed service raises {error!r}") from None


def _bend(service: type[Service], config: Mapping[str, Any]) -> Bend:
    return Bend(name="part", summary="", service=service, config=config)


def _classes(service: type[Service]) -> list[type]:
    """Return the classes of `service` below Service."""
    return [kind for kind in service.__mro__ if kind not in Service.__mro__]


@cache
def _added(kind: type) -> frozenset[str]:
    """Return the names of methods and attributes that `kind` adds to those of Service."""
    codes = [code for function in _functions(kind).values() for code in _codes(function.__code__)]
    stored = {each.argval for code in codes for each in dis.get_instructions(code) if each.opname == "STORE_ATTR"}
    added = {name for name in {*vars(kind), *stored} if not hasattr(Service, name)}
    return frozenset(name for name in added if not name.startswith(("__", "_abc_")))


@cache
def _needed(name: str) -> frozenset[tuple[type, str]]:
    """Return the methods that a call has to reach for the fault to be present: those of its classes.

    A fault with a configuration needs the methods of Service that depend on the configuration, too. Where requests
    complete and another fault counts them by itself, completed ones count, which neither of the two faults is about.
    """
    fault = FAULTS[name]
    kinds = _classes(fault.service)
    return frozenset(
        (kind, method)
        for kind, method in _reached(fault.service)
        if kind in kinds or (fault.config and kind is Service and _CONFIGURED & _named(Service, method))
    )


def _reached(service: type[Service]) -> frozenset[tuple[type, str]]:
    """Return the methods that a call of the application may reach, each with the class that defines it.

    A method reaches each method that its code names, and the one that it overrides where its code uses super().
    """
    mro = service.__mro__
    reached: set[tuple[type, str]] = set()
    waiting = [(name, 0) for name in _ENTRIES]
    while waiting:
        name, start = waiting.pop()
        place = next((place for place in range(start, len(mro)) if name in _functions(mro[place])), None)
        if place is None or (mro[place], name) in reached:
            continue
        reached.add((mro[place], name))
        named = _named(mro[place], name)
        waiting += [(each, 0) for each in named]
        if "super" in named:
            waiting.append((name, place + 1))
    return frozenset(reached)


@cache
def _named(kind: type, method: str) -> frozenset[str]:
    """Return the names of what a method uses: attributes, other methods and globals."""
    return frozenset(name for code in _codes(_functions(kind)[method].__code__) for name in code.co_names)


@cache
def _functions(kind: type) -> dict[str, FunctionType]:
    """Return the methods that `kind` itself defines."""
    found = {name: unwrap(value) for name, value in vars(kind).items() if callable(value)}
    return {name: value for name, value in found.items() if isinstance(value, FunctionType)}


def _codes(code: CodeType) -> Iterator[CodeType]:
    """Yield `code` and the code of the functions inside it."""
    yield code
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from _codes(constant)
