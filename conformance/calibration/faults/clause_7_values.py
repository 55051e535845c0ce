"""Faults of clause 7: unknown types and identifiers that the service takes for known ones, or fails on."""

from __future__ import annotations

import json
import re
import uuid
from abc import ABC, abstractmethod
from typing import Any

from conformance.calibration.variant import fault, fault_table
from conformance.reference.call import Call, Operation, Reply
from conformance.reference.errors import Condition, RefusedError
from conformance.reference.service import Service
from conformance.reference.store import DataRequest

_TYPES = "7-invalid-data-types"
_NOT_FOUND = "7-not-found"


class _Normalising(Service):
    """Brings the names of a body into another form before they are looked up, those on offer excepted."""

    def normal(self, name: str) -> str:
        """Return the name that is looked up in the place of `name`."""
        return name

    def types_match(self, wanted: list[Any]) -> bool:
        return super().types_match([self._looked_up(each) for each in wanted])

    def wanted_types(self, call: Call) -> tuple[str, ...]:
        return tuple(dict.fromkeys(self._looked_up(each) for each in super().wanted_types(call)))

    def _looked_up(self, name: Any) -> Any:
        return self.normal(name) if isinstance(name, str) and name not in self.type_names else name


@fault(_TYPES)
class _TypesEndAtNul(_Normalising):
    """The names are handed to a library in C, for which a NUL ends them."""

    def normal(self, name: str) -> str:
        return name.partition("\0")[0]


@fault(_TYPES)
class _TypesEndAtLettersOfFourBytes(_Normalising):
    """The column takes letters of three bytes, and the database cuts a text at the first that has four."""

    def normal(self, name: str) -> str:
        return next((name[:place] for place, letter in enumerate(name) if ord(letter) > 0xFFFF), name)


@fault(_TYPES)
class _TypesAreSlugs(_Normalising):
    """Names are made slugs before they are looked up: an underscore is a hyphen."""

    def normal(self, name: str) -> str:
        return name.replace("_", "-")


@fault(_TYPES, "4.1-requested-types")
class _AllStandsForEveryType(Service):
    """The word all stands for all types, as it did in the first version of the interface."""

    def wanted_types(self, call: Call) -> tuple[str, ...]:
        return tuple(each.type for each in self.types) if call.body == b'["all"]' else super().wanted_types(call)


class _Failing(Service, ABC):
    """Fails where it has to refuse some types."""

    @abstractmethod
    def breaks(self, body: str) -> bool:
        """Say whether the refusal of a body fails."""

    def finish(self, reply: Reply, call: Call) -> Reply:
        if call.condition is Condition.DATA_TYPES and self.breaks(_letters(call.body)):
            return Reply.json({"error": "Internal Server Error", "message": "syntax error at or near"}, 500)
        return reply


def _letters(body: bytes) -> str:
    try:
        return "".join(str(each) for each in json.loads(body))
    except (ValueError, RecursionError, TypeError):
        return ""


@fault(_TYPES, "0-server-errors")
class _TypesWithAnApostropheFail(_Failing):
    """The query is put together from texts, and an apostrophe ends one of them too early."""

    def breaks(self, body: str) -> bool:
        return "'" in body


@fault(_TYPES, "0-server-errors")
class _TypesWithLettersOfFourBytesFail(_Failing):
    """What is refused is logged in a column that takes letters of three bytes only."""

    def breaks(self, body: str) -> bool:
        return any(ord(letter) > 0xFFFF for letter in body)


class _Pattern(Service, ABC):
    """Has a pattern of some paths, which an identifier has to match once the token was accepted."""

    paths: tuple[Operation, ...] = (Operation.READ, Operation.DELETE)

    @abstractmethod
    def matches(self, request_id: str) -> bool:
        """Say whether the pattern matches an identifier."""

    async def perform(self, call: Call) -> Reply:
        named = call.operation in self.paths and self.authenticate(call) is not None
        if named and not self.matches(call.request_id):
            return Reply.json({"error": "Bad Request", "message": "requestId is malformed"}, 400)
        return await super().perform(call)


