"""The form of the results of scenarios in evidence: JSON values, with exchanges by their ids, and the way back.

The declared type of a result decides how it is read. So evidence never decides which type is made of it.
"""

from __future__ import annotations

import base64
from collections.abc import Callable, Mapping
from dataclasses import fields, is_dataclass
from enum import Enum
from traceback import format_exception
from typing import Any, Final, Literal, get_args, get_type_hints

from cattrs import BaseConverter

from conformance.model.errors import ConfigurationFault, Crashed, NotDecided, NothingToAdd, RequirementViolated
from conformance.model.exchange import Exchange
from conformance.model.identity import Created, created_by

EXCEPTIONS: Final[Mapping[str, type[Exception]]] = {
    each.__name__: each for each in (NothingToAdd, NotDecided, RequirementViolated, ConfigurationFault, Crashed)
}
"""The exceptions that a result may hold, or that may take its place; a subclass before its base class."""


def written(
    value: Any, text: Callable[[str], str] = lambda value: value, raw: Callable[[bytes], bytes] = lambda value: value
) -> Any:
    """Return a result, or the exception that ended a scenario, as a JSON value; `text` and `raw` remove secrets."""

    def plain(value: Any) -> Any:
        if isinstance(value, Exchange | Created):
            return value.id if isinstance(value, Exchange) else value.exchange.id
        if isinstance(value, Enum):  # its word may equal a token of few letters
            return value.value
        if isinstance(value, str):
            return text(value)
        if isinstance(value, bytes):
            return base64.b64encode(raw(value)).decode()
        if isinstance(value, Exception):
            return exception(value)
        if isinstance(value, Mapping):
            return {plain(name): plain(each) for name, each in value.items()}
        if isinstance(value, list | tuple):
            return [plain(each) for each in value]
        return members(value) if is_dataclass(value) else value

    def members(of: Any) -> dict[str, Any]:
        return {each.name: plain(getattr(of, each.name)) for each in fields(of)}

    def exception(error: Exception) -> list[Any]:
        for name, kind in EXCEPTIONS.items():
            if isinstance(error, kind):
                return [name, members(error)]
        return exception(Crashed(f"{type(error).__name__}: {error}", traceback="".join(format_exception(error))))

    return plain(value)


def read(data: Any, kind: Any, exchanges: Mapping[str, Exchange], named: dict[str, Exchange] | None = None) -> Any:
    """Return what `written` made of a value of the type `kind`; put the exchanges that it names into `named`.

    A member of another build is left out. Raise LookupError, TypeError, ValueError or AttributeError for anything else.
    """
    of = BaseConverter(detailed_validation=False, structure_fallback_factory=_in_no_evidence)

    def members(data: Any, made: Any) -> Any:
        hints = get_type_hints(made)
        return made(**{name: of.structure(value, hints[name]) for name, value in data.items() if name in hints})

    def exception(data: Any, wanted: type[Exception]) -> Any:
        name, given = data
        if not issubclass(made := EXCEPTIONS[name], wanted):
            raise TypeError(f"a {name} is no {wanted.__name__}")
        return members(given, made)

    def exchange(data: Any) -> Exchange:
        if (found := exchanges.get(_exactly(data, str))) is None:
            raise LookupError(f"the evidence lacks the exchange {data:.20}, which a result names")
        if named is not None:
            named[found.id] = found
        return found

    of.register_structure_hook_func(is_dataclass, members)
    of.register_structure_hook_func(lambda kind: isinstance(kind, type) and issubclass(kind, Exception), exception)
    for plain in (str, int, float, bool, type(None)):
        of.register_structure_hook(plain, _exactly)
    of.register_structure_hook_func(lambda kind: getattr(kind, "__origin__", None) is Literal, _exactly)
    of.register_structure_hook(bytes, lambda text, _: base64.b64decode(_exactly(text, str), validate=True))
    of.register_structure_hook(Exchange, lambda id_, _: exchange(id_))
    of.register_structure_hook(Created, lambda id_, _: _created(exchange(id_)))
    return of.structure(data, kind)


def _in_no_evidence(kind: Any) -> Any:
    raise TypeError(f"no evidence holds a {kind!r:.80}")


def _exactly(data: Any, kind: Any) -> Any:
    """Return a value of this very type, a member of an enumeration, or a text of a Literal."""
    if isinstance(kind, type) and issubclass(kind, Enum):
        return kind(data)
    if data not in get_args(kind) and type(data) is not kind and not (kind is float and type(data) is int):
        raise TypeError(f"{data!r:.80} is no {' or '.join(get_args(kind)) or kind.__name__}")
    return data


def _created(creation: Exchange) -> Created:
    if (made := created_by(creation)) is None:
        raise ValueError(f"the exchange {creation.id} created no request")
    return made
