"""The form of the results of scenarios in evidence: JSON values, with exchanges by their ids, and the way back.

The declared type of a result decides how it is written and read. So evidence never decides which type is made of it.
"""

from __future__ import annotations

import base64
import types
from collections.abc import Callable, Mapping, Sequence
from dataclasses import fields, is_dataclass
from enum import Enum
from functools import lru_cache
from traceback import format_exception
from typing import Any, Final, Literal, Protocol, Union, get_args, get_origin, get_type_hints

from conformance.model.errors import ConfigurationFault, Crashed, NotDecided, NothingToAdd, RequirementViolated
from conformance.model.exchange import Exchange
from conformance.model.identity import Created

EXCEPTIONS: Final[Mapping[str, type[Exception]]] = {
    each.__name__: each for each in (NothingToAdd, NotDecided, RequirementViolated, ConfigurationFault, Crashed)
}
"""The exceptions that a result may hold, or that may take its place; a subclass before its base class."""


class Cleaner(Protocol):
    """What removes secrets and personal values."""

    def text(self, value: str, /) -> str:
        """Return a text without any."""

    def raw(self, value: bytes, /) -> bytes:
        """Return bytes without any."""


class _Everything:
    def text(self, value: str, /) -> str:
        return value

    def raw(self, value: bytes, /) -> bytes:
        return value


NOTHING_HIDDEN: Final[Cleaner] = _Everything()


def written(value: Any, kind: Any, clean: Cleaner = NOTHING_HIDDEN) -> Any:
    """Return `value`, of the declared type `kind`, as a JSON value; raise TypeError if it is of another type."""
    origin, inner = get_origin(kind), get_args(kind)
    if kind in _PLAIN:
        return _plain(value, clean)
    if kind is Exchange:
        return value.id
    if kind is Created:
        return value.exchange.id
    if kind is bytes:
        return base64.b64encode(clean.raw(value)).decode()
    if origin is Literal:
        return value
    if origin in _UNIONS:
        return None if value is None else written(value, _but_none(inner), clean)
    if origin is tuple and inner[1:] != (...,):
        return [written(each, one, clean) for each, one in zip(value, inner, strict=True)]
    if origin is dict and inner[0] is str:
        return {clean.text(name): written(each, inner[1], clean) for name, each in value.items()}
    if origin is dict:
        return [[written(name, inner[0], clean), written(each, inner[1], clean)] for name, each in value.items()]
    if origin in _COLLECTIONS:
        return [written(each, inner[0], clean) for each in value]
    if isinstance(kind, type) and issubclass(kind, Enum):
        return value.value
    if isinstance(kind, type) and issubclass(kind, Exception):
        name = next(name for name, each in EXCEPTIONS.items() if isinstance(value, each))
        return [name, _members(value, EXCEPTIONS[name], clean)]
    if is_dataclass(kind):
        return _members(value.recorded() if hasattr(value, "recorded") else value, kind, clean)
    raise TypeError(f"no result of a scenario can hold {kind!r}")


def read(data: Any, kind: Any, exchanges: Mapping[str, Exchange]) -> Any:
    """Return what `written` made of a value; raise LookupError, TypeError or ValueError for anything else."""
    if kind is Any:
        return data
    if kind in _PLAIN:
        if type(data) is not kind and not (kind is float and type(data) is int):
            raise TypeError(f"{data!r:.80} is no {kind.__name__}")
        return data
    if kind is Exchange:
        return _exchange(data, exchanges)
    if kind is Created:
        return created(_exchange(data, exchanges))
    if kind is bytes:
        return base64.b64decode(_text(data), validate=True)
    if (origin := get_origin(kind)) is not None:
        return _read_generic(data, origin, get_args(kind), exchanges)
    if issubclass(kind, Enum):
        return kind(data)
    if issubclass(kind, Exception):
        name, members = _list(data)
        made = EXCEPTIONS[_text(name)]
        if not issubclass(made, kind):
            raise TypeError(f"a {name} is no {kind.__name__}")
        return made(**_read_members(members, made, exchanges))
    if isinstance(kind, type) and is_dataclass(kind):
        return kind(**_read_members(data, kind, exchanges))
    raise TypeError(f"no result of a scenario can hold {kind!r}")


