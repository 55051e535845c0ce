"""Faults of clauses 4 and 7 that odd calls bring to light: near-misses of types, words for identifiers, odd bodies."""

from __future__ import annotations

import json
import re
from abc import ABC, abstractmethod
from typing import Any

from conformance.reference.bend import fault
from conformance.reference.call import Call, Operation, Reply
from conformance.reference.service import Service

_UNKNOWN = "7-invalid-data-types"
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
