"""Faults of clauses 2.1, 4.1 and 8: counters kept apart from the requests; creations that store none or two."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any

from conformance.calibration.faults.common import LIMIT_REACHED, CountingPlaces
from conformance.calibration.variant import fault
from conformance.reference.call import Action, Call, ErrorCondition, RefusedError, Reply
from conformance.reference.service import Service
from conformance.reference.store import DataRequest

_NOTHING = "4.1-refused-creates-nothing"
_ENFORCED = "8-limit-enforced"
_PARALLEL = "8-limit-enforced-in-parallel"
_UP_TO = "8-accepts-up-to-limit"
_PLACES = (_UP_TO, "3-frees-the-limit")
_NIL = "00000000-0000-0000-0000-000000000000"


class _Counter(Service):
    """Keeps a count of places apart from the requests, which a completion does not lower."""

    taken = 0

    async def admit(self, types: tuple[str, ...], call: Call) -> DataRequest:
        if self.taken >= self.config.max_requests:
            raise RefusedError(ErrorCondition.LIMIT)
        self.taken += 1
        request = self.new_request(types, call)
        self.store.add(request)
        return request

    def remove(self, request: DataRequest) -> DataRequest | None:
        self.taken -= 1
        return super().remove(request)


@fault(
    _ENFORCED,
    _PARALLEL,
    "3-frees-the-limit-in-parallel",
    *LIMIT_REACHED,
    "8-completed-do-not-count",
    "8-accepts-up-to-limit",
)
class _CounterLoweredByEveryDeletion(_Counter):
    """Every deletion lowers the counter, including one that finds nothing."""

    async def delete(self, call: Call) -> Reply:
        try:
            return await super().delete(call)
        except RefusedError:
            self.taken -= 1
            raise


@fault(_ENFORCED, _PARALLEL, *LIMIT_REACHED, "8-completed-do-not-count")
class _InvalidTypesGivePlaceBack(CountingPlaces):
    """A creation for unavailable types frees a place that it did not take."""

    def wanted_types(self, call: Call) -> tuple[str, ...]:
        try:
            return super().wanted_types(call)
        except RefusedError:
            assert call.user
            self.free(call.user.name)
            raise


@fault(_ENFORCED, _PARALLEL, *LIMIT_REACHED, "8-completed-do-not-count")
class _RejectedDeletionGivesPlaceBack(CountingPlaces):
    """A deletion frees the place before the token is checked: the request stays."""

    async def shortcut(self, call: Call) -> Reply | None:
        request = self.store.get(call.request_id) if call.operation is Action.DELETE else None
        if request is not None and self.authenticate(call) is None:
            self.free(request.owner)
        return await super().shortcut(call)


@fault(_NOTHING, *_PLACES, "8-completed-do-not-count")
class _CounterRaisedByRefusals(_Counter):
    """The service raises the counter before it compares it, and does not lower it when it refuses the creation."""

    async def admit(self, types: tuple[str, ...], call: Call) -> DataRequest:
        try:
            return await super().admit(types, call)
        except RefusedError:
            self.taken += 1
            raise


@fault(_NOTHING, *_PLACES)
class _MalformedBodyUsesAPlace(Service):
    """The service takes a place before it parses the body and keeps it if parsing fails."""

    def wanted_types(self, call: Call) -> tuple[str, ...]:
        try:
            json.loads(call.body or b"[]")
        except ValueError:
            self.store.add(self.new_request((), call))
        return super().wanted_types(call)


@fault(_UP_TO, *LIMIT_REACHED, "3-frees-the-limit")
class _CreationMakesTwo(Service):
    """A gateway repeats slow calls: each creation makes a second request, which no answer shows."""

    async def admit(self, types: tuple[str, ...], call: Call) -> DataRequest:
        made = await super().admit(types, call)
        self.store.add(self.new_request(types, call))
        return made


@fault(
    "2.1-requestId-unique", _ENFORCED, _PARALLEL, *LIMIT_REACHED, "3-removed", "4.3-answers-ok", "3-deletes-no-other"
)
class _SameTypesGiveTheRequestThereIs(Service):
    """The service takes a creation for the same types for a repetition and returns the existing request."""

    async def admit(self, types: tuple[str, ...], call: Call) -> DataRequest:
        same = [each for each in self.store.of(call.owner) if each.types == types]
        return same[0] if same else await super().admit(types, call)


@fault(
    "2.1-requestId-unique",
    "2.1-requestId-version",
    "2.1-requestId-random",
    "2.1-requestId-all-random",
    "2.1-requestId-not-incremental",
    "4.2-answers-200",
    "4.3-answers-ok",
)
class _CreationShowsTheNilIdentifier(Service):
    """The service shows the object before it has an identifier, whose default is all zeros."""

    def document(self, request: DataRequest, call: Call) -> dict[str, Any]:
        document = super().document(request, call)
        return document | {"requestId": _NIL} if call.operation is Action.CREATE else document


@fault(_ENFORCED, _PARALLEL, *LIMIT_REACHED)
class _CountIsOneCallBehind(Service):
    """The count comes from a replica that does not have the previous creation yet."""

    created: str | None = None
    unseen: str | None = None

    async def perform(self, call: Call) -> Reply:
        self.unseen, self.created = self.created, None
        return await super().perform(call)

    async def admit(self, types: tuple[str, ...], call: Call) -> DataRequest:
        request = await super().admit(types, call)
        self.created = request.id
        return request

    def has_room(self, existing: Iterable[DataRequest], request: DataRequest) -> bool:
        return super().has_room([each for each in existing if each.id != self.unseen], request)
