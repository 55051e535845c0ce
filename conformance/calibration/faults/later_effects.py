"""Faults that show after a call that was refused, concerned another user's request, or repeated an earlier call."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import replace
from functools import cached_property
from typing import Any
from uuid import uuid4

from conformance.calibration.faults.common import CountingPlaces
from conformance.calibration.variant import fault
from conformance.reference.call import Action, Call, ErrorCondition, RefusedError, Reply
from conformance.reference.config import ReferenceConfig
from conformance.reference.service import Service
from conformance.reference.store import DataRequest


@fault("8-limit-enforced")
class _LimitOfTheFirstUserOnly(Service):
    """The code for the limit compares the number of one account, with which its author tested."""

    def has_room(self, existing: Iterable[DataRequest], request: DataRequest) -> bool:
        return request.owner != self.config.users[0].name or super().has_room(existing, request)


@fault("8-limit-enforced")
class _RefusedDeletionsOfAnotherFreePlaces(Service):
    """The service lowers the owner's counter before it compares the caller with the owner."""

    lowered = cached_property(lambda _: Counter[str]())

    async def delete(self, call: Call) -> Reply:
        request = self.store.get(call.request_id)
        if request is not None and call.user is not None and request.owner != call.user.name:
            self.lowered[request.owner] += 1
        return await super().delete(call)

    def has_room(self, existing: Iterable[DataRequest], request: DataRequest) -> bool:
        held = sum(each.owner == request.owner for each in existing)
        return held - self.lowered[request.owner] < self.config.max_requests


@fault("3-frees-the-limit", "8-accepts-up-to-limit", "8-completed-do-not-count")
class _DeletionsInSuccessionFreeOnePlace(CountingPlaces):
    """A freed place is remembered for one creation only: of two deletions in succession, one frees nothing."""

    given_back = cached_property(lambda _: set[str]())

    def has_room(self, existing: Iterable[DataRequest], request: DataRequest) -> bool:
        self.given_back.discard(request.owner)
        return super().has_room(existing, request)

    def free(self, owner: str, places: int = 1) -> None:
        super().free(owner, 0 if owner in self.given_back else places)
        self.given_back.add(owner)


@fault("3-removed", "3-frees-the-limit", "8-accepts-up-to-limit")
class _OneDeletionOfEightIsLost(Service):
    """Deletions go into a queue, and one of its eight workers has died."""

    def remove(self, request: DataRequest) -> DataRequest | None:
        return request if self.turn("deletions") % 8 == 7 else super().remove(request)


@fault("3-removed", "3-deletes-completed", "3-frees-the-limit")
class _TheLastRequestStays(Service):
    """An empty collection is not written: deleting the last request of a user has no effect."""

    def remove(self, request: DataRequest) -> DataRequest | None:
        alone = all(each is request for each in self.store.of(request.owner))
        return request if alone and self.turn(f"last {request.id}") == 0 else super().remove(request)


@fault("4.3-answers-ok", "3-deletes-completed")
class _RejectedReadingsWithdraw(Service):
    """A reading with a refused token is taken for an attack, and the service deletes the request."""

    async def perform(self, call: Call) -> Reply:
        request = self.store.get(call.request_id)
        if call.operation is Action.READ and request is not None and self.authenticate(call) is None:
            self.store.remove(request.id)
        return await super().perform(call)


@fault("5.3-delete-without-token", "5.3-read-without-token")
class _WhatWasDeletedNeedsNoToken(Service):
    """The service looks up deleted requests before the token: their deletion needs no token."""

    gone = cached_property(lambda _: set[str]())

    def remove(self, request: DataRequest) -> DataRequest | None:
        self.gone.add(request.id)
        return super().remove(request)

    async def shortcut(self, call: Call) -> Reply | None:
        if call.request_id in self.gone and call.operation in (Action.READ, Action.DELETE):
            raise RefusedError(ErrorCondition.NO_REQUEST)
        return await super().shortcut(call)


@fault("5.3-read-without-token", "5.3-read-with-bad-token", "4.2-answers-200")
class _MissingIsRememberedForEverybody(Service):
    """A cache in front of the service keeps each 404 by its path, for all clients."""

    missing = cached_property(lambda _: set[str]())

    async def shortcut(self, call: Call) -> Reply | None:
        if call.operation is Action.READ and call.request_id in self.missing:
            raise RefusedError(ErrorCondition.NO_REQUEST)
        return await super().shortcut(call)

    def refuse(self, condition: ErrorCondition, call: Call) -> Reply:
        if condition is ErrorCondition.NO_REQUEST and call.operation is Action.READ:
            self.missing.add(call.request_id)
        return super().refuse(condition, call)


