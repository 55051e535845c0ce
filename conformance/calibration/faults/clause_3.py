"""Faults of clause 3: what a deletion does, and what is shown of the state."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime, timedelta

from conformance.calibration.faults.common import Remembering
from conformance.calibration.operators import on_request, one_in_ten, put
from conformance.calibration.variant import fault, fault_table
from conformance.reference.call import TEXT, Action, Call, Reply
from conformance.reference.errors import ErrorCondition, RefusedError
from conformance.reference.service import Service
from conformance.reference.store import DataRequest

_STATE = "3-in-progress-no-completedAt"
_MOMENT = "2.1-completedAt"
_VALUE = "2.1-completedAt-value"
_GONE = "3-removed"
_FREES = "3-frees-the-limit"
_OTHERS = "3-deletes-no-other"

fault_table(
    _STATE,
    (
        "in-progress-completed-at-null-on-read",
        "Reading goes through a serialiser that shows empty columns.",
        on_request(put(completedAt=None), Action.READ),
    ),
    (
        "in-progress-completed-at-null-in-one-of-ten",
        "One of the nodes runs an older serialiser.",
        on_request(put(completedAt=None), when=one_in_ten),
    ),
    consequences=(_MOMENT,),
)


@fault(_GONE)
class _DeletedStillReadable(Remembering):
    """A deletion sets a flag that only the list of the back office looks at: reading still finds the request."""

    def read(self, call: Call) -> Reply:
        return Reply.json(self.document(self.find_removed(call), call))


@fault(_GONE, "7-not-found", "7-not-found-error", "7-not-found-message")
class _DeletedAnswersGone(Remembering):
    """What was deleted answers 410, which is good HTTP and another interface."""

    def refuse(self, condition: ErrorCondition, call: Call) -> Reply:
        reply = super().refuse(condition, call)
        return Reply.json(reply.document, 410) if call.request_id in self.removed else reply


@fault(_GONE)
class _DeletedReadsAsNull(Remembering):
    """Reading what was deleted answers 200 with null."""

    def read(self, call: Call) -> Reply:
        return Reply.json(None) if call.request_id in self.removed else super().read(call)


@fault(_GONE)
class _DeletedReadableInOneOfTen(Remembering):
    """One of the nodes keeps deleted requests in its cache."""

    def read(self, call: Call) -> Reply:
        if call.request_id in self.removed and one_in_ten(self.turn("stale")):
            return Reply.json(self.document(self.removed[call.request_id][0], call))
        return super().read(call)


@fault(_GONE)
class _DeletedComesBack(Remembering):
    """Reading goes to a replica that was behind and has been filled from a backup: what was deleted is there again."""

    def read(self, call: Call) -> Reply:
        found = self.removed.get(call.request_id)
        if found and self.now() - found[1] > timedelta(seconds=0.1):
            return Reply.json(self.document(found[0], call))
        return super().read(call)


_LIMIT_TOO = ("8-accepts-up-to-limit",)


class _Counting(Remembering):
    """Counts some of the deleted requests against the limit."""

    def has_room(self, existing: Iterable[DataRequest], request: DataRequest) -> bool:
        counted = [each for each, moment in self.removed.values() if self.still_counts(moment)]
        return super().has_room([*existing, *counted], request)

    def still_counts(self, removed_at: datetime) -> bool:
        """Say whether what was deleted at this moment still uses a place."""
        return self.now() - removed_at < timedelta(seconds=0.3)


@fault(_FREES, *_LIMIT_TOO)
class _PlaceNeverFreed(_Counting):
    """The limit counts every request that was ever made: a counter that nobody lowers."""

    def still_counts(self, removed_at: datetime) -> bool:  # noqa: ARG002 whenever that was
        return True


@fault(_FREES, *_LIMIT_TOO)
class _PlaceFreedAfterAMoment(_Counting):
    """The removal is a message in a queue, and takes a third of a second to arrive."""


@fault(_FREES, *_LIMIT_TOO)
class _PlaceOfOldestNeverFreed(Remembering):
    """The count is off by one after the first deletion: the first place that is freed is lost."""

    def has_room(self, existing: Iterable[DataRequest], request: DataRequest) -> bool:
        lost = next(iter(self.removed.values()), None)
        return super().has_room([*existing, *([lost[0]] if lost else [])], request)


@fault(_OTHERS)
class _DeletesAllOfTheUser(Service):
    """The statement deletes by user, not by requestId."""

    def remove(self, request: DataRequest) -> DataRequest | None:
        for each in self.store.all():
            if each.owner == request.owner:
                self.store.remove(each.id)
        return request


@fault(_OTHERS)
class _DeletesEverything(Service):
    """The statement has lost its condition."""

    def remove(self, request: DataRequest) -> DataRequest | None:
        for each in self.store.all():
            self.store.remove(each.id)
        return request


@fault(_OTHERS, "4.2-answers-200", _GONE)
class _DeletesTheOldest(Service):
    """The statement deletes the user's first row, whichever was named."""

    def remove(self, request: DataRequest) -> DataRequest | None:
        return self.store.remove(next(each.id for each in self.store.all() if each.owner == request.owner))


@fault(_OTHERS)
class _DeletesWithTheSameTypes(Service):
    """What was gathered is shared between requests for the same types, and takes them along when it is deleted."""

    def remove(self, request: DataRequest) -> DataRequest | None:
        for each in self.store.all():
            if each.owner == request.owner and set(each.types) == set(request.types):
                self.store.remove(each.id)
        return request


@fault(_OTHERS)
class _DeletesWhatIsNewer(Service):
    """A deletion rolls the user's requests back to the state before the one that is named."""

    def remove(self, request: DataRequest) -> DataRequest | None:
        mine = [each for each in self.store.all() if each.owner == request.owner]
        for each in mine[mine.index(request) :] if request in mine else []:
            self.store.remove(each.id)
        return request


class _KeepsCompleted(Service):
    async def delete(self, call: Call) -> Reply:
        if self.find(call).completed_at(self.now()) is not None:
            return self.kept(call)
        return await super().delete(call)

    def kept(self, call: Call) -> Reply:  # noqa: ARG002 variants override it
        """Return the answer for a completed request."""
        raise RefusedError(ErrorCondition.NO_REQUEST)


_DELETION_TOO = ("4.3-answers-ok",)


@fault("3-deletes-completed", *_DELETION_TOO, "7-not-found", complete_after=0.0)
class _CompletedNotFoundOnDelete(_KeepsCompleted):
    """Deletion looks among the requests in progress only."""


@fault("3-deletes-completed", *_DELETION_TOO, complete_after=0.0)
class _CompletedConflictsOnDelete(_KeepsCompleted):
    """What is completed cannot be cancelled any more, says the workflow engine."""

    def kept(self, call: Call) -> Reply:  # noqa: ARG002 the same for every call
        return Reply.json({"error": "Conflict", "message": "The request is completed already."}, 409)


@fault("3-deletes-completed", _GONE, complete_after=0.0)
class _CompletedStaysOnDelete(_KeepsCompleted):
    """OK is answered, and completed requests stay: the condition of the statement names those in progress."""

    def kept(self, call: Call) -> Reply:  # noqa: ARG002 the same for every call
        return Reply(200, b"OK", {"content-type": TEXT})


@fault("3-deletes-completed", *_DELETION_TOO, complete_after=0.1)
class _CompletedSoonNotFoundOnDelete(_KeepsCompleted):
    """Deletion looks among the requests in progress only, which a request is for a tenth of a second."""
