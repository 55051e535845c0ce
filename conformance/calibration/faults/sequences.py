"""Faults of clauses 3, 4 and 8 that a sequence of calls shows, of one user or of two."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable
from functools import cached_property
from typing import Any

from conformance.calibration.faults.common import CountingPlaces
from conformance.calibration.variant import fault
from conformance.reference.call import Call, ErrorCondition, RefusedError, Reply
from conformance.reference.service import Service
from conformance.reference.store import DataRequest


@fault("3-removed")
class _DeletedReturnsWithTheNextCreation(Service):
    """Deletions happen at the end of a transaction, which the user's next creation rolls back."""

    removed = cached_property(lambda _: dict[str, DataRequest]())
    back = cached_property(lambda _: dict[str, DataRequest]())

    def remove(self, request: DataRequest) -> DataRequest | None:
        self.back.pop(request.id, None)
        self.removed[request.id] = request
        return super().remove(request)

    async def admit(self, types: tuple[str, ...], call: Call) -> DataRequest:
        made = await super().admit(types, call)
        if len(self.store.of(made.owner)) > 2:
            self.back |= self.removed
        return made

    def read(self, call: Call) -> Reply:
        back = self.back.get(call.request_id)
        return Reply.json(self.document(back, call)) if back else super().read(call)


@fault("3-deletes-no-other", "4.3-answers-ok")
class _DeletingNothingRemovesTheNewestOfAll(Service):
    """JavaScript: requests.splice(requests.indexOf(found), 1) removes the last element where nothing was found."""

    async def delete(self, call: Call) -> Reply:
        found = self.store.get(call.request_id)
        if found is None or found.owner != call.owner:
            for each in self.store.all()[-1:]:
                self.remove(each)
        return await super().delete(call)


@fault("4.2-answers-200")
class _MissedByAnotherMissedByAll(Service):
    """After another user finds nothing, a cache answers 404 to all users, by identifier alone."""

    missing = cached_property(lambda _: set[str]())

    def read(self, call: Call) -> Reply:
        if call.request_id in self.missing:
            raise RefusedError(ErrorCondition.NO_REQUEST)
        try:
            return super().read(call)
        except RefusedError:
            self.missing.add(call.request_id)
            raise


@fault("4.2-agrees-with-creation")
class _ReadShowsTheTypesOfTheNewest(Service):
    """All requests of a user share one buffer for the list of types."""

    latest = cached_property(lambda _: dict[str, tuple[str, ...]]())

    def whose(self, request: DataRequest) -> str:
        """Return the key of the buffer."""
        return request.owner

    def new_request(self, types: tuple[str, ...], call: Call) -> DataRequest:
        request = super().new_request(types, call)
        self.latest[self.whose(request)] = types
        return request

    def document(self, request: DataRequest, call: Call) -> dict[str, Any]:
        return super().document(request, call) | {"dataRequested": list(self.latest[self.whose(request)])}


@fault("8-limit-enforced", "8-limit-enforced-in-parallel", "8-completed-do-not-count")
class _DeletingAgainFreesAnotherPlace(CountingPlaces):
    """The service lowers the number before it looks up whether there is anything to delete."""

    async def delete(self, call: Call) -> Reply:
        if self.store.get(call.request_id) is None:
            self.free(call.owner)
        return await super().delete(call)


@fault("8-accepts-up-to-limit", "3-frees-the-limit", "8-completed-do-not-count")
class _RequestForAllTakesTwoPlaces(CountingPlaces):
    """The service stores a request for all types as two, one of them for the partners' data."""

    def weight(self, request: DataRequest) -> int:
        return 2 if len(request.types) == len(self.types) else 1


@fault("3-deletes-no-other", "4.3-answers-ok")
class _DeletingNothingRemovesTheOldest(Service):
    """A deletion that finds nothing deletes the first waiting request."""

    async def delete(self, call: Call) -> Reply:
        if self.store.get(call.request_id) is None:
            for each in self.store.of(call.owner)[:1]:
                self.remove(each)
        return await super().delete(call)


@fault("3-removed")
class _RequestForAllStaysReadable(Service):
    """Requests for all types are stored in another table, where a deletion only marks the row."""

    marked = cached_property(lambda _: dict[str, DataRequest]())

    def remove(self, request: DataRequest) -> DataRequest | None:
        if len(request.types) == len(self.types):
            self.marked[request.id] = request
        return super().remove(request)

    def read(self, call: Call) -> Reply:
        marked = self.marked.get(call.request_id)
        return Reply.json(self.document(marked, call)) if marked else super().read(call)


class _Losing(Service, ABC):
    """Keeps the places of some deleted requests until the next deletion."""

    lost = cached_property(lambda _: list[DataRequest]())

    @abstractmethod
    def keeps(self, request: DataRequest) -> bool:
        """Tell whether the place of a deleted request stays taken."""

    def remove(self, request: DataRequest) -> DataRequest | None:
        self.lost = [request] if self.keeps(request) else []
        return super().remove(request)

    def has_room(self, existing: Iterable[DataRequest], request: DataRequest) -> bool:
        return super().has_room([*existing, *self.lost], request)


@fault("3-frees-the-limit", "3-frees-the-limit-in-parallel")
class _PlaceInTheMiddleNotFreed(_Losing):
    """The count is the distance between the oldest and the newest request, which ignores gaps."""

    def keeps(self, request: DataRequest) -> bool:
        own = [each.id for each in self.store.of(request.owner)]
        return request.id in own[1:-1]
