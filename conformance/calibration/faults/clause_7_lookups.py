"""Faults of clause 7: types that are taken for others, and requests that are found though nobody named them."""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from typing import Any

from conformance.calibration.variant import fault
from conformance.reference.call import Call
from conformance.reference.errors import Condition, RefusedError
from conformance.reference.service import Service
from conformance.reference.store import DataRequest

_TYPES = "7-invalid-data-types"
_NOT_FOUND = "7-not-found"


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
class _TypesAreComparedByTheirBeginning(_Lenient):
    """A name is known when it begins with a type on offer: the comparison stops where the shorter one ends."""

    def is_like_one(self, name: str) -> bool:
        return any(name.startswith(each) for each in self.type_names)


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


class _Newest(Service, ABC):
    """Finds the user's newest request where none has the identifier."""

    def find(self, call: Call) -> DataRequest:
        owner = call.user.name if call.user else ""
        mine = [each for each in self.store.all() if each.owner == owner]
        named = [each for each in mine if each.id == call.request_id]
        if not mine or not (named or self.stands_in(call)):
            raise RefusedError(Condition.NO_REQUEST)
        return (named or mine)[-1]

    @abstractmethod
    def stands_in(self, call: Call) -> bool:
        """Say whether the newest request is taken for the one that is named."""


@fault(
    _NOT_FOUND,
    "3-removed",
    "3-deletes-no-other",
    "4.2-agrees-with-creation",
    "4.3-answers-ok",
    "8-limit-enforced",
    "8-limit-enforced-in-parallel",
)
class _UnknownMeansTheNewest(_Newest):
    """The query takes the user's newest request where the identifier finds nothing."""

    def stands_in(self, call: Call) -> bool:  # noqa: ARG002 whatever is asked
        return True


@fault(_NOT_FOUND, "3-removed", "4.2-agrees-with-creation")
class _ReadingTheUnknownShowsTheNewest(_Newest):
    """Reading shows the user's newest request where the identifier finds nothing."""

    def stands_in(self, call: Call) -> bool:
        return call.operation.value == "readRequest"


@fault(_NOT_FOUND, "3-removed", "3-deletes-no-other", "4.3-answers-ok")
class _DeletingTheUnknownDeletesTheNewest(_Newest):
    """A deletion whose identifier finds nothing cancels the user's newest request."""

    def stands_in(self, call: Call) -> bool:
        return call.operation.value == "deleteRequest"