@fault("4.1-requested-types", "4.2-agrees-with-creation")
class _TypesOfRefusedCreationsAreKept(Service):
    """The known types of a refused list stay in the form and are added to the next creation."""

    left: tuple[str, ...] = ()

    def wanted_types(self, call: Call) -> tuple[str, ...]:
        kept, self.left = self.left, ()
        try:
            wanted = super().wanted_types(call)
        except RefusedError:
            self.left = tuple(each for each in _listed(call.body) if each in self.type_names)
            raise
        return tuple(dict.fromkeys((*kept, *wanted)))


def _listed(body: bytes) -> list[Any]:
    try:
        value = json.loads(body)
    except ValueError:
        return []
    return [each for each in value if isinstance(each, str)] if isinstance(value, list) else []


@fault("7-invalid-data-types")
class _DescriptionsAreTakenForTypes(Service):
    """The service searches for a type in the text of the whole list, descriptions included."""

    def types_match(self, wanted: list[Any]) -> bool:
        described = {each.described_in(language) for each in self.types for language in self.config.languages}
        return all(isinstance(each, str) and (each in self.type_names or each in described) for each in wanted)


@fault("2.3-maxNumberOfRequests")
class _SettingsShowWhatIsLeft(Service):
    """The settings show the limit minus the requests of the fullest account, and no limit when this is zero."""

    def settings(self, call: Call) -> Any:
        held = Counter(each.owner for each in self.store.all())
        full = any(number >= self.config.max_requests for number in held.values())
        return super().settings(call) | ({"maxNumberOfRequests": None} if full else {})


@fault("4.2-agrees-with-creation", "3-deletes-no-other")
class _DeletionsTakeTheirTypesFromOtherRequests(Service):
    """Gathered data belong to user and type: a deletion removes them, and other requests lose these types."""

    def remove(self, request: DataRequest) -> DataRequest | None:
        removed = super().remove(request)
        for each in self.store.of(request.owner) if removed is not None else ():
            left = tuple(name for name in each.types if name not in request.types)
            if left and left != each.types:
                self.store.replace(replace(each, types=left))
        return removed


@fault("2.1-requestId-unique")
class _SecondRequestForEverythingIsTheFirst(Service):
    """A second creation for all types returns the request for all types that is in progress."""

    async def admit(self, types: tuple[str, ...], call: Call) -> DataRequest:
        mine = self.store.of(call.owner)
        alike = next((each for each in mine if not call.body and set(each.types) == set(types)), None)
        return alike or await super().admit(types, call)


@fault("3-frees-the-limit")
class _SameTypesHaveToWaitForTheNextCall(Service):
    """The rows of a deleted request are removed by the next call: until then its types are taken as in progress, and a
    creation for them is refused as if beyond the limit."""

    waiting: tuple[str, tuple[str, ...]] | None = None

    async def perform(self, call: Call) -> Reply:
        before, self.waiting = self.waiting, None
        self.taken = before
        return await super().perform(call)

    def remove(self, request: DataRequest) -> DataRequest | None:
        self.waiting = request.owner, request.types
        return super().remove(request)

    def has_room(self, existing: Iterable[DataRequest], request: DataRequest) -> bool:
        return self.taken != (request.owner, request.types) and super().has_room(existing, request)


@fault("2.1-requestId-unique")
class _TableOfIdentifiersStartsAnew(Service):
    """A table of identifiers made beforehand starts anew at its end, which only the last calls of a run reach."""

    def __init__(self, config: ReferenceConfig) -> None:
        super().__init__(config)
        self._table = [str(uuid4()) for _ in range(94)]

    def new_id(self, call: Call) -> str:  # noqa: ARG002 the table does not depend on the call
        self._table.append(self._table.pop(0))
        return self._table[-1]


@fault("4.1-requested-types")
class _TypesOfRefusedCallersRemain(Service):
    """A middleware collects the types of each body in a list that all calls share, before the token is looked at."""

    collected = cached_property(lambda _: list[str]())

    async def perform(self, call: Call) -> Reply:
        if call.operation is Action.CREATE and self.authenticate(call) is None and call.body:
            with suppress(RefusedError):
                self.collected.extend(super().wanted_types(call))
        return await super().perform(call)

    def wanted_types(self, call: Call) -> tuple[str, ...]:
        wanted = dict.fromkeys([*super().wanted_types(call), *self.collected])
        self.collected.clear()
        return tuple(wanted)
