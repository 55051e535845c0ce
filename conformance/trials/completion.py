"""Requests that are completed: whether this target completes any, and a second trial of the limit with them (3, 8)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from math import inf
from typing import Final

from conformance.client.user import UserClient, accepted, is_limit_refusal
from conformance.courses import course
from conformance.model.errors import not_applicable
from conformance.model.exchange import Exchange, Operation, is_missing, request_id_of, state_of
from conformance.model.identity import Created
from conformance.trials.budget import within_budget
from conformance.trials.late import early_request_id
from conformance.trials.limit import places

A_MOMENT: Final = 0.15
"""Seconds after which one request is looked at once more, where none of the run was seen completed."""

LONG_ENOUGH: Final = 1.0
"""Seconds after which one that is still in progress makes that unnecessary."""

SOME: Final = 3
"""Requests of which one is to be seen completed."""

PAUSES: Final = (0.05, 0.1, 0.2, 0.4, 0.8)
"""Seconds between the readings of a request that may be completed soon, as others of the run were."""


def completed_request(service: UserClient) -> Created:
    """Return a request that is completed; raise not-applicable where none is, not even a moment later."""
    return completed_requests(service)[0]


def completed_requests(service: UserClient) -> list[Created]:
    """Return a request that is completed, and those that were made with it; raise as `completed_request` does."""
    created, read = service.created_and_read()
    at_once = created.completed or state_of(read) is True
    if at_once or completes_some(service):
        # Not every request need be completed as soon as another one was.
        made = service.session.side_by_side([service.create] * min(SOME, places(service)))
        completed = _first_completed(service, made, pauses=(0.0,) if at_once else PAUSES)
        if completed is not None:
            return [completed, *(one for one in made if one is not completed)]
    raise not_applicable("none-completes", "No request of the run is completed.", read)


def completes_some(service: UserClient) -> bool:
    """Tell whether the run saw a request completed, one that was left alone for a moment among them."""
    return left_alone.prepare(service)() or _has_seen_some(service)


@course(3)
def left_alone(service: UserClient) -> Callable[[], bool]:
    """Looks at a request a moment after its creation, where none was seen completed, or in progress for long."""
    unneeded = _has_seen_some(service) or _oldest_in_progress(service) >= LONG_ENOUGH

    def ask() -> bool:
        if unneeded:
            return False
        created = service.create()
        completed = _first_completed(service, [created], pauses=(A_MOMENT,)) is not None
        service.session.remove(created.request_id)
        return completed

    return partial(service.once, "completion of what is left alone", ask)


def _has_seen_some(service: UserClient) -> bool:
    seen = service.record.answered(Operation.CREATE, 200) + service.record.answered(Operation.READ, 200)
    early = early_request_id(service)  # it is completed late, and tells nothing of those that live shortly
    return any(state_of(each) for each in seen if each.operation is Operation.CREATE or request_id_of(each) != early)


def _oldest_in_progress(service: UserClient) -> float:
    """Return after how many seconds at most a request of the run was still read in progress; 0 if none was."""
    made: dict[str, float] = {}
    for creation in service.record.answered(Operation.CREATE, 200):
        if (created := service.created_if_possible(creation)) is not None:
            made[created.request_id] = creation.started.timestamp() + creation.seconds
    readings = [read for read in service.record.answered(Operation.READ, 200) if state_of(read) is False]
    return max((read.started.timestamp() - made.get(request_id_of(read), inf) for read in readings), default=0.0)


def _first_completed(service: UserClient, some: Sequence[Created], *, pauses: Sequence[float]) -> Created | None:
    """Return the first of some requests that is seen completed, at its creation or after one of some pauses (s)."""
    for created in some:
        if created.completed:
            return created
    for pause in pauses:
        service.session.clock.sleep(pause)
        for created in some:
            if state_of(service.read(created.request_id)):
                return created
    return None


@dataclass
class AllCompleted:
    """What happened when the user had filled up to the limit, and everything held had been completed since."""

    reads: list[Exchange]
    """A reading of each request held, all of which show it completed, or gone where creation did."""
    later: list[Exchange]
    """Creations asked for then, all of them refused because of the limit."""
    deleted: Exchange
    """The deletion of the oldest."""
    again: Exchange
    """The creation right after that deletion."""


def refused_with_all_completed(service: UserClient) -> AllCompleted | None:
    """Fill up, wait until all of it is completed, and ask for more; None where the limit is not in the way then."""
    limit = service.limit()
    times = service.repeats // 3
    within_budget(service, limit + times + 2, "Meeting the limit again", rest=0)
    held, full = _fill(service, limit)
    if not full or not held or _first_completed(service, held[-1:], pauses=PAUSES) is None:
        return None
    reads = [service.read(created.request_id) for created in held]
    later = [service.post(_types(service), limit="reached") for _ in range(times)]
    # What creation said of one that cannot be read holds until something says otherwise.
    done = [state_of(read) or (one.completed and is_missing(read)) for one, read in zip(held, reads, strict=True)]
    if not all(done) or not all(map(is_limit_refusal, later)):
        return None
    deleted = service.delete(held[0].request_id)
    return AllCompleted(reads, later, deleted, service.post(_types(service), limit="freed"))


def _fill(service: UserClient, limit: int) -> tuple[list[Created], bool]:
    """Return what was accepted of one more than the limit, and whether the last was refused because of it."""
    held: list[Created] = []
    while len(held) <= limit:
        exchange = service.post(_types(service), limit="reached")
        if not accepted(exchange):
            return held, is_limit_refusal(exchange)
        held.append(service.created(exchange))
    return held, False


def _types(service: UserClient) -> list[str] | None:
    return service.first_types(1)
