"""One declaration of an option: a field of the typed options, which says what click reads."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import field, fields
from enum import Flag, auto
from functools import reduce
from typing import Any, Final, TypeVar

import click

from conformance.cli.values import PATH

_Command = TypeVar("_Command", bound=Callable[..., Any])

_CLICK, _RECORDED, _TOKEN = "click", "recorded", "token"


class Place(Flag):
    """Where an option of `check` can be given, beside its own command line."""

    FILE = auto()
    """Each configuration file, also one that is only found in the working directory and may come from others.

    So it is for what is harmless: it names no address, file or command, says nothing that counts, confirms nothing,
    makes no run predictable, and lets none succeed that would fail.
    """
    PYTEST = auto()
    """The plugin of pytest."""
    AUDIT = auto()
    """A target of an audit."""
    WITNESS = auto()
    """The command `witness`, beside the options of every command that calls a target."""
    NAMED_FILE = auto()
    """A configuration file that --config names, or whose content the user trusts."""


NOWHERE: Final = Place(0)
FILE, PYTEST, AUDIT, WITNESS, NAMED_FILE = Place


class _Placed(click.Parameter):
    """A parameter that can be given in further places."""

    def __init__(self, *names: Any, places: Place = NOWHERE, **how: Any) -> None:
        super().__init__(*names, **how)
        self.places = places


class _PlacedOption(_Placed, click.Option):
    pass


class _PlacedArgument(_Placed, click.Argument):
    pass


def places_of(parameter: click.Parameter) -> Place:
    """Return the places where a parameter of a command can be given."""
    return parameter.places if isinstance(parameter, _Placed) else NOWHERE


def allowed(command: click.Command, place: Place) -> tuple[str, ...]:
    """Return the parameters of a command that can be given in a place, by their names."""
    return tuple(str(each.name) for each in command.params if place in places_of(each))


def option(*names: str, recorded: bool = False, places: Place = NOWHERE, absent: Any = ..., **how: Any) -> Any:
    """Return the field of an option, with the words of `click.option`.

    `recorded` says that the option can change a verdict or the traffic, so that a report names it. `absent` is the
    value for a command that has no such option, if it is another than that of an option that is not given.
    """
    if absent is ...:
        is_flag = how.get("is_flag", "/" in names[0])
        absent = how.get("default", () if how.get("multiple") else False if is_flag else None)
    metadata = {_CLICK: (_placed(places, *names, **how),), _RECORDED: recorded}
    return field(default=absent, metadata=metadata)


def argument(name: str, *, places: Place = NOWHERE, **how: Any) -> Any:
    """Return the field of an argument, with the words of `click.argument`; None means not given."""

    def declared(command: _Command) -> _Command:
        # click 8.1.3 forgets the class of an argument whose decorator is used again.
        return click.argument(name, cls=_PlacedArgument, places=places, **how)(command)

    return field(default=None, metadata={_CLICK: (declared,)})


def token(name: str, *, help: str, file: str, command: str = "", places: Place) -> Any:
    """Return the field of an access token, which an option, a variable, a file or a command gives.

    `help`, `file` and `command` describe the option of each; without `command` there is none. The configuration file
    names a file or a command, and no token.
    """
    variable = f"DRSI_{name.upper().replace('-', '_')}"
    named = places | NAMED_FILE
    declared = [_placed(named, f"--{name}-file", type=PATH, metavar="FILE", help=file)]
    if command:
        declared.append(_placed(named, f"--{name}-command", metavar="COMMAND", help=command))
    declared.append(_placed(places, f"--{name}", metavar="TOKEN", envvar=variable, show_envvar=True, help=help))
    return field(default=None, metadata={_CLICK: tuple(declared), _TOKEN: name.replace("-", "_")})


def _placed(places: Place, *names: str, **how: Any) -> Callable[[_Command], _Command]:
    return click.option(*names, cls=_PlacedOption, places=places, **how)


def together(*decorators: Callable[[Any], Any]) -> Callable[[_Command], _Command]:
    """Return a decorator that gives a command several options, in their order."""
    return lambda command: reduce(lambda made, decorate: decorate(made), reversed(decorators), command)


def with_options(declaring: type, *names: str) -> Callable[[_Command], _Command]:
    """Return a decorator that gives a command the options of a class, or those of the fields `names`."""
    wanted = (each for each in fields(declaring) if not names or each.name in names)
    return together(*(decorate for each in wanted for decorate in each.metadata[_CLICK]))


def read(declaring: type, context: click.Context, token_of: Callable[[click.Context, str], Any]) -> Mapping[str, Any]:
    """Return the values of the fields of a class that click has read; `token_of` returns a token by its name."""
    values = {}
    for each in fields(declaring):
        if name := each.metadata.get(_TOKEN):
            values[each.name] = token_of(context, name)
        elif each.name in context.params:
            values[each.name] = context.params[each.name]
    return values


def recorded(options: Any) -> Mapping[str, Any]:
    """Return the recorded options by their name on the command line."""
    return {
        each.name.replace("_", "-"): getattr(options, each.name)
        for each in fields(options)
        if each.metadata.get(_RECORDED)
    }
