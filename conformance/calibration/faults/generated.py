"""Faults of clauses 4 and 7 that odd calls bring to light: near-misses of types, words for identifiers, odd bodies."""

from __future__ import annotations

import json
import re
from abc import ABC, abstractmethod
from typing import Any

from conformance.calibration.variant import fault
from conformance.reference.call import Call, Operation, Reply
from conformance.reference.service import Service

_UNKNOWN = "7-invalid-data-types"
_LISTED = "2.1-dataRequested-known"
_CRASH = "0-server-errors"
_CYRILLIC = str.maketrans("асеорхуі", "aceopxyi")
_UUID = re.compile(r"[0-9a-fA-F]{8}(-?[0-9a-fA-F]{4}){3}-?[0-9a-fA-F]{12}")


class _Lenient(Service, ABC):
    """Takes some strings for types that are none."""

    def wanted_types(self, call: Call) -> tuple[str, ...]:
        try:
            wanted = json.loads(call.body)
        except ValueError:
            return super().wanted_types(call)
        if isinstance(wanted, list) and all(isinstance(each, str) for each in wanted):
            call.body = json.dumps([found for each in wanted for found in self.taken_for(each)]).encode()
        return super().wanted_types(call)

    @abstractmethod
    def taken_for(self, name: str) -> list[str]:
        """Return the types that a string is taken for."""


@fault(_UNKNOWN)
class _TypesComparedByTheirBeginning(_Lenient):
    """The column is shorter than the string: what begins with a type is stored as that type."""

    def taken_for(self, name: str) -> list[str]:
        return [next((each.type for each in self.types if name.startswith(each.type)), name)]


@fault(_UNKNOWN)
class _TypesLookedUpByTheirBeginning(_Lenient):
    """The look-up is a search with a wildcard at the end: the beginning of a type finds it."""

    def taken_for(self, name: str) -> list[str]:
        return [next((each.type for each in self.types if name and each.type.startswith(name)), name)]


@fault(_UNKNOWN)
class _TypesWrittenInLatinLetters(_Lenient):
    """Strings are transliterated before they are compared, so that letters that look the same are."""

    def taken_for(self, name: str) -> list[str]:
        return [name.translate(_CYRILLIC)]


@fault(_UNKNOWN)
class _TypesSplitAtCommas(_Lenient):
    """A list in one string is split at its commas: a remnant of the time when the types came in the query."""

    def taken_for(self, name: str) -> list[str]:
        return name.split(",")


class _Found(Service):
    """Finds names among the types that nobody put there."""

    beside: frozenset[str]

    def types_match(self, wanted: list[Any]) -> bool:
        return super().types_match([each for each in wanted if not isinstance(each, str) or each not in self.beside])


@fault(_UNKNOWN, _LISTED)
class _TypesLookedUpAmongTheMembersOfAnObject(_Found):
    """The types are members of an object of JavaScript, in which the inherited ones are found as well."""

    beside = frozenset(
        {"constructor", "hasOwnProperty", "isPrototypeOf", "toLocaleString", "toString", "valueOf", "__proto__"}
    )


@fault(_UNKNOWN, _LISTED)
class _TypesLookedUpAmongTheIndicesOfAnArray(_Found):
    """JavaScript's operator `in` is asked of the array of types, which has its indices and its length."""

    beside = frozenset({"0", "1", "2", "length"})


class _Stored(Service):
    """Compares strings with the types in a way of its own, and stores what was sent."""

    def types_match(self, wanted: list[Any]) -> bool:
        names = {self.compared(each) for each in self.type_names}
        return all(isinstance(each, str) and self.compared(each) in names for each in wanted)

    def compared(self, name: str) -> str:
        """Return what is compared."""
        return name.strip()


@fault(_LISTED)
class _TypesStoredWithTheirWhiteSpace(_Stored):
    """White space is dropped to compare a string with the types, and the string itself is stored and shown."""


@fault(_LISTED)
class _TypesStoredInAnyCase(_Stored):
    """The database compares without regard to case, and what was sent is stored and shown."""

    def compared(self, name: str) -> str:
        return name.casefold()


class _Crash(Service, ABC):
    """Answers some calls with a server error before anything is looked at but the token."""

    operations: tuple[Operation, ...] = (Operation.CREATE,)

    async def shortcut(self, call: Call) -> Reply | None:
        if call.operation in self.operations and self.authenticate(call) is not None and self.fails(call):
            return Reply(500, b"<h1>Internal Server Error</h1>", {"content-type": "text/html"})
        return None

    @abstractmethod
    def fails(self, call: Call) -> bool:
        """Say whether this call is too much."""


def _parsed(call: Call) -> Any:
    try:
        return json.loads(call.body)
    except (ValueError, RecursionError):
        return []


@fault(_CRASH)
class _OtherJsonServerError(_Crash):
    """The body is iterated over before it is looked at, and so is each of its elements."""

    def fails(self, call: Call) -> bool:
        value = _parsed(call) if call.body else []
        return not isinstance(value, list) or not all(isinstance(each, str) for each in value)


@fault(_CRASH)
class _BodyThatCannotBeParsedServerError(_Crash):
    """Nobody catches what the parser raises."""

    def fails(self, call: Call) -> bool:
        try:
            json.loads(call.body or b"[]")
        except (ValueError, RecursionError):
            return True
        return False


@fault(_CRASH)
class _LongTypeServerError(_Crash):
    """The database complains about a string that is longer than its column."""

    def fails(self, call: Call) -> bool:
        return len(call.body) > 1000 and isinstance(_parsed(call), list)


@fault(_CRASH)
class _UnlabelledBodyServerError(_Crash):
    """The framework parses bodies of one label only, and the handler takes what it left undefined."""

    def fails(self, call: Call) -> bool:
        return bool(call.body) and call.headers.get("content-type", "") != "application/json"


@fault(_CRASH)
class _WordForAnIdentifierServerError(_Crash):
    """The identifier goes to a column of type uuid unseen, and the database raises."""

    operations = (Operation.READ, Operation.DELETE)

    def fails(self, call: Call) -> bool:
        return _UUID.fullmatch(call.request_id) is None


class _ElementServerError(_Crash):
    def fails(self, call: Call) -> bool:
        value = _parsed(call) if call.body else []
        return isinstance(value, list) and any(self.breaks(each) for each in value)

    @abstractmethod
    def breaks(self, element: object) -> bool:
        """Say whether this element is too much."""


@fault(_CRASH)
class _ElementsPutIntoSetsServerError(_ElementServerError):
    """The list becomes a set, and an object or a list in it has no hash."""

    def breaks(self, element: object) -> bool:
        return isinstance(element, dict | list)


@fault(_CRASH)
class _NullElementServerError(_ElementServerError):
    """Each string is trimmed, and null is none."""

    def breaks(self, element: object) -> bool:
        return element is None


@fault(_CRASH)
class _NulInTypesServerError(_ElementServerError):
    """The database raises where a text has a NUL."""

    def breaks(self, element: object) -> bool:
        return isinstance(element, str) and "\0" in element


@fault(_CRASH)
class _LongIdentifierServerError(_Crash):
    """The identifier of a deletion is written to the journal first, whose column has room for 255 characters."""

    operations = (Operation.DELETE,)

    def fails(self, call: Call) -> bool:
        return len(call.request_id) > 255