def _read_generic(data: Any, origin: Any, inner: tuple[Any, ...], exchanges: Mapping[str, Exchange]) -> Any:
    """Return a value of a type that is made of others."""
    if origin is Literal:
        return inner[inner.index(data)]
    if origin in _UNIONS:
        return None if data is None else read(data, _but_none(inner), exchanges)
    if origin is tuple and inner[1:] != (...,):
        return tuple(read(each, one, exchanges) for each, one in zip(_list(data), inner, strict=True))
    if origin is dict and inner[0] is str:
        if not isinstance(data, dict):
            raise TypeError(f"{data!r:.80} is no object")
        return {name: read(each, inner[1], exchanges) for name, each in data.items()}
    if origin is dict:
        return {read(name, inner[0], exchanges): read(each, inner[1], exchanges) for name, each in _list(data)}
    return _COLLECTIONS[origin](read(each, inner[0], exchanges) for each in _list(data))


def _exchange(data: Any, exchanges: Mapping[str, Exchange]) -> Exchange:
    if (found := exchanges.get(_text(data))) is None:
        raise LookupError(f"the evidence lacks the exchange {data:.20}, which a result names")
    return found


def created(creation: Exchange) -> Created:
    """Return the request that a creation of a result made, with the document of its response."""
    answer = creation.response
    document = answer.document.value if answer is not None and 200 <= answer.status < 300 else None
    if not isinstance(document, dict) or not isinstance(document.get("requestId"), str):
        raise ValueError(f"the exchange {creation.id} created no request")
    return Created(document["requestId"], document, creation)


def written_end(error: BaseException, clean: Cleaner = NOTHING_HIDDEN) -> Any:
    """Return the exception that ended a scenario as a JSON value."""
    known = next((each for each in EXCEPTIONS.values() if isinstance(error, each)), None)
    if known is None:
        error = Crashed(f"{type(error).__name__}: {error}", "".join(format_exception(error)))
        known = Crashed
    return [known.__name__, _members(error, known, clean)]


def read_end(data: Any, exchanges: Mapping[str, Exchange]) -> Exception:
    """Return what `written_end` made of an exception; raise as `read` does."""
    found: Exception = read(data, Exception, exchanges)
    return found


_PLAIN: Final = (str, int, float, bool, type(None), Any)
_UNIONS: Final = (Union, types.UnionType)
_COLLECTIONS: Final[Mapping[Any, Callable[..., Any]]] = {list: list, tuple: tuple, Sequence: tuple}


def _plain(value: Any, clean: Cleaner) -> Any:
    """Return a JSON value without secrets."""
    if isinstance(value, dict):
        return {clean.text(name): _plain(inner, clean) for name, inner in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(inner, clean) for inner in value]
    return clean.text(value) if isinstance(value, str) else value


def _but_none(kinds: tuple[Any, ...]) -> Any:
    """Return the type of an optional value; raise ValueError for a union of more."""
    (kind,) = (each for each in kinds if each is not type(None))
    return kind


@lru_cache(maxsize=256)
def _hints(kind: Any) -> Mapping[str, Any]:
    """Return the types of the members that are written."""
    hints = get_type_hints(kind)
    return {each.name: hints[each.name] for each in fields(kind) if not _is_function(hints[each.name])}


def _is_function(kind: Any) -> bool:
    return Callable in {get_origin(each) for each in (kind, *get_args(kind))}


def _members(value: Any, kind: Any, clean: Cleaner) -> dict[str, Any]:
    return {name: written(getattr(value, name), each, clean) for name, each in _hints(kind).items()}


def _read_members(data: Any, kind: Any, exchanges: Mapping[str, Exchange]) -> dict[str, Any]:
    hints = _hints(kind)
    if not isinstance(data, dict) or data.keys() != hints.keys():
        raise ValueError(f"this is no {kind.__name__}: {data!r:.80}")
    return {name: read(data[name], each, exchanges) for name, each in hints.items()}


def _list(data: Any) -> list[Any]:
    if not isinstance(data, list):
        raise TypeError(f"{data!r:.80} is no list")
    return data


def _text(data: Any) -> str:
    if not isinstance(data, str):
        raise TypeError(f"{data!r:.80} is no text")
    return data
