"""Faults of clause 3: the effect of a deletion, the state that readings show, and requests that disappear or stay."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import timedelta
from typing import Any

from conformance.calibration import sources
from conformance.calibration.faults.common import Remembering, is_completed
from conformance.calibration.operators import confirmed, on_request, problem, put
from conformance.calibration.variant import add_fault, fault
from conformance.reference.call import Action, Call, ErrorCondition, RefusedError, Reply
from conformance.reference.service import Service
from conformance.reference.store import DataRequest

_GONE = "3-removed"
_FREES = "3-frees-the-limit"
_OTHERS = "3-deletes-no-other"
_COMPLETED = "3-deletes-completed"

add_fault(
    "3-in-progress-no-completedAt",
    "in-progress-completed-at-null-on-read",
    "The serializer of reading shows empty columns.",
    on_request(put(completedAt=None), Action.READ),
    consequences=("2.1-completedAt",),
)


@fault(_GONE, _COMPLETED, source=sources.LARAVEL_SOFT_DELETES, base=Remembering, at="read")
def deleted_still_readable(service: Remembering, call: Call) -> Reply:
    """A deletion sets a flag that reading ignores."""
    return Reply.json(service.document(service.find_removed(call), call))


_LIMIT_TOO = ("8-accepts-up-to-limit",)


@fault(_FREES, *_LIMIT_TOO, source="3, table 2, row 1, Also", base=Remembering, at="has_room")
def place_never_freed(service: Remembering, existing: Iterable[DataRequest], request: DataRequest) -> bool:
    """The limit counts every request that was ever made: deletions do not lower the counter."""
    removed = [each for each, _ in service.removed.values()]
    return Service.has_room(service, [*existing, *removed], request)


@fault(_FREES, *_LIMIT_TOO, source="8, paragraph 1, sentence 1", base=Remembering, at="has_room")
def place_freed_after_a_moment(service: Remembering, existing: Iterable[DataRequest], request: DataRequest) -> bool:
    """The removal is a message in a queue and takes a third of a second."""
    since = service.now() - timedelta(seconds=0.3)
    removed = [each for each, moment in service.removed.values() if moment > since]
    return Service.has_room(service, [*existing, *removed], request)


@fault(_OTHERS, "4.1-creates-in-parallel", "4.3-answers-ok", source="4.3, paragraph 1", at="remove")
def deletes_all_of_the_user(service: Service, request: DataRequest) -> DataRequest:
    """The statement deletes by user, not by requestId."""
    for each in service.store.of(request.owner):
        service.store.remove(each.id)
    return request


@fault(
    _OTHERS,
    "4.2-answers-200",
    _GONE,
    "4.1-creates-in-parallel",
    "4.3-answers-ok",
    source="4.3, paragraph 1",
    at="remove",
)
def deletes_the_oldest(service: Service, request: DataRequest) -> DataRequest | None:
    """The statement deletes the user's first row instead of the named one."""
    return service.store.remove(service.store.of(request.owner)[0].id)


_DELETION_TOO = ("4.3-answers-ok",)


@fault(
    _COMPLETED,
    *_DELETION_TOO,
    "4.1-creates-in-parallel",
    "5.3-rejected-delete-deletes-nothing",
    "7-not-found",
    complete_after=0.0,
    source="4.2, paragraph 1",
    at="delete",
)
def completed_not_found_on_delete(service: Service, call: Call) -> Reply | None:
    """Deletion looks among the requests in progress only."""
    return service.refuse(ErrorCondition.NO_REQUEST, call) if is_completed(service, call) else None


@fault(_COMPLETED, *_DELETION_TOO, complete_after=0.0, source="3, table 2, row 1, From", at="delete")
def completed_conflicts_on_delete(service: Service, call: Call) -> Reply | None:
    """The workflow engine does not allow a completed request to be cancelled."""
    conflict = problem(409, "Conflict", "The request is completed already.")
    return conflict if is_completed(service, call) else None


@fault(_COMPLETED, _GONE, complete_after=0.0, source="3, table 2, row 1, From", at="delete")
def completed_stays_on_delete(service: Service, call: Call) -> Reply | None:
    """The service confirms the deletion of a completed request but deletes only requests in progress."""
    return confirmed() if is_completed(service, call) else None


@fault(_GONE, base=Remembering, at="find", complete_after=0.2)
def deleted_is_back_when_it_completes(service: Remembering, call: Call) -> DataRequest | None:
    """What gathers the data saves the entity that it has loaded (Hibernate, merge): a deleted request is back."""
    loaded, moment = service.removed.get(call.request_id, (None, None))
    was_in_progress = loaded and moment and loaded.owner == call.owner and loaded.completed_at(moment) is None
    return loaded if was_in_progress and loaded and loaded.completed_at(service.now()) else None


@fault("4.3-answers-ok", source="4.1, paragraph 1", at="admit")
def stores_nothing(service: Service, types: tuple[str, ...], call: Call) -> DataRequest:
    """The endpoint answers before its storage is connected: a creation answers 200 and stores nothing."""
    return service.new_request(types, call)


@fault("3-removed", "2.1-requestId-unique", source="3, table 2, row 1, Also")
class _OneIdentifierAndDeletionsWithoutEffect(Service):
    """Every creation returns one identifier, and a deletion answers OK and deletes nothing: the one public server of
    the interface's ancestor."""

    _ID = "0b3d7c1e-5a4f-4c62-9e41-7a8d2b6c0f13"

    def document(self, request: DataRequest, call: Call) -> dict[str, Any]:
        return super().document(request, call) | {"requestId": self._ID}

    def find(self, call: Call) -> DataRequest:
        mine = self.store.of(call.owner) if call.request_id == self._ID else []
        if not mine:
            raise RefusedError(ErrorCondition.NO_REQUEST)
        return mine[0]

    async def admit(self, types: tuple[str, ...], call: Call) -> DataRequest:
        for each in self.store.of(call.owner):
            self.store.remove(each.id)
        return await super().admit(types, call)

    def remove(self, request: DataRequest) -> DataRequest | None:
        return request
