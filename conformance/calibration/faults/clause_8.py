"""Faults of clause 8: the limit, and counters kept apart from the requests."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable
from typing import Any, Final

from conformance.calibration import sources
from conformance.calibration.faults.common import LIMIT_REACHED, limited
from conformance.calibration.operators import answering, problem, with_a_contract
from conformance.calibration.variant import Given, add_fault, fault
from conformance.model.target import Budget
from conformance.reference.call import Call, ErrorCondition, RefusedError, Reply
from conformance.reference.service import Service
from conformance.reference.store import DataRequest

_ENFORCED = "8-limit-enforced"
_PARALLEL = "8-limit-enforced-in-parallel"
_UP_TO = "8-accepts-up-to-limit"


for _name, _summary, _service in (
    ("no-limit", "The service publishes the limit and does not enforce it.", limited(lambda _held, _limit: True)),
    (
        "one-beyond-the-limit",
        "The service compares with <= instead of <: it accepts one request too many.",
        limited(lambda held, limit: held <= limit),
    ),
):
    add_fault(_ENFORCED, _name, _summary, _service, consequences=(_PARALLEL, *LIMIT_REACHED))
add_fault(
    _ENFORCED,
    "limit-of-zero-taken-for-none",
    "maxNumberOfRequests was never set and is published as 0, which the code treats as no limit.",
    limited(lambda _held, _limit: True),
    consequences=(_PARALLEL, *LIMIT_REACHED),
    max_requests=0,
)
add_fault(
    _ENFORCED,
    "lower-limit-of-the-other-user-not-enforced",
    "The settings show a user with another contract a limit of 1; all have the limit of the organisation.",
    with_a_contract(),
    consequences=(_PARALLEL, *LIMIT_REACHED),
)


@fault(_UP_TO, *LIMIT_REACHED, by=limited)
def one_short_of_the_limit(held: int, limit: int) -> bool:
    """The limit is one too low."""
    return held < limit - 1


@fault(_ENFORCED, _PARALLEL, source=sources.REDIS_EVICTION, of="has_room")
def limit_forgotten_now_and_then(service: Service, fits: bool, *_: object) -> bool:
    """The count comes from a cache, which is empty now and then."""
    return fits or service.turn("beyond") % 4 == 1


@fault(_PARALLEL, source=sources.POSTGRESQL_COMMIT, at="admit")
async def limit_race_of_a_moment(service: Service, types: tuple[str, ...], call: Call) -> DataRequest:
    """Counting and inserting are two statements without a transaction, three milliseconds apart."""
    request = service.new_request(types, call)
    if not service.has_room(service.store.all(), request):
        raise RefusedError(ErrorCondition.LIMIT)
    await asyncio.sleep(0.003)
    service.store.add(request)
    return request


@fault(_PARALLEL, source="4.1, item 2", at="admit")
async def creations_without_a_body_are_not_locked(
    service: Service, types: tuple[str, ...], call: Call
) -> DataRequest | None:
    """A creation without a body is a function of its own, which has no transaction."""
    return None if call.body else await limit_race_of_a_moment(service, types, call)


@fault(_PARALLEL, source="8, table, row 1, Limit", at="admit")
async def locks_by_types(service: Service, types: tuple[str, ...], call: Call) -> DataRequest:
    """Only creations for the same types wait for one another; others use the same count at the same time."""
    request = service.new_request(types, call)
    while types in service.kept:
        await asyncio.sleep(0.01)
    service.kept[types] = request
    try:
        room = service.has_room(service.store.all(), request)
        await asyncio.sleep(0.05)
        if not room:
            raise RefusedError(ErrorCondition.LIMIT)
        service.store.add(request)
    finally:
        del service.kept[types]
    return request


@fault(_UP_TO, at="has_room")
def limit_counts_types(service: Service, existing: Iterable[DataRequest], request: DataRequest) -> bool:
    """The query that counts joins the table of types: a request counts once for each of its types."""
    counted = sum(len(each.types) for each in existing if service.holds_place(each, request.owner))
    return counted < service.config.max_requests


@fault(_UP_TO, source="2.3, table, row 3, Meaning", of="settings")
def published_limit_is_higher(service: Service, settings: Any, _call: Call) -> Any:
    """The settings publish the limit of the next contract."""
    return settings | {"maxNumberOfRequests": service.config.max_requests + 2}


_ALL_COUNT: Final = answering(lambda _service, request, owner: request.owner == owner, "holds_place")
"""Counts every stored request against the limit, completed ones included."""
_options: dict[str, Any]
for _name, _summary, _options in (
    (
        "completed-count",
        "The limit counts all rows, including completed requests.",
        {"complete_after": 0.0, "consequences": (_UP_TO,)},
    ),
    (
        "completed-count-later",
        "The limit counts all rows, and requests complete shortly after their creation.",
        {"complete_after": 0.1},
    ),
    (
        "completed-late-still-count",
        "All stored requests count, including those that completed after a second.",
        {"complete_after": 1.0, "run": {"budget": Budget(await_completion=2.0)}},
    ),
    (
        "completed-by-the-organisation-counts",
        "The limit counts every request that is stored.",
        {"given": (Given.COMPLETE_COMMAND,)},
    ),
):
    add_fault("8-completed-do-not-count", _name, _summary, _ALL_COUNT, source="8, table, row 1, Limit", **_options)


@fault(_ENFORCED, _PARALLEL, source="4.1, item 2", of="holds_place")
def all_types_take_no_place(service: Service, counts: bool, request: DataRequest, _owner: str) -> bool:
    """Requests without a list are stored in another table, which does not count."""
    return counts and len(request.types) < len(service.types)


_NOTHING = "4.1-refused-creates-nothing"
_PLACES = (_UP_TO, "3-frees-the-limit")


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
    "8-*",
    "3-frees-the-limit-in-parallel",
    *LIMIT_REACHED,
    source="3, table 2, row 1, Also",
    base=_Counter,
    at="delete",
)
async def counter_lowered_by_every_deletion(service: _Counter, call: Call) -> Reply:
    """Every deletion lowers the counter, including one that finds nothing."""
    try:
        return await Service.delete(service, call)
    except RefusedError:
        service.taken -= 1
        raise


@fault(_NOTHING, *_PLACES, "8-completed-do-not-count", source=sources.REDIS_INCR, base=_Counter, at="admit")
async def counter_raised_by_refusals(service: _Counter, types: tuple[str, ...], call: Call) -> DataRequest:
    """The service raises the counter before it compares it, and does not lower it when it refuses the creation."""
    try:
        return await _Counter.admit(service, types, call)
    except RefusedError:
        service.taken += 1
        raise


@fault(_UP_TO, *LIMIT_REACHED, "3-frees-the-limit", source=sources.NGINX_RETRIES, of="admit")
def creation_makes_two(service: Service, made: DataRequest, types: tuple[str, ...], call: Call) -> DataRequest:
    """A gateway repeats slow calls: each creation makes a second request, which no answer shows."""
    service.store.add(service.new_request(types, call))
    return made


@fault(
    "2.1-requestId-unique",
    _ENFORCED,
    _PARALLEL,
    *LIMIT_REACHED,
    "3-removed",
    "4.3-answers-ok",
    "3-deletes-no-other",
    source="4.1, paragraph 1",
    at="admit",
)
def same_types_give_the_request_there_is(service: Service, types: tuple[str, ...], call: Call) -> DataRequest | None:
    """The service takes a creation for the same types for a repetition and returns the existing request."""
    return next((each for each in service.store.of(call.owner) if each.types == types), None)


@fault(_ENFORCED, _PARALLEL, *LIMIT_REACHED, source=sources.MONGODB_SECONDARIES)
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


@fault("7-limit-reached", source=sources.TOO_MANY_REQUESTS, at="refuse")
def too_many_requests_at_the_limit(_service: Service, condition: ErrorCondition, _call: Call) -> Reply | None:
    """The limit is enforced by the rate limiter, which answers 429 in place of the 400."""
    refused = problem(429, "TooManyRequests", "Try again later.")
    return refused if condition is ErrorCondition.LIMIT else None
