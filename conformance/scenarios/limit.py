"""The limit scenario: create up to the limit, be refused, free one place, and fill it again (3, 7, 8)."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import replace
from functools import partial
from itertools import cycle
from typing import Final

from conformance.client.user import UserClient, accepted, is_limit_refusal
from conformance.model.errors import NotDecided, answer_of
from conformance.model.exchange import Exchange
from conformance.model.identity import OTHER_USER, USER, USER_BROWSING, USER_CLOSING, Created, Identity
from conformance.rules.limit import limit_so_far
from conformance.rules.server_errors import found_nothing_again
from conformance.scenarios.budget import within_budget
from conformance.scenarios.limit_result import LimitResult
from conformance.scenarios.registry import scenario

_BEYOND: Final = 3
"""Creations at the limit: with those of other scenarios they are enough to find one fault in twenty."""
_APART: Final = 6
"""Number of first creations with their own connection, so that they reach several processes of the service."""


@scenario(calls=60)
def limit(service: UserClient) -> LimitResult:
    """The limit of one user; raises NotDecided if the run cannot reach it."""
    number = service.limit()
    result = LimitResult(number)
    types = service.first_types(1)
    if number <= 0:
        _one_more(service, result, types)
        if result.refused is None:
            _read_all(service, result)
            read_the_limit(service, USER)
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
        _one_more(service, result, types and service.last_type())
    _read_all(service, result)
    if result.refused is None or len(result.held) < result.limit:
        read_the_limit(service, USER)
    if result.refused is not None and result.held:
        _go_on(service, result, types)
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


def _one_more(service: UserClient, result: LimitResult, types: list[str] | None) -> None:
    exchange = service.post(types, USER_CLOSING if len(result.held) <= _APART else USER)
    if accepted(exchange):
        _hold(service, result, service.created(exchange))
    elif is_limit_refusal(exchange) or len(result.held) >= result.limit:
        result.refused = exchange
    else:
        service.created(exchange)


def _hold(service: UserClient, result: LimitResult, made: Created) -> None:
    """Add a request; if it is the first that stays in progress, delete the completed ones before it."""
    if not made.completed and result.held and all(one.completed for one in result.held):
        for one in result.held:
            service.session.remove(one.request_id)
        result.held.clear()
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
    _hold(service, result, service.created(created))


def _refill(
    service: UserClient, result: LimitResult, types: list[str] | None, gone: Created, *, last: bool = False
) -> Exchange:
    """Create right after a deletion and read the deleted request meanwhile; if `last`, the creation starts after it."""
    create = partial(service.post, types, USER_CLOSING)
    # Known before both: the creation may give the same identifier again. Read as before: a cache may keep that.
    caller = result.read_by.get(gone.request_id, USER)
    read = partial(service.read, gone.request_id, caller, request=service.known_as(gone.request_id))
    answers = service.session.parallel([read, create] if last else [create, read])
    result.undeleted.append(answers[0 if last else 1])
    return answers[1 if last else 0]


def _read_all(service: UserClient, result: LimitResult) -> None:
    readings = [partial(service.read, created.request_id) for created in result.held]
    result.reads = service.session.parallel(readings)
    if result.refused is not None and not limit_so_far(service).ledger.unread(result.reads):
        # A request that no reading finds may be completed: the request of the other user would take its place.
        keep_early_request(service, OTHER_USER)
    # In one language after another, without asking for JSON: the answer is the same.
    callers = [replace(USER_BROWSING, language=each) for each in [*service.tags(), ""]]
    result.read_by = {one.request_id: caller for one, caller in zip(result.held, cycle(callers), strict=False)}
    otherwise = [partial(service.read, one, caller) for one, caller in result.read_by.items()]
    early = service.session.results.early_creation
    if early is not None and early.request.credential == OTHER_USER.label:
        # With those of the user it shows whether each user has a limit of his own.
        otherwise.append(partial(service.read, service.created(early).request_id, OTHER_USER))
    # A service that counts deletions must not count one that finds nothing.
    nothing = partial(service.delete, service.some_uuid(), USER_BROWSING)
    again = service.session.parallel([*otherwise, nothing])
    result.reads += again[: len(result.read_by)]


def _go_on(service: UserClient, result: LimitResult, types: list[str] | None) -> None:
    times = _BEYOND * service.session.target.budget.times
    # For one type, two, and all, in one language after another: each is one more.
    asked = [(types, USER_BROWSING), (service.more_types(2), USER), *[(types, USER)] * (times - 2), (None, USER)]
    languages = cycle([*service.tags(), ""])
    again = [
        partial(service.post, listed, replace(caller, language=next(languages), closes=True))
        for listed, caller in asked
    ]
    # One after another: a process that accepts a connection often accepts waiting ones as well.
    result.later = service.session.parallel(again, at_most=1)
    extra = [service.created(exchange) for exchange in result.later if accepted(exchange)]
    if extra:
        result.held += extra
        _read_all(service, result)
        read_the_limit(service, USER)
        return
    # A service may reopen a completed request when there is room: it was completed at the readings, but perhaps not
    # later.
    once_more = [partial(service.read, created.request_id) for created in completed_of(service, result)]
    result.reads += service.session.parallel(once_more)
    doomed = (completed_of(service, result) or result.held)[-1]
    result.deleted = service.delete(doomed.request_id)
    result.after_deletion = _refill(service, result, types, doomed)


def completed_of(service: UserClient, found: LimitResult) -> list[Created]:
    """Return the requests that are completed, as far as the run has seen."""
    ledger = limit_so_far(service).ledger
    lives = ((one, ledger.life(one.request_id)) for one in found.held)
    return [one for one, life in lives if life is not None and life.is_completed]


def read_the_limit(service: UserClient, caller: Identity) -> None:
    """Read the settings once more, without and with the token of a user, who may have a limit of his own."""
    with suppress(NotDecided):
        service.settings_now()
    service.settings(caller, offered=True)


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
