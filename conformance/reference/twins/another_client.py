"""Twins whose user has another client, which takes a place at an odd moment: nothing says that a user has one only."""

from __future__ import annotations

from collections.abc import Iterable

from conformance.reference.bend import twin
from conformance.reference.call import Call, Operation, Reply
from conformance.reference.errors import Condition
from conformance.reference.service import Service
from conformance.reference.store import DataRequest
from conformance.reference.twins.common import LIMIT_NOT_MET, NOT_COMPLETED, NOT_IN_PROGRESS, UNDECIDED


class _AnotherClient(Service):
    """The user's phone takes the last place once, and gives it back when a creation is refused for the limit."""

    moment = 0
    """Which of the moments that `leaves_room` tells of it is, counted from 0."""
    phones: DataRequest | None = None

    def conclude(self, reply: Reply, call: Call) -> Reply:
        if call.condition is Condition.LIMIT and self.phones is not None:
            self.store.remove(self.phones.id)
            self.phones = None
        elif self.places_left(call) == 1 and self.leaves_room(reply, call) and self.turn("moments") == self.moment:
            self.phones = DataRequest(self.new_id(call), self.config.users[0].name, self.now(), (self.types[0].type,))
            self.store.add(self.phones)
        return super().conclude(reply, call)

    def places_left(self, call: Call) -> int:
        """Return how many more requests the first user may hold; none where another one calls."""
        name = self.config.users[0].name
        if call.user is not None and call.user.name != name:
            return 0
        return self.config.max_requests - sum(self.holds_place(each, name) for each in self.store.all())

    def leaves_room(self, reply: Reply, call: Call) -> bool:
        """Say whether this is the kind of call after which the phone comes."""
        return call.operation is Operation.DELETE and reply.status == 200


_NOT_MET = dict.fromkeys(
    ("3-frees-the-limit-in-parallel", "4.1-refused-creates-nothing", "8-limit-enforced-in-parallel"), UNDECIDED
)
"""What needs that a deletion at the limit has freed its place."""


@twin("8", _NOT_MET | {"3-frees-the-limit": ("inconclusive",)})
class _AccountWhosePhoneTakesTheFirstPlaceFreed(_AnotherClient):
    """When a deletion first makes room at the limit, the phone is faster than who deleted."""


@twin("8", _NOT_MET | {"3-frees-the-limit": ("inconclusive",)})
class _AccountWhosePhoneTakesTheSecondPlaceFreed(_AnotherClient):
    """The same with the second deletion at the limit."""

    moment = 1


@twin("8", _NOT_MET)
class _AccountWhosePhoneTakesThePlaceFreedAfterRefusals(_AnotherClient):
    """The same with the third, after creations were refused: they seem to be kept."""

    moment = 2


@twin("8", {"4.1-refused-creates-nothing": ("inconclusive",)})
class _AccountWhosePhoneComesAfterRefusals(_AnotherClient):
    """The phone takes the last place when a creation was refused for its types: that one seems to be kept."""

    def leaves_room(self, reply: Reply, call: Call) -> bool:  # noqa: ARG002 whatever it says
        return call.condition is Condition.DATA_TYPES


@twin("8", {"4.1-creates-in-parallel": ("inconclusive",)})
class _AccountWhosePhoneComesAmongCreations(_AnotherClient):
    """The phone takes the last place among several creations at the same time."""

    moment = 1

    def leaves_room(self, reply: Reply, call: Call) -> bool:
        return call.operation is Operation.CREATE and reply.status == 200


@twin("8", {"3-frees-the-limit-in-parallel": ("inconclusive",)})
class _AccountWhosePhoneComesAfterDeletionsAtTheSameTime(_AnotherClient):
    """The phone takes the place that several deletions of one request have freed."""

    def leaves_room(self, reply: Reply, call: Call) -> bool:
        return call.operation is Operation.DELETE and reply.status == 404


@twin("8", LIMIT_NOT_MET | NOT_IN_PROGRESS | NOT_COMPLETED, complete_after=0.05)
class _AccountWhosePhoneIsThereWhileRequestsComplete(Service):
    """The phone takes every place of what is completed, once, and gives them back when one of those is deleted."""

    phones = 0
    """How many places it takes."""
    been = False

    def has_room(self, existing: Iterable[DataRequest], request: DataRequest) -> bool:
        mine = [each for each in existing if each.owner == request.owner == self.config.users[0].name]
        completed = sum(not self.holds_place(each, request.owner) for each in mine)
        if not self.been and completed == self.config.max_requests:
            self.been, self.phones = True, completed
        held = sum(self.holds_place(each, request.owner) for each in existing)
        return held + (self.phones if mine else 0) < self.config.max_requests

    def remove(self, request: DataRequest) -> DataRequest | None:
        self.phones = 0
        return super().remove(request)
