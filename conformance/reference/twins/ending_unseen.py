"""Twins of which a request ends at an odd moment, unseen: completed ones are kept no longer, and when is open (3)."""

from __future__ import annotations

from abc import ABC, abstractmethod

from conformance.reference.bend import twin
from conformance.reference.call import Call, Operation, Reply
from conformance.reference.service import Service
from conformance.reference.twins.common import UNDECIDED


class _EndsUnseen(Service, ABC):
    """Completes one request in the course of a run, which is not kept: the oldest but one, where there are several."""

    moment = 0
    """Which of the moments that `is_over` tells of it is, counted from 0."""

    def conclude(self, reply: Reply, call: Call) -> Reply:
        if self.is_over(reply, call) and self.turn("moments") == self.moment:
            self.store.remove(self.store.all()[:2][-1].id)
        return super().conclude(reply, call)

    @abstractmethod
    def is_over(self, reply: Reply, call: Call) -> bool:
        """Say whether this is the kind of call after which a request ends; there is one at least."""


_NOT_ALL_HELD = dict.fromkeys(
    ("3-frees-the-limit-in-parallel", "4.1-creates-in-parallel", "8-limit-enforced-in-parallel"), UNDECIDED
)


@twin("3", {"3-deletes-no-other": ("inconclusive",)})
class _EndsAsAnotherIsDeleted(_EndsUnseen):
    """A request is completed just when the other user's and two more are there, and one of them is deleted."""

    def is_over(self, reply: Reply, call: Call) -> bool:
        owners = {each.owner for each in self.store.all()}
        return call.operation is Operation.DELETE and reply.status == 200 and len(owners) > 1


@twin("3", _NOT_ALL_HELD)
class _EndsAmongCreations(_EndsUnseen):
    """One of several requests that are created at the same time is completed when the last of them is made."""

    moment = 4

    def is_over(self, reply: Reply, call: Call) -> bool:
        full = len(self.store.all()) == self.config.max_requests
        return call.operation is Operation.CREATE and reply.status == 200 and full


@twin("3", {"4.1-refused-creates-nothing": ("inconclusive",)})
class _EndsAsCreationsAreRefused(_EndsUnseen):
    """A request is completed while creations are refused for their types, and not because of them."""

    def is_over(self, reply: Reply, call: Call) -> bool:
        return call.operation is Operation.CREATE and reply.status == 400 and len(self.store.all()) == 2


@twin("3", {"4.3-answers-ok": ("inconclusive",)})
class _EndsRightBeforeItsDeletion(_EndsUnseen):
    """A request is completed right after its creation, when the run is well under way, and found by its deletion."""

    moment = 60

    def is_over(self, reply: Reply, call: Call) -> bool:
        return call.operation is Operation.CREATE and reply.status == 200
