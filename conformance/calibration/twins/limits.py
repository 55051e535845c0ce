"""Twins with other limits, completions and clocks, some of which change in the run: clauses 2.2, 3, 4.5 and 8."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable
from dataclasses import replace
from datetime import timedelta
from typing import Any, Final

from conformance.calibration import sources
from conformance.calibration.operators import confirmed, on_request, with_a_contract, without
from conformance.calibration.twins.common import NOT_COMPLETED, ONE_PLACE, SHORT_OF_THE_LIMIT, adding
from conformance.calibration.variant import LIMIT_NOT_MET, Acceptable, Given, add_twin, twin, undecided
from conformance.model.target import Budget
from conformance.reference.call import Action, Call, ErrorCondition, Reply
from conformance.reference.config import DataType, ReferenceConfig, User
from conformance.reference.service import Service
from conformance.reference.store import DataRequest

add_twin("8", "limit-of-one", "One request at a time.", ONE_PLACE, max_requests=1)
add_twin(
    "3",
    "completes-at-once",
    "Creation completes a request, and reading shows it.",
    alerts=("3-initial-state",),
    complete_after=0.0,
)
add_twin(
    "4.2",
    "completes-at-once-and-is-gone",
    "Creation completes a request; reading it answers 404, deleting it works.",
    alerts=("3-initial-state",),
    complete_after=0.0,
    completed_readable=False,
)
add_twin(
    "3",
    "completes-after-a-moment",
    "Requests complete fifty milliseconds after their creation.",
    NOT_COMPLETED,
    complete_after=0.05,
)
add_twin(
    "4.2",
    "completes-after-a-moment-and-is-gone",
    "Requests complete after fifty milliseconds, and then reading them answers 404.",
    NOT_COMPLETED,
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
add_twin("2.1", "clock-four-minutes-slow", "The clock is four minutes slow.", clock_offset=-240.0)
add_twin("4", "served-at-the-root", "The base address has no path.", path_prefix="")
add_twin("4", "served-deep-below", "The base address has a long path.", path_prefix="/a.b/~c/d-e_f/v1.0")


add_twin(
    "2.1",
    "completed-without-moment",
    "Requests complete at once, and the optional completedAt is absent.",
    undecided("2.1-completedAt-value"),
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


@twin("8", SHORT_OF_THE_LIMIT, source="8, table, row 1, Limit", at="has_room")
def limit_shared_by_users(service: Service, existing: Iterable[DataRequest], _request: DataRequest) -> bool:
    """The limit applies to the organisation: the requests of all users count."""
    held = [each for each in existing if each.completed_at(service.now()) is None]
    return len(held) < service.config.max_requests


@twin("8", source="8, table, row 1", base=with_a_contract(), of="has_room")
def limit_of_the_contract(service: Service, fits: bool, existing: Iterable[DataRequest], request: DataRequest) -> bool:
    """The second user has a limit of 1, which the settings show this user, and everybody else those of all."""
    is_second = request.owner == service.config.users[1].name
    return fits and not (is_second and any(service.holds_place(each, request.owner) for each in existing))


_NO_REQUEST: Final = LIMIT_NOT_MET | undecided("2.1-*", "3-*", "4.1-*", "4.2-*", "4.3-*", "5.1-*", "5.3-*")
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


@twin("4.1", {"4.1-refused-creates-nothing": ("inconclusive",)}, source="4.5, paragraph 1")
def type_is_withdrawn_in_the_middle(service: Service, _call: Call) -> None:
    """The service removes a data type from the list in the middle of the run."""
    if service.turn("calls") == 160:
        _list(service, service.types[1:])


def _list(service: Service, types: tuple[DataType, ...]) -> None:
    """Change the data types that a service lists."""
    service.types, service.type_names = types, frozenset(each.type for each in types)


_OF_THE_LIMIT: Final = undecided(
    "3-frees-the-limit*",
    "4.1-creates-in-parallel",
    "4.1-refused-creates-nothing",
    "8-accepts-up-to-limit",
    "8-limit-enforced*",
)
_LATE: Final = 400
"""Calls after which the limit changes: it is met and tested by then."""


def _allow(service: Service, limit: int) -> None:
    service.config = replace(service.config, max_requests=limit)


@twin("8", _OF_THE_LIMIT, source="8, table, row 1")
def limit_lowered_late_in_the_run(service: Service, _call: Call) -> None:
    """The organisation allows one request in place of three; the settings show it from then on."""
    if service.turn("calls") == _LATE:
        _allow(service, 1)


@twin("8", _OF_THE_LIMIT, source="2.3, table, row 3, Meaning")
def limit_raised_late_in_the_run(service: Service, _call: Call) -> None:
    """The organisation allows five requests in place of three; the settings show it from then on."""
    if service.turn("calls") == _LATE:
        _allow(service, 5)


@twin("8", LIMIT_NOT_MET, max_requests=3, source="8, table, row 1", at="new_request")
def limit_raised_in_the_course_of_the_run(service: Service, *_: object) -> None:
    """The organisation raises the limit from three to five during the run, and the settings show it."""
    if service.turn("creations") == 20:
        _allow(service, 5)


@twin("4.5", undecided("4.5-supported-languages"), source="2.3, table, row 9, Meaning, sentence 1")
def language_withdrawn_during_the_run(service: Service, _call: Call) -> None:
    """The organisation withdraws its last language; the settings do not list it from then on."""
    if service.turn("calls") == 131:
        service.config = replace(service.config, languages=service.config.languages[:-1])


@twin("2.2", undecided("4.1-creates-in-parallel", "8-*-in-parallel"), source="2.2, table, row 1, Meaning")
def type_renamed_early_in_the_run(service: Service, _call: Call) -> None:
    """The organisation renames its first data type: GET /data lists the new name, and the old one is unknown."""
    if service.turn("calls") == 41:
        first, *others = service.types
        _list(service, (replace(first, type=f"{first.type}-2026"), *others))


@twin("4.2", complete_after=0.0, source="3, paragraph 2", of="document")
def state_is_shown_when_read_only(_service: Service, document: Any, _request: DataRequest, call: Call) -> Any:
    """Creation shows every request in progress; reading shows it completed a moment later."""
    if call.operation is Action.CREATE:
        document["isCompleted"] = False
        del document["completedAt"]
    return document


_PAUSE = 0.01
"""Seconds that a database takes between two statements."""


@twin("3", source=sources.POSTGRESQL_COMMIT, at="delete")
async def every_deletion_of_several_is_confirmed(service: Service, call: Call) -> Reply:
    """Each simultaneous deletion that found the request answers OK, even if another one removed it first."""
    request = service.find(call)
    await asyncio.sleep(_PAUSE)
    service.remove(request)
    return confirmed()


@twin("3", source=sources.KUBERNETES_FINALIZERS, at="delete")
async def read_until_the_deletion_is_done(service: Service, call: Call) -> None:
    """A deletion takes time, and until its end readings show the request unchanged."""
    service.find(call)
    await asyncio.sleep(_PAUSE)


@twin("3", source=sources.KUBERNETES_FINALIZERS, of="delete")
async def hidden_while_being_deleted(_service: Service, reply: Reply, _call: Call) -> Reply:
    """A deletion hides the request at once, and answers when all its parts are removed."""
    await asyncio.sleep(_PAUSE)
    return reply


_COMMAND: Final = (Given.COMPLETE_COMMAND,)
_UNSHOWN: Acceptable = {"2.1-completedAt-value": ("not-applicable",)}


@twin("3", given=_COMMAND, source="3, paragraph 2")
class _CompletedByTheOrganisation(Service):
    """Requests complete only when the organisation completes them."""


@twin("4.2", _UNSHOWN, given=_COMMAND, completed_readable=False, source="4.2, paragraph 1")
class _CompletedByTheOrganisationAndGone(Service):
    """A request that the organisation has completed can only be deleted, not read."""


@twin("2.1", _UNSHOWN, given=_COMMAND, source="2.1, table, row 5, Required", of="document")
def completed_at_an_unknown_time(_service: Service, shown: Any, *_: object) -> Any:
    """A completed request has no completedAt: the field is optional."""
    return {name: value for name, value in shown.items() if name != "completedAt"}


@twin("5", given=_COMMAND, alerts=("5-isolation",), source="5, item 1", at="read")
def completed_requests_are_shared(service: Service, call: Call) -> Reply | None:
    """What is completed may be read by every user who has the link."""
    request = service.store.get(call.request_id)
    if request is not None and call.user is not None and request.completed_at(service.now()):
        call.user = User(request.owner, call.user.token)
    return None


add_twin(
    "8",
    "account-full-before-its-reset",
    "Requests of an earlier day use all of the account's places, until the tester's command removes them.",
    service=type("_Full", (InUse,), {"held": 3}),
    given=(Given.RESET_COMMAND,),
)
add_twin(
    "8",
    "limit-of-seventy",
    "Seventy requests at a time, with a budget of creations that suffices.",
    max_requests=70,
    run={"budget": Budget(max_created=380)},
)
add_twin(
    "3",
    "completes-while-the-run-waits",
    "A request completes a second after its creation, and the run waits for it.",
    complete_after=1.0,
    run={"budget": Budget(await_completion=2.0)},
)
