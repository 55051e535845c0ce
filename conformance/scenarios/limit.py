"""The limit scenario: create up to the limit, be refused, free one place, and fill it again (3, 7, 8)."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import partial
from itertools import cycle
from typing import Final

from conformance.client.user import UserClient, accepted, is_limit_refusal
from conformance.model.confirmations import PERHAPS_NOT_EMPTY
from conformance.model.date_time import is_date_time, parse_date_time
from conformance.model.errors import NotDecided, RequirementViolated, answer_of, not_applicable
from conformance.model.exchange import ErrorKind, Exchange, request_id_of, state_of
from conformance.model.formats import is_uuid
from conformance.model.identity import OTHER_USER, USER, USER_BROWSING, USER_CLOSING, Created, Identity
from conformance.model.probe import must_answer
from conformance.model.target import FARTHEST
from conformance.model.text import count
from conformance.model.verdict import Blame
from conformance.rules.statuses import MISSING
from conformance.scenarios.registry import scenario

LONGEST_COMPLETION: Final = 2.0
"""Seconds to wait for requests to complete, if the service announces their completion by then."""

_BEYOND: Final = 3
"""Creations at the limit: with those of other scenarios they are enough to find one fault in twenty."""
_APART: Final = 6
"""Number of first creations with their own connection, so that they reach several processes of the service."""


STAY_IN_PROGRESS: Final = (
    "Configure the service so that requests stay in progress during the run, or so that completed requests can be "
    "read, then run again."
)


@dataclass
class LimitResult:
    """The calls of one user who creates up to the limit, replaces one request, and tries more."""

    limit: int
    held: list[Created] = field(default_factory=list)
    replacements: list[tuple[Exchange, Exchange]] = field(default_factory=list)
    """Deletions at the limit, before any refusal: of the oldest and the newest, each with the creation after it."""
    undeleted: list[Exchange] = field(default_factory=list)
    """Readings of the requests that were deleted, after their deletion: 404 if the deletion worked."""
    refused: Exchange | None = None
    """The first refusal, or None if one more than the limit was accepted."""
    reads: list[Exchange] = field(default_factory=list)
    """Two readings of every request, right after `refused`, or after one more than the limit was accepted."""
    later: list[Exchange] = field(default_factory=list)
    """Creations after the readings, with the same requests; empty if there was no first refusal."""
    deleted: Exchange | None = None
    """A deletion after the refusals: of a completed request if there is one."""
    freed_was_completed: bool = False
    after_deletion: Exchange | None = None
    """The creation right after that deletion."""

    @property
    def completed(self) -> list[Created]:
        """The requests that a creation or a reading showed as completed."""
        seen = {request_id_of(read) for read in self.reads if state_of(read) is True}
        return [one for one in self.held if one.completed or one.request_id in seen]

    @property
    def stay_completed(self) -> list[Created]:
        """The completed requests that nothing showed in progress later: the service may reopen a request."""
        again = {request_id_of(read) for read in self.in_progress}
        return [one for one in self.completed if one.request_id not in again]

    @property
    def unread(self) -> list[Exchange]:
        """Readings that found nothing although nothing had shown the request as completed."""
        completed = {one.request_id for one in self.completed}
        missing = [read for read in self.reads if read.response is not None and read.response.status in MISSING]
        return [read for read in missing if is_uuid(request_id_of(read)) and request_id_of(read) not in completed]

    @property
    def in_progress(self) -> list[Exchange]:
        """The last reading of each request that shows it in progress."""
        last = {read.path: read for read in self.reads}
        return [read for read in last.values() if state_of(read) is False]

    @property
    def held_when_refused(self) -> int:
        """Number of requests at the first refusal, without those accepted later."""
        return len(self.held) - sum(map(accepted, self.later))

    @property
    def stayed_full(self) -> bool:
        """Whether all requests still counted against the limit after the readings."""
        return bool(self.later) and not any(map(accepted, self.later))

    @property
    def freed_a_place(self) -> bool:
        """Whether the service accepted a creation after the deletion, and refused one before it."""
        return self.after_deletion is not None and accepted(self.after_deletion)

    @property
    def is_enforced(self) -> bool:
        """Whether the limit refused creations one after another until a deletion freed a place."""
        return self.refused is not None and bool(self.held) and self.stayed_full and self.freed_a_place


PUT_OFF: Final = (ErrorKind.RATE_LIMITED, ErrorKind.UNAVAILABLE)
"""Errors of answers that ask the client to retry later."""


def was_put_off(service: UserClient, exchange: Exchange) -> bool:
    """Tell whether a call was made again because the answer before asked to retry later."""
    if not exchange.repeats:
        return False
    before = (each for each in service.record.in_order() if each.id == exchange.repeats)
    return any(each.error in PUT_OFF for each in before)


def put_off_after(deleted: Exchange, again: Exchange) -> NotDecided:
    """Return that a creation which was put off right after a deletion does not show whether the place was free."""
    return NotDecided(
        "After the deletion at the limit, the service asked to retry the creation later. So the run cannot tell "
        "whether the place was free immediately.",
        blame=Blame.NETWORK,
        remedy="Raise the service's rate limit for the accounts of the run, or send fewer requests per second with "
        "--rate, then run again. If it is not the rate limiter: let a deletion free its place at once.",
        exchanges=[deleted, again],
    )


def is_put_off_at_the_limit_only(service: UserClient, found: LimitResult) -> bool:
    """Tell whether creations at the limit, and no other calls, were asked to retry later: the limit is the reason."""
    if not found.freed_a_place or not found.later or found.refused is None:
        return False
    asked = [each for each in service.record.in_order() if each.error in PUT_OFF]
    at_the_limit = all(each.intent.limit in ("reached", "perhaps") for each in asked)
    return at_the_limit and all(each.error in PUT_OFF for each in (found.refused, *found.later))


def places(service: UserClient) -> int:
    """Return how many requests are possible at a time: 1 after answers to retry later or violated requirements."""
    found = limit.so_far(service)
    put_off = any(each.error in PUT_OFF for each in service.record.exchanges)
    if put_off or service.session.broken or found is None:
        return 1
    early = service.session.results.early_creation
    number = max(1, min(len(found.held), found.limit))
    if early is None or early.request.credential != USER.label:
        return number
    return max(1, number - (service.created(early).request_id in service.session.kept))


def still_holds(service: UserClient, number: int) -> None:
    """Raise NotDecided if the limit has changed, or a creation of unknown outcome may count against it."""
    service.settings_now()
    now = service.limit()
    if now != number:
        raise NotDecided(
            f"maxNumberOfRequests was {number} and is {now} now: it changed during the run.",
            remedy="Run again while the limit stays the same.",
        )
    if unknown := service.session.journal.unknown:
        raise NotDecided(
            f"{count(unknown, 'creation')} without a usable answer may have created a request that counts.",
            remedy="Correct the server errors that 0-server-errors names, and run again.",
        )


def unconfirmed(message: str, *exchanges: Exchange) -> NotDecided:
    """Return that a finding is none unless the tester confirms that nothing else counts against the limit."""
    return NotDecided(
        f"{message} The run cannot tell whether the service counts wrongly, or whether requests that this run did not "
        "make count as well: older ones of the account, or those of others.",
        blame=Blame.CONFIGURATION,
        remedy=f"{PERHAPS_NOT_EMPTY} confirm with --empty-account that nothing else counts, and run again.",
        exchanges=exchanges,
    )


def too_many(service: UserClient, limit: int, found: int, why: str, *exchanges: Exchange) -> RequirementViolated:
    """Return the finding that `found` requests are in progress at once, unless the limit has changed."""
    still_holds(service, limit)
    return RequirementViolated(
        f"{count(found, 'request')} in progress at once, but maxNumberOfRequests is {limit}. {why}".rstrip(),
        expected=f"at most {count(limit, 'request')} in progress",
        actual=f"{count(found, 'request')} read as in progress",
        exchanges=exchanges,
        probe=must_answer("4xx"),
    )


def never_met(service: UserClient, found: LimitResult) -> NotDecided:
    """Return why the scenario shows nothing at the limit."""
    if found.limit <= 0 and found.refused is not None:
        return not_applicable("limit-of-none", f"maxNumberOfRequests is {found.limit}: no request can be created.")
    if found.completed:
        return not_applicable(
            "completes-at-once",
            "Requests complete too soon for the run to reach the limit.",
            found.completed[0].exchange,
        )
    if found.refused is not None and not found.held:
        return service.why_not_created(found.refused)
    if found.unread and found.refused is None:
        return NotDecided(
            f"The run did not reach the limit: the service accepted {count(len(found.held), 'creation')} one after "
            "another, and GET answered 404 to requests that POST had just shown in progress. They may have completed "
            "in between: completed requests take no place, and need not be readable.",
            remedy=STAY_IN_PROGRESS,
            exchanges=found.unread[:1],
        )
    subject = "requests completed that GET does not return any more, or the service" if found.unread else "the service"
    or_else, see = (", or a deletion freed no place", " and 3-frees-the-limit") if found.refused else ("", "")
    return NotDecided(
        f"The run did not reach the limit: {subject} accepted more creations than it allows{or_else}.",
        remedy=f"See 8-limit-enforced{see}.",
        exchanges=found.reads[:1],
    )


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
    types = service.lasting_types()
    _fill_up(service, result)
    for place in (0, -1):
        if result.refused is None:
            _replace(service, result, types, place)
    if result.refused is None:
        # For another type than the newest, so that a refused creation cannot replace it unnoticed.
        _one_more(service, result, types and service.last_type(), limit="reached")
    _read_all(service, result)
    if result.refused is not None and result.held:
        keep_early_request(service, OTHER_USER)  # accepted only if each user has a limit
        _go_on(service, result, types)
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
        service.session.results.larger_last = True
        service.session.remove(result.held.pop().request_id)
        result.held.append(whole)
    else:
        service.session.remove(whole.request_id)


def _fill_up(service: UserClient, result: LimitResult) -> None:
    """Create up to the limit, or until a creation is refused for it."""
    types = service.lasting_types()
    last = types and service.last_type()
    while len(result.held) < result.limit and result.refused is None:
        # Oldest and newest are for another type than the rest: one of them is deleted, the other is read later.
        other = result.limit > 1 and len(result.held) in (0, result.limit - 1)
        _one_more(service, result, last if other else types)


def _one_more(service: UserClient, result: LimitResult, types: list[str] | None, limit: str | None = None) -> None:
    exchange = service.post(types, USER_CLOSING if len(result.held) <= _APART else USER, limit=limit)
    if accepted(exchange):
        result.held.append(service.created(exchange))
    elif is_limit_refusal(exchange) or len(result.held) >= result.limit:
        result.refused = exchange
    else:
        service.created(exchange)


def _replace(service: UserClient, result: LimitResult, types: list[str] | None, place: int) -> None:
    """At the limit, delete one request and create another, before any refusal."""
    doomed = result.held[place]
    deleted = service.delete(doomed.request_id)
    answer_of(deleted)  # without an answer, the number of requests is unknown
    if not accepted(deleted):
        return
    # The creation follows right after the deletion, and once right before the one too many.
    created = _refill(service, result, types, doomed, last=place != 0)
    result.replacements.append((deleted, created))
    del result.held[place]
    if accepted(created):
        result.held.append(service.created(created))
    else:
        result.refused = created


def _refill(
    service: UserClient, result: LimitResult, types: list[str] | None, gone: Created, *, last: bool = False
) -> Exchange:
    """Create right after a deletion and read the deleted request meanwhile; if `last`, the creation starts after it."""
    create = partial(service.post, types, USER_CLOSING, limit="freed")
    # Known before both: the creation may give the same identifier again.
    read = partial(service.read, gone.request_id, request=service.known_as(gone.request_id))
    answers = service.session.parallel([read, create] if last else [create, read])
    result.undeleted.append(answers[0 if last else 1])
    return answers[1 if last else 0]


def _read_all(service: UserClient, result: LimitResult) -> None:
    readings = [partial(service.read, created.request_id) for created in result.held]
    result.reads = service.session.parallel(readings)
    # In one language after another, without asking for JSON: the answer is the same.
    callers = [replace(USER_BROWSING, language=each) for each in [*service.tags(), ""]]
    otherwise = [partial(read, caller) for read, caller in zip(readings, cycle(callers), strict=False)]
    # A service that counts deletions must not count one that finds nothing.
    nothing = partial(service.delete, service.some_uuid(), USER_BROWSING)
    again = service.session.parallel([*otherwise, nothing])
    result.reads += again[:-1]


def _go_on(service: UserClient, result: LimitResult, types: list[str] | None) -> None:
    if not result.completed and _wait_for_completion(service, result):
        _read_all(service, result)
    times = _BEYOND * service.session.target.budget.times
    # For one type, two, and all, in one language after another: each is one more.
    asked = [(types, USER_BROWSING), (service.first_types(2), USER), *[(types, USER)] * (times - 2), (None, USER)]
    languages = cycle([*service.tags(), ""])
    again = [
        partial(service.post, listed, replace(caller, language=next(languages), closes=True), limit="reached")
        for listed, caller in asked
    ]
    # One after another: a process that accepts a connection often accepts waiting ones as well.
    result.later = service.session.parallel(again, at_most=1)
    extra = [service.created(exchange) for exchange in result.later if accepted(exchange)]
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


def _wait_for_completion(service: UserClient, result: LimitResult) -> bool:
    announced = [created.document.get("expectedCompletion") for created in result.held]
    moments = [parse_date_time(text) for text in announced if isinstance(text, str) and is_date_time(text)]
    if not moments:
        return False
    delay = (max(moments) - service.session.clock.now()).total_seconds()
    if not 0 < delay <= LONGEST_COMPLETION:
        return False
    service.session.clock.sleep(delay + 0.05)
    return True


REST: Final = 40
"""Creations that the other checks of a run need."""


def within_budget(service: UserClient, creations: int, why: str, *, rest: int = REST) -> None:
    """Raise NotDecided if the budget of creations is too small, with `rest` left for the other checks."""
    budget = service.session.target.budget
    left = budget.max_created - service.session.journal.spent
    if creations + rest <= left:
        return
    if creations > FARTHEST:
        raise NotDecided(
            f"{why} takes {creations} creations, which is more than a run makes.",
            blame=Blame.CONFIGURATION,
            remedy="Check an instance of the service that sets a lower maxNumberOfRequests, such as 10.",
        )
    raise NotDecided(
        f"{why} takes {creations} creations; the run's budget has {left} left"
        f"{f', of which the other checks need {rest}' if rest else ''}.",
        blame=Blame.CONFIGURATION,
        remedy=budget.to_create_more(service.limit()),
    )


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