def _version(request_id: str) -> int | None:
    try:
        return uuid.UUID(request_id).version
    except ValueError:
        return None


@fault(_NOT_FOUND)
class _IdentifiersOfVersionFourOnly(_Pattern):
    """The validation of the path wants a UUID of version 4: another one is malformed."""

    def matches(self, request_id: str) -> bool:
        return _version(request_id) == 4


@fault(_NOT_FOUND)
class _IdentifiersOfTheOldVersionsOnly(_Pattern):
    """The pattern of the path is that of RFC 4122, which ends with version 5."""

    def matches(self, request_id: str) -> bool:
        return _version(request_id) in (1, 2, 3, 4, 5)


@fault(_NOT_FOUND)
class _IdentifiersInCapitalsAreMalformed(_Pattern):
    """The pattern of the path knows the digits a to f in lower case only."""

    def matches(self, request_id: str) -> bool:
        return request_id == request_id.lower()


@fault(_NOT_FOUND)
class _CapitalsToDeleteAreMalformed(_IdentifiersInCapitalsAreMalformed):
    """The same pattern, of the route for deletion only."""

    paths = (Operation.DELETE,)


@fault(_NOT_FOUND, "0-server-errors")
class _UnknownVersionOneFails(Service):
    """Where nothing is found, the time is read from the identifier to look into the archive of that month."""

    def refuse(self, condition: Condition, call: Call) -> Reply:
        if condition is Condition.NO_REQUEST and _version(call.request_id) == 1:
            return Reply.json({"error": "Internal Server Error", "message": "no archive"}, 500)
        return super().refuse(condition, call)


class _Lenient(Service, ABC):
    def types_match(self, wanted: list[Any]) -> bool:
        return all(isinstance(each, str) and self.is_like_one(each) for each in wanted)

    @abstractmethod
    def is_like_one(self, name: str) -> bool:
        """Say whether `name` is taken for a type on offer."""


@fault(_TYPES, "2.1-dataRequested-known")
class _PartOfATypeIsEnough(_Lenient):
    """The types on offer are one text, in which the name has to occur."""

    def is_like_one(self, name: str) -> bool:
        return name in ",".join(each.type for each in self.types)


@fault(_TYPES, "2.1-dataRequested-known")
class _TypesArePatterns(_Lenient):
    """The name is looked up with LIKE, for which % stands for anything."""

    def is_like_one(self, name: str) -> bool:
        pattern = re.escape(name).replace("%", ".*").replace("_", ".")
        return any(re.fullmatch(pattern, each) for each in self.type_names)


@fault(_TYPES, "2.1-dataRequested-known")
class _StarMeansAll(_Lenient):
    """The administrators' * for all types is understood from everybody."""

    def is_like_one(self, name: str) -> bool:
        return name == "*" or name in self.type_names


def _newest(operation: Operation) -> type[Service]:
    """Return the service that takes the user's newest request for an unknown one in calls of one operation."""

    class Changed(Service):
        def find(self, call: Call) -> DataRequest:
            owner = call.user.name if call.user else ""
            mine = [each for each in self.store.all() if each.owner == owner]
            named = [each for each in mine if each.id == call.request_id]
            if not mine or not (named or call.operation is operation):
                raise RefusedError(Condition.NO_REQUEST)
            return (named or mine)[-1]

    return Changed


fault_table(
    _NOT_FOUND,
    (
        "reading-the-unknown-shows-the-newest",
        "Reading an unknown identifier shows the user's newest request.",
        _newest(Operation.READ),
    ),
    consequences=("3-removed", "4.2-agrees-with-creation"),
)
fault_table(
    _NOT_FOUND,
    (
        "deleting-the-unknown-deletes-the-newest",
        "Deleting an unknown identifier deletes the user's newest request.",
        _newest(Operation.DELETE),
    ),
    consequences=("3-removed", "3-deletes-no-other", "4.3-answers-ok"),
)
