"""Results of scenarios, made of the exchanges and values that a trace names as their parts."""

from __future__ import annotations

import json
import re
import types
from collections.abc import Iterator
from dataclasses import MISSING, dataclass, field, fields, is_dataclass
from enum import Enum
from itertools import zip_longest
from typing import Any, Union, get_args, get_origin, get_type_hints

from conformance.model.exchange import Exchange
from conformance.model.identity import Created, created_by
from conformance.run import items  # noqa: F401 - it loads all scenarios
from conformance.scenarios.registry import SCENARIOS
from conformance.trace import codec


@dataclass
class Part:
    """A part of a result: exchanges, parts of its own, or a JSON value."""

    exchanges: list[Exchange] = field(default_factory=list)
    parts: dict[str, Part] = field(default_factory=dict)
    value: str = ""
    """JSON."""

    def at(self, path: str) -> Part:
        """Return the part at a path such as `limit.held` or `languages[nl]`."""
        part = self
        for name in re.findall(r"(?<=\[)[^\]]+|\w+(?![^\[]*\])", path):
            part = part.parts.setdefault(name, Part())
        return part


def result_of(scenario: str, part: Part) -> Any:
    """Return the result of a scenario: what its parts give, and the rest by default; raise ValueError or TypeError."""
    if scenario not in SCENARIOS:
        raise ValueError(f"no scenario is called {scenario}")
    return _built(part, SCENARIOS[scenario].result_type, scenario)


def _built(part: Part, kind: Any, name: str) -> Any:
    """Return a part of a result, of the declared type `kind`, from what its lines give, and else by default."""
    if part.value and not (is_dataclass(kind) and part.value.startswith("{")):
        return codec.read(json.loads(part.value), kind, {})
    for member, value in json.loads(part.value or "{}").items():
        part.at(member).value = json.dumps(value)
    origin, inner = get_origin(kind), get_args(kind)
    if origin in (Union, types.UnionType):
        if part == Part() and types.NoneType in inner:
            return None
        one = next(each for each in inner if each is not types.NoneType and not _is_an_error(each))
        return _built(part, one, name)
    if kind in (Exchange, Created):
        if len(part.exchanges) != 1:
            raise ValueError(f"{name} is one exchange, and {len(part.exchanges)} lines give it")
        (exchange,) = part.exchanges
        made = exchange if kind is Exchange else created_by(exchange)
        if made is None:
            raise ValueError(f"{name}: the exchange {exchange.id} created no request")
        return made
    if origin is tuple and inner[1:] != (...,):
        given = [part.parts.get(str(place), Part()) for place in range(len(inner))]
        given = [Part([each]) for each in part.exchanges] or given
        return tuple(_of_a_tuple(each, one, name) for each, one in zip_longest(given, inner, fillvalue=Part()))
    if origin is dict:
        return {_key(each, inner[0]): _built(of_it, inner[1], name) for each, of_it in part.parts.items()}
    if origin is not None:  # a list of any kind
        given = [*part.parts.values(), *(Part([each]) for each in part.exchanges)]
        return [_built(each, inner[0], name) for each in given]
    if is_dataclass(kind) and not part.exchanges:
        return kind(**dict(_members(part, kind, name)))
    raise TypeError(f"no line gives {name}, a {kind}")


def _of_a_tuple(part: Part, kind: Any, name: str) -> Any:
    return _empty(kind, name) if part == Part() else _built(part, kind, name)


def _members(part: Part, kind: Any, name: str) -> Iterator[tuple[str, Any]]:
    """Yield the members of a dataclass that a trace gives, and an empty one for each that has no default."""
    hints, known = get_type_hints(kind), {each.name: each for each in fields(kind)}
    if unknown := part.parts.keys() - known.keys():
        raise ValueError(f"{name} has no {', '.join(sorted(unknown))}, but {', '.join(known)}")
    for member, one in known.items():
        if member in part.parts:
            yield member, _built(part.parts[member], hints[member], f"{name}.{member}")
        elif one.default is MISSING and one.default_factory is MISSING:
            yield member, _empty(hints[member], f"{name}.{member}")


def _empty(kind: Any, name: str) -> Any:
    if kind in (int, bool, str):
        return kind()
    if types.NoneType in get_args(kind):
        return None
    return _built(Part(), kind, name)


def _key(name: str, kind: Any) -> Any:
    return kind[name] if issubclass(kind, Enum) else name


def _is_an_error(kind: Any) -> bool:
    return isinstance(kind, type) and issubclass(kind, Exception)
