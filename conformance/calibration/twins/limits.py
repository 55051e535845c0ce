"""Twins with other limits, completions and clocks, which stay the same for a run: clauses 3 and 8."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import timedelta
from typing import Any

from conformance.calibration.operators import on_request, without
from conformance.calibration.twins.common import (
    HIDDEN,
    LIMIT_NOT_MET,
    NOT_COMPLETED,
    NOT_IN_PROGRESS,
    ONE_PLACE,
    SHORT_OF_THE_LIMIT,
    UNDECIDED,
    adding,
)
from conformance.calibration.variant import Acceptable, add_twin, twin
from conformance.model.requirements import catalogue
from conformance.model.verdict import Level
from conformance.reference.call import Action, Call, ErrorCondition
from conformance.reference.config import ReferenceConfig
from conformance.reference.service import Service
from conformance.reference.store import DataRequest

add_twin("8", "limit-of-one", "One request at a time.", ONE_PLACE, max_requests=1)
add_twin(
    "3",
    "completes-at-once",
    "Creation completes a request, and reading shows it.",
    LIMIT_NOT_MET | NOT_IN_PROGRESS,
    alerts=("3-initial-state",),
    complete_after=0.0,
)
add_twin(
    "4.2",
    "completes-at-once-and-is-gone",
    "Creation completes a request; reading it answers 404, deleting it works.",
    LIMIT_NOT_MET | NOT_IN_PROGRESS | HIDDEN,
    alerts=("3-initial-state",),
    complete_after=0.0,
    completed_readable=False,
)
add_twin(
    "3",
    "completes-after-a-moment",
    "Requests complete fifty milliseconds after their creation.",
    LIMIT_NOT_MET | NOT_IN_PROGRESS | NOT_COMPLETED,
    complete_after=0.05,
)
add_twin(
    "4.2",
    "completes-after-a-moment-and-is-gone",
    "Requests complete after fifty milliseconds, and then reading them answers 404.",
    LIMIT_NOT_MET | NOT_IN_PROGRESS | NOT_COMPLETED | HIDDEN,
    complete_after=0.05,
    completed_readable=False,
)


add_twin(
    "2.1",
    "clock-ten-minutes-fast",
    "The clock is ten minutes fast.",
    {"2.1-createdAt-precise": ("warn",)},
    clock_offset=600.0,
)
add_twin(
    "2.1",
    "clock-twenty-minutes-fast",
    "The machine of the service is right, that of the tester twenty minutes slow: Date and createdAt agree.",
    dict.fromkeys(("2.1-createdAt-value", "2.1-createdAt-precise"), ("inconclusive",)),
    clock_offset=1200.0,
)
add_twin("2.1", "clock-four-minutes-slow", "The clock is four minutes slow.", {}, clock_offset=-240.0)
add_twin("4", "served-at-the-root", "The base address has no path.", {}, path_prefix="")
add_twin("4", "served-deep-below", "The base address has a long path.", {}, path_prefix="/a.b/~c/d-e_f/v1.0")


add_twin(
    "2.1",
    "completed-without-moment",
    "Requests complete at once, and the optional completedAt is absent.",
    {**LIMIT_NOT_MET, **NOT_IN_PROGRESS, "2.1-completedAt-value": UNDECIDED},
    on_request(without("completedAt")),
    alerts=("3-initial-state",),
    complete_after=0.0,
    source="2.1, table, row 5, Required",
)


class InUse(Service):
    """The account has requests that another client made."""

    held = 1

    def __init__(self, config: ReferenceConfig) -> None:
        super().__init__(config)
        for user in config.users:
            for number in range(self.held):
                made = self.now() - timedelta(days=1 + number)
                names = tuple(each.type for each in self.types)
                self.store.add(DataRequest(self.new_id(Call(Action.CREATE)), user.name, made, names))


@twin("8", SHORT_OF_THE_LIMIT, is_in_use=True, source="8, table, row 1")
class _AccountPartlyInUse(InUse):
    """The account has a request that another client made, and it counts."""


@twin("8", SHORT_OF_THE_LIMIT, source="8, table, row 1, Limit", of="has_room")
def limit_shared_by_users(service: Service, _fits: bool, existing: Iterable[DataRequest], *_: object) -> bool:
    """The limit applies to the organisation: the requests of all users count."""
    held = [each for each in existing if each.completed_at(service.now()) is None]
    return len(held) < service.config.max_requests


@twin("8", source="8, table, row 1")
class _LimitOfTheContract(Service):
    """The second user has a limit of 1, which the settings show this user, and everybody else those of all."""

    def settings(self, call: Call) -> Any:
        lower = {"maxNumberOfRequests": 1} if self.authenticate(call) == self.config.users[1] else {}
        return super().settings(call) | lower

    def has_room(self, existing: Iterable[DataRequest], request: DataRequest) -> bool:
        held = [each for each in existing if self.holds_place(each, request.owner)]
        return super().has_room(existing, request) and (not held or request.owner != self.config.users[1].name)


_NEEDS_A_REQUEST = ("2.1", "3", "4.1", "4.2", "4.3", "5.1", "5.3", "8")
_NO_REQUEST: Acceptable = {
    **LIMIT_NOT_MET,
    **{
        row.id: ("inconclusive", "not-applicable")
        for row in catalogue().rows.values()
        if row.clause in _NEEDS_A_REQUEST and row.level is not Level.OPEN and not row.untestable
    },
}
"""Requirements that cannot be tested if no request can be made."""

add_twin(
    "8",
    "limit-refused-with-a-time",
    "The refusal beyond the limit has Retry-After, which is only an estimate.",
    service=adding({"retry-after": "86400"}, lambda _reply, call: call.condition is ErrorCondition.LIMIT),
)
add_twin("8", "limit-of-seven", "Seven requests at a time.", max_requests=7)
add_twin(
    "8",
    "limit-of-none",
    "The organisation accepts no requests: the specification does not state the range of the limit.",
    _NO_REQUEST,
    max_requests=0,
)


@twin("8", _NO_REQUEST, is_in_use=True, source="8, table, row 1")
class _AccountFull(InUse):
    """Other clients use all of the account's places."""

    held = 3
