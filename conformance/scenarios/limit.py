"""The limit scenario: create up to the limit, be refused, free one place, and fill it again (3, 7, 8)."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from itertools import cycle
from typing import Final

from conformance.client.user import UserClient, accepted, is_limit_refusal
from conformance.model.errors import NotDecided, answer_of
from conformance.model.exchange import Exchange
from conformance.model.identity import OTHER_USER, USER, USER_BROWSING, USER_CLOSING, Created, Identity
from conformance.model.requirements import catalogue
from conformance.rules.server_errors import found_nothing_again
from conformance.scenarios.budget import within_budget
from conformance.scenarios.limit_result import LimitResult
from conformance.scenarios.registry import scenario
from conformance.scenarios.retries import RETRY_LATER

_ABOUT_PLACES: Final = ("2.1", "3", "4.1", "4.3", "8")
"""Clauses on which it depends how many places of the limit are taken, and whether a request can be deleted."""

_BEYOND: Final = 3
"""Creations at the limit: with those of other scenarios they are enough to find one fault in twenty."""
_MOST_DROPPED: Final = 4
"""Requests that are completed at once and deleted, for each place of the limit."""
_MOST_AGAIN: Final = 8
"""Further creations at the limit of a service where some requests complete at once."""
_APART: Final = 6
"""Number of first creations with their own connection, so that they reach several processes of the service."""


def places(service: UserClient) -> int:
    """Return how many requests are possible at a time: 1 after answers to retry later, or if a place may stay taken."""
    found = limit.so_far(service)
    waits = any(each.error in RETRY_LATER for each in service.record.exchanges) or service.session.journal.beyond_reach
    unsound = any(catalogue().rows[one].clause in _ABOUT_PLACES for one in service.session.broken)
    if waits or unsound or found is None:
        return 1
    early = service.session.results.early_creation
    number = max(1, min(len(found.held), found.limit))
    if early is None or early.request.credential != USER.label:
        return number
    return max(1, number - (service.created(early).request_id in service.session.kept))


@scenario(calls=60)
def limit(service: UserClient) -> LimitResult:
    """The limit of one user; raises NotDecided if the run cannot reach it."""
    number = service.limit()
    result = LimitResult(number)
    types = service.first_types(1)
    if number <= 0:
        _one_more(service, result, types, limit="reached")
        if result.refused is None:
            _read_all(service, result)
        return result
    within_budget(service, number + 5, f"Reaching the limit of {number}", rest=0)
    _begin(service, result)
    _fill_up(service, result)
    types = service.lasting_types()
    for place in (0, -1):
        if result.refused is None:
            _replace(service, result, types, place)
    if result.refused is None:
        # For another type than the newest, so that a refused creation cannot replace it unnoticed.
        _one_more(service, result, types and service.last_type(), limit="reached")
    _read_all(service, result)
    if result.refused is not None and result.held:
        # A request that no reading finds may be completed: the request of the other user would take its place.
        found_all = not result.unread
        if found_all:
            keep_early_request(service, OTHER_USER)
        _go_on(service, result, types)
        if not found_all:
            keep_early_request(service, OTHER_USER)
    return result


def _begin(service: UserClient, result: LimitResult) -> None:
    """Create the first request; if it is completed at once, find out whether a request for all types is not."""
    _one_more(service, result, service.last_type() if result.limit > 1 else service.first_types(1))
    if not result.held or not result.held[0].completed:
        return
    whole = service.created_if_possible(service.post(None, USER_CLOSING))
    if whole is None:
        return
    if not whole.completed:
        service.session.results.lasting = "all"
        service.session.remove(result.held.pop().request_id)
        result.held.append(whole)
    else:
        service.session.remove(whole.request_id)


def _fill_up(service: UserClient, result: LimitResult) -> None:
    """Create up to the limit, or until a creation is refused for it."""
    while len(result.held) < result.limit and result.refused is None:
        # Oldest and newest are for another type than the rest: one of them is deleted, the other is read later.
        other = result.limit > 1 and len(result.held) in (0, result.limit - 1)
        types = service.lasting_types()
        _one_more(service, result, types and service.last_type() if other else types)


def _one_more(service: UserClient, result: LimitResult, types: list[str] | None, limit: str | None = None) -> None:
    exchange = service.post(types, USER_CLOSING if len(result.held) <= _APART else USER, limit=limit)
    if accepted(exchange):
        made = service.created(exchange)
        if made.completed and _drop(service, result, made):
            _one_more(service, result, types if limit else service.lasting_types(), limit)
        else:
            _hold(service, result, made)
    elif is_limit_refusal(exchange) or len(result.held) >= result.limit:
        result.refused = exchange
    else:
        service.created(exchange)


def _drop(service: UserClient, result: LimitResult, made: Created) -> bool:
    """Delete a request that was completed at once while others stay in progress: it takes no place.

    Return False where none does, or where too many were deleted.
    """
    if all(one.completed for one in result.held) or result.dropped >= _MOST_DROPPED * (result.limit + 1):
        return False
    result.dropped += 1
    service.session.remove(made.request_id)
    if made.document.get("dataRequested") == service.first_types(1):
        service.session.results.lasting = "last"  # with it the run began
    return True


def _hold(service: UserClient, result: LimitResult, made: Created) -> None:
    """Add a request; if it is the first that stays in progress, delete the completed ones before it."""
    if not made.completed and result.held and all(one.completed for one in result.held):
        for one in result.held:
            service.session.remove(one.request_id)
        result.held.clear()
    result.shared |= made.request_id in {one.request_id for one in result.held}
    result.held.append(made)


def _replace(service: UserClient, result: LimitResult, types: list[str] | None, place: int) -> None:
    """At the limit, delete one request and create another, before any refusal."""
    doomed = result.held[place]
    deleted = service.delete(doomed.request_id)
    if not found_nothing_again(deleted):
        answer_of(deleted)  # without an answer, the number of requests is unknown
        if not accepted(deleted):
            return
    # The creation follows right after the deletion, and once right before the one too many.
    created = _refill(service, result, types, doomed, last=place != 0)
    result.replacements.append((deleted, created))
    del result.held[place]
    if not accepted(created):
        result.refused = created
        return
    made = service.created(created)
    if made.completed and _drop(service, result, made):
        _one_more(service, result, types)
    else:
        _hold(service, result, made)


def _refill(
    service: UserClient, result: LimitResult, types: list[str] | None, gone: Created, *, last: bool = False
) -> Exchange:
    """Create right after a deletion and read the deleted request meanwhile; if `last`, the creation starts after it."""
    create = partial(service.post, types, USER_CLOSING, limit="freed")
    # Known before both: the creation may give the same identifier again. Read as before: a cache may keep that.
    caller = result.read_by.get(gone.request_id, USER)
    read = partial(service.read, gone.request_id, caller, request=service.known_as(gone.request_id))
    answers = service.session.parallel([read, create] if last else [create, read])
    result.undeleted.append(answers[0 if last else 1])
    return answers[1 if last else 0]


def _read_all(service: UserClient, result: LimitResult) -> None:
    readings = [partial(service.read, created.request_id) for created in result.held]
    result.reads = service.session.parallel(readings)
    # In one language after another, without asking for JSON: the answer is the same.
    callers = [replace(USER_BROWSING, language=each) for each in [*service.tags(), ""]]
    result.read_by = {one.request_id: caller for one, caller in zip(result.held, cycle(callers), strict=False)}
    otherwise = [partial(service.read, one, caller) for one, caller in result.read_by.items()]
    # A service that counts deletions must not count one that finds nothing.
    nothing = partial(service.delete, service.some_uuid(), USER_BROWSING)
    again = service.session.parallel([*otherwise, nothing])
    result.reads += again[:-1]


def _go_on(service: UserClient, result: LimitResult, types: list[str] | None) -> None:
    times = _BEYOND * service.session.target.budget.times
    # For one type, two, and all, in one language after another: each is one more.
    asked = [(types, USER_BROWSING), (service.more_types(2), USER), *[(types, USER)] * (times - 2), (None, USER)]
    # Where some requests complete at once, many of these take no place and show nothing.
    asked += [(types, USER)] * min(result.dropped, _MOST_AGAIN)
    languages = cycle([*service.tags(), ""])
    again = [
        partial(service.post, listed, replace(caller, language=next(languages), closes=True), limit="reached")
        for listed, caller in asked
    ]
    # One after another: a process that accepts a connection often accepts waiting ones as well.
    result.later = service.session.parallel(again, at_most=1)
    extra = [service.created(exchange) for exchange in result.later if accepted(exchange)]
    passing = [one for one in extra if one.completed and result.in_progress]
    for one in passing:
        service.session.remove(one.request_id)
        result.later.remove(one.exchange)
        extra.remove(one)
    if extra:
        result.held += extra
        _read_all(service, result)
        return
    # A service may reopen a completed request when there is room: it was completed at the readings, but perhaps not
    # later.
    once_more = [partial(service.read, created.request_id) for created in result.stay_completed]
    result.reads += service.session.parallel(once_more)
    doomed = (result.stay_completed or result.held)[-1]
    result.freed_was_completed = doomed in result.stay_completed
    result.deleted = service.delete(doomed.request_id)
    result.after_deletion = _refill(service, result, types, doomed)
    if is_limit_refusal(result.after_deletion):
        _try_without_another(service, result, types)


def _try_without_another(service: UserClient, result: LimitResult, types: list[str] | None) -> None:
    """Create and replace a request without that of the other user: if users share the limit, it took the place."""
    early = service.session.results.early_creation
    if early is None or early.request.credential != OTHER_USER.label:
        return
    service.session.results.early_creation = None
    service.session.remove(service.created(early).request_id)
    made = service.created_if_possible(service.post(types, USER_CLOSING))
    if made is not None:
        deleted = service.delete(made.request_id)
        again = service.post(types, USER_CLOSING, limit="freed")
        if accepted(deleted) and is_limit_refusal(again):
            result.replacements.append((deleted, again))
        result.taken_by_another = accepted(again)


def keep_early_request(service: UserClient, caller: Identity) -> None:
    """Create a request for the end of the run, unless there is one or its creation is refused."""
    results = service.session.results
    if results.early_creation is not None or caller.label not in service.session.credentials:
        return
    try:
        creation = service.post(service.first_types(1), caller)
    except NotDecided:
        return
    if (made := service.created_if_possible(creation)) is not None:
        results.early_creation = creation
        service.session.kept.add(made.request_id)
