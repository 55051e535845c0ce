"""Faults of clauses 4 and 7 that generated calls find: near misses of types, words as identifiers, unusual bodies."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from typing import Any

from conformance.calibration.variant import fault, fault_table
from conformance.reference.call import Action, Call, Reply
from conformance.reference.service import Service

_UNKNOWN = "7-invalid-data-types"
_LISTED = "2.1-dataRequested-known"
_CRASH = "0-server-errors"
_CYRILLIC = str.maketrans("асеорхуі", "aceopxyi")
_UUID = re.compile(r"[0-9a-fA-F]{8}(-?[0-9a-fA-F]{4}){3}-?[0-9a-fA-F]{12}")


def _lenient(taken_for: Callable[[str, list[str]], list[str]]) -> type[Service]:
    """Return the service that replaces each string of a body by the result of `taken_for`, given the known types."""

    class Changed(Service):
        def wanted_types(self, call: Call) -> tuple[str, ...]:
            try:
                wanted = json.loads(call.body)
            except ValueError:
                return super().wanted_types(call)
            if isinstance(wanted, list) and all(isinstance(each, str) for each in wanted):
                known = [each.type for each in self.types]
                call.body = json.dumps([found for each in wanted for found in taken_for(each, known)]).encode()
            return super().wanted_types(call)

    return Changed


fault_table(
    _UNKNOWN,
    (
        "types-compared-by-their-beginning",
        "The column is shorter than the string: the service stores a string that begins with a type as that type.",
        _lenient(lambda name, known: [next((each for each in known if name.startswith(each)), name)]),
    ),
    (
        "types-looked-up-by-their-beginning",
        "The service searches with a wildcard at the end: the beginning of a type finds the type.",
        _lenient(lambda name, known: [next((each for each in known if name and each.startswith(name)), name)]),
    ),
    (
        "types-written-in-latin-letters",
        "The service transliterates strings before it compares them, so that look-alike letters are equal.",
        _lenient(lambda name, _known: [name.translate(_CYRILLIC)]),
    ),
    (
        "types-split-at-commas",
        "The service splits a string at its commas, from the time when the types came in the query.",
        _lenient(lambda name, _known: name.split(",")),
    ),
)


class _Found(Service):
    """Finds names among the types that are no types."""

    beside: frozenset[str]

    def types_match(self, wanted: list[Any]) -> bool:
        return super().types_match([each for each in wanted if not isinstance(each, str) or each not in self.beside])


@fault(_UNKNOWN, _LISTED)
class _TypesLookedUpAmongTheMembersOfAnObject(_Found):
    """The types are members of a JavaScript object, so that its inherited members are found too."""

    beside = frozenset(
        {"constructor", "hasOwnProperty", "isPrototypeOf", "toLocaleString", "toString", "valueOf", "__proto__"}
    )


@fault(_UNKNOWN, _LISTED)
class _TypesLookedUpAmongTheIndicesOfAnArray(_Found):
    """JavaScript's operator `in` searches the array of types, which finds its indices and its length."""

    beside = frozenset({"0", "1", "2", "length"})


class _Stored(Service):
    """Compares strings with the types in its own way and stores the string that was sent."""

    def types_match(self, wanted: list[Any]) -> bool:
        names = {self.compared(each) for each in self.type_names}
        return all(isinstance(each, str) and self.compared(each) in names for each in wanted)

    def compared(self, name: str) -> str:
        """Return the form that is compared."""
        return name.strip()


@fault(_LISTED)
class _TypesStoredWithTheirWhiteSpace(_Stored):
    """The service ignores white space when it compares a type, but stores the string as sent."""


@fault(_LISTED)
class _TypesStoredInAnyCase(_Stored):
    """The database ignores case when it compares a type, but the service stores the string as sent."""

    def compared(self, name: str) -> str:
        return name.casefold()


def _crash(fails: Callable[[Call], bool], *operations: Action) -> type[Service]:
    """Return the service that answers 500 to some calls with a valid token; without operations, to creations."""

    class Changed(Service):
        async def shortcut(self, call: Call) -> Reply | None:
            concerned = call.operation in (operations or (Action.CREATE,)) and self.authenticate(call) is not None
            if concerned and fails(call):
                return Reply(500, b"<h1>Internal Server Error</h1>", {"content-type": "text/html"})
            return None

    return Changed


def _parsed(call: Call, otherwise: Any) -> Any:
    """Return the JSON of the body, an empty array where there is no body, or `otherwise` where it is no JSON."""
    try:
        return json.loads(call.body or b"[]")
    except (ValueError, RecursionError):
        return otherwise


def _no_strings(call: Call) -> bool:
    value = _parsed(call, [])
    return not isinstance(value, list) or not all(isinstance(each, str) for each in value)


def _element(breaks: Callable[[Any], bool]) -> type[Service]:
    """Return the service that answers 500 to an array with an element for which `breaks` is true."""

    def fails(call: Call) -> bool:
        value = _parsed(call, [])
        return isinstance(value, list) and any(breaks(each) for each in value)

    return _crash(fails)


fault_table(
    _CRASH,
    (
        "other-json-server-error",
        "The service iterates over the body and its elements without a check of their types.",
        _crash(_no_strings),
    ),
    (
        "body-that-cannot-be-parsed-server-error",
        "The service does not catch the error of the parser.",
        _crash(lambda call: _parsed(call, Ellipsis) is Ellipsis),
    ),
    (
        "long-type-server-error",
        "The database raises an error for a string that is longer than its column.",
        _crash(lambda call: len(call.body) > 1000 and isinstance(_parsed(call, []), list)),
    ),
    (
        "unlabelled-body-server-error",
        "The framework parses bodies of one media type only, and the handler uses an undefined value for others.",
        _crash(lambda call: bool(call.body) and call.headers.get("content-type", "") != "application/json"),
    ),
    (
        "word-for-an-identifier-server-error",
        "The service passes the identifier unchecked to a column of type uuid, and the database raises an error.",
        _crash(lambda call: _UUID.fullmatch(call.request_id) is None, Action.READ, Action.DELETE),
    ),
    (
        "elements-put-into-sets-server-error",
        "The service makes a set of the list, and an object or a list in it has no hash.",
        _element(lambda each: isinstance(each, dict | list)),
    ),
    ("null-element-server-error", "The service trims each element as a string.", _element(lambda each: each is None)),
    (
        "nul-in-types-server-error",
        "The database raises an error for a text with a NUL.",
        _element(lambda each: isinstance(each, str) and "\0" in each),
    ),
    (
        "long-identifier-server-error",
        "The service logs the identifier of a deletion in a column of 255 characters.",
        _crash(lambda call: len(call.request_id) > 255, Action.DELETE),
    ),
)
