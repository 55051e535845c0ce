"""Twins with other numbers of places, or whose places others take: clause 8 states a maximum, and for whom is open."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from conformance.calibration.twins.common import LIMIT_NOT_MET, SHORT_OF_THE_LIMIT, adding
from conformance.calibration.twins.limits import InUse
from conformance.calibration.variant import Acceptable, add_twin, twin
from conformance.model.requirements import catalogue
from conformance.model.verdict import Level
from conformance.reference.call import Call
from conformance.reference.config import ReferenceConfig
from conformance.reference.errors import Condition
from conformance.reference.service import Service
from conformance.reference.store import DataRequest

_NEEDS_A_REQUEST = ("2.1", "3", "4.1", "4.2", "4.3", "5.1", "5.3", "8")
_NO_REQUEST: Acceptable = {
    **LIMIT_NOT_MET,
    **{
        row.id: ("inconclusive", "not-applicable")
        for row in catalogue().rows.values()
        if row.clause in _NEEDS_A_REQUEST and row.level is not Level.OPEN and not row.untestable
    },
}
"""What cannot be exercised where not one request can be made."""

add_twin(
    "8",
    "limit-refused-with-a-time",
    "The refusal beyond the limit says when it may be worth trying again, which nobody can know for certain.",
    service=adding({"retry-after": "86400"}, lambda _reply, call: call.condition is Condition.LIMIT),
)
add_twin("8", "limit-of-seven", "Seven requests at a time.", max_requests=7)
add_twin(
    "8",
    "limit-of-none",
    "The organisation takes no requests for now: the range of the limit is not stated.",
    _NO_REQUEST,
    max_requests=0,
)


@twin("8", _NO_REQUEST)
class _AccountFull(InUse):
    """The account holds all the requests that it may hold, and the run made none of them."""

    held = 3


@twin("8", SHORT_OF_THE_LIMIT, max_requests=7)
class _AccountHalfInUse(InUse):
    """The account holds four of the seven requests that it may hold."""

    held = 4


@twin("8", SHORT_OF_THE_LIMIT, max_requests=5)
class _LimitNearlyUsedUpByOthers(InUse):
    """The five places are for the organisation as a whole, and other people hold three of them."""

    held = 3

    def __init__(self, config: ReferenceConfig) -> None:
        super().__init__(config)
        for each in self.store.all():
            self.store.remove(each.id)
            if each.owner == config.users[0].name:
                self.store.add(DataRequest(each.id, "somebody else", each.created_at, each.types))

    def has_room(self, existing: Iterable[DataRequest], request: DataRequest) -> bool:  # noqa: ARG002 whoever asks
        return sum(each.completed_at(self.now()) is None for each in existing) < self.config.max_requests


@twin("8", LIMIT_NOT_MET, max_requests=3)
class _LimitRaisedInTheCourseOfTheRun(Service):
    """The organisation raises the limit from three to five while the run lasts, and says so in the settings."""

    def settings(self, call: Call) -> Any:
        return super().settings(call) | {"maxNumberOfRequests": self.places()}

    def has_room(self, existing: Iterable[DataRequest], request: DataRequest) -> bool:
        return sum(self.holds_place(each, request.owner) for each in existing) < self.places()

    def new_request(self, types: tuple[str, ...], call: Call) -> DataRequest:
        self.made = getattr(self, "made", 0) + 1
        return super().new_request(types, call)

    def places(self) -> int:
        """Return the limit as it is now."""
        return 5 if getattr(self, "made", 0) > 20 else 3
