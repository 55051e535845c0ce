"""The limit scenario: create up to the limit, be refused, free one place, and fill it again (3, 7, 8).

Other scenarios ask here how many requests they may hold, and whether the budget of creations reaches.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import chain, cycle, islice, repeat
from uuid import UUID

from conformance.facts.answers import FEW_TYPES, accepted, is_limit_refusal
from conformance.model.errors import NotDecided, answer_of
from conformance.model.exchange import RETRY_LATER, Exchange, Operation, is_missing_again
from conformance.model.identity import (
    ANONYMOUS,
    AS_A_BROWSER,
    OTHER_USER,
    USER,
    USER_BROWSING,
    USER_CLOSING,
    Created,
    Identity,
    created_by,
)
from conformance.model.target import FARTHEST, SEVERAL
from conformance.model.verdict import Blame
from conformance.scenarios.api import Api
from conformance.scenarios.credentials import no_tokens, refused_creations
from conformance.scenarios.registry import scenario


@dataclass
class LimitResult:
    """The calls of one user who creates up to the limit, replaces one request, and tries more."""

    limit: int
    """The number of requests that the account takes: what an earlier run left there takes a place."""
    held: list[Created] = field(default_factory=list)
    replacements: list[tuple[Exchange, Exchange]] = field(default_factory=list)
    """Deletions at the limit, before any refusal: of the oldest and the newest, each with the creation after it."""
    refused: Exchange | None = None
    """The first refusal, or None if one more than the limit was accepted."""
    later: list[Exchange] = field(default_factory=list)
    """Creations with the same requests; empty if there was no first refusal."""
    deleted: Exchange | None = None
    """A deletion after the refusals."""
    after_deletion: Exchange | None = None
    """The creation right after that deletion."""

    @property
    def freed_a_place(self) -> bool:
        """Whether the limit refused creations one after another, and the deletion then freed a place."""
        return self.after_deletion is not None and accepted(self.after_deletion.response)


@scenario()
def limit(service: Api) -> LimitResult:
    """The limit of one user; raises NotDecided if the run cannot reach it."""
    result = LimitResult(service.limit() - service.taken())
    if result.limit > 0:
        within_budget(service, result.limit + 5, f"Reaching the limit of {result.limit}")
    while len(result.held) < result.limit and result.refused is None:
        # Oldest and newest are for another type than the rest: one of them is deleted, the other is read later.
        other = result.limit > 1 and len(result.held) in (0, result.limit - 1)
        _create(service, result, service.last_type() if other else service.first_types(1))
    for place in (0, -1):
        if result.limit > 0 and result.refused is None:
            _replace(service, result, place)
    if result.refused is None:
        # For another type than the newest, so that a refused creation cannot replace it unnoticed.
        _create(service, result, service.last_type())
    _read_all(service, result)
    if result.refused is None or len(result.held) < result.limit:
        read_the_limit(service, USER)
    if result.refused is not None and result.held:
        _go_beyond(service, result)
    return result


def _create(service: Api, result: LimitResult, types: list[str] | None) -> None:
    # With connections of their own, the first creations reach several processes of the service.
    exchange = service.post(types, USER_CLOSING if len(result.held) <= 2 * SEVERAL else USER)
    if not accepted(exchange.response) and (is_limit_refusal(exchange.response) or len(result.held) >= result.limit):
        result.refused = exchange
    else:
        result.held.append(service.created(exchange))


def _replace(service: Api, result: LimitResult, place: int) -> None:
    """At the limit, delete one request and create another, before any refusal."""
    if not result.replacements:
        service.read(result.held[place].request_id)  # does the service show requests at all?
    deleted = service.delete(result.held[place].request_id)
    if not is_missing_again(deleted):
        answer_of(deleted)  # without an answer, the number of requests is unknown
        if not accepted(deleted.response):
            return
    created = _refill(service, result.held.pop(place))
    result.replacements.append((deleted, created))
    if accepted(created.response):
        result.held.append(service.created(created))
    else:
        result.refused = created


def _refill(service: Api, gone: Created) -> Exchange:
    """Create right after a deletion, and read the deleted request."""
    known_as = service.known_as(gone.request_id)  # before both: the creation may give the identifier again
    created = service.post(service.first_types(1), USER_CLOSING)
    service.read(gone.request_id, request=known_as)
    return created


def _read_all(service: Api, result: LimitResult) -> None:
    """Read every request, in one language after another and without asking for JSON: the answer is the same."""
    if result.refused is not None and any(service.record.answered(Operation.READ, 200)):
        # A request that no reading finds may be completed: the request of the other user would take its place.
        keep_early_request(service, OTHER_USER)
    callers = cycle([USER, *(replace(USER_BROWSING, language=each) for each in [*service.tags(), ""])])
    looks = [partial(service.read, one.request_id, next(callers)) for one in result.held]
    early = service.session.results.early_creation
    if early is not None and early.request.credential == OTHER_USER.label:
        # With those of the user it shows whether each user has a limit of his own.
        looks.append(partial(service.read, service.created(early).request_id, OTHER_USER))
    # A service that counts deletions must not count one that finds nothing, such as the UUID of zeros.
    deleting = replace(USER_BROWSING, language=next(iter(service.tags()), ""))
    service.session.parallel([*looks, partial(service.delete, str(UUID(int=0)), deleting)])


def _go_beyond(service: Api, result: LimitResult) -> None:
    """Create for one type, two, and all, in one language after another; then delete one and create again."""
    types, times = service.first_types(1), SEVERAL * service.target.budget.times
    asked: list[tuple[list[str] | None, Identity]] = [(types, USER_BROWSING), (service.first_types(2), USER)]
    asked += [*[(types, USER)] * (times - 2), (None, USER)]
    languages = cycle([*service.tags(), ""])
    # One after another: a process that accepts a connection often accepts waiting ones as well.
    for listed, caller in asked:
        result.later.append(service.post(listed, replace(caller, language=next(languages), closes=True)))
    if extra := [service.created(exchange) for exchange in result.later if accepted(exchange.response)]:
        result.held += extra
        _read_all(service, result)
        read_the_limit(service, USER)
        return
    result.deleted = service.delete(result.held[-1].request_id)
    result.after_deletion = _refill(service, result.held[-1])


def read_the_limit(service: Api, caller: Identity) -> None:
    """Read the settings once more, without and with the token of a user, who may have a limit of his own."""
    with suppress(NotDecided):
        service.settings_now()
    service.settings(caller, offered=True)


def keep_early_request(service: Api, caller: Identity) -> None:
    """Create a request for the end of the run, unless there is one or its creation is refused."""
    results = service.session.results
    if results.early_creation is not None or caller.label not in service.users:
        return
    with suppress(NotDecided):
        creation = service.post(service.first_types(1), caller)
        if (made := created_by(creation)) is not None:
            results.early_creation = creation
            service.session.kept.add(made.request_id)


def places(service: Api) -> int:
    """Return how many requests are possible at a time: 1 after answers to retry later, or if a place may stay taken."""
    found, session = limit.so_far(service), service.session
    waits = any(each.superseded in RETRY_LATER for each in service.record.exchanges)
    if waits or found is None or (found.after_deletion is not None and not found.freed_a_place):
        return 1
    if service.ledger_so_far().may_stay_taken is not None:
        return 1
    kept = sum(session.journal.live.get(each) == USER.label for each in session.kept)
    return max(1, min(len(found.held), found.limit) - kept)


def within_budget(service: Api, creations: int, why: str) -> None:
    """Raise NotDecided if the budget of creations is too small."""
    budget = service.target.budget
    left = budget.max_created - service.session.journal.spent
    if creations <= left:
        return
    if creations > FARTHEST:
        raise NotDecided(
            f"{why} takes {creations} creations, which is more than a run makes.",
            blame=Blame.CONFIGURATION,
            remedy="Check an instance of the service that sets a lower maxNumberOfRequests, such as 10.",
        )
    raise NotDecided(
        f"{why} takes {creations} creations; the run's budget has {left} left.",
        blame=Blame.CONFIGURATION,
        remedy=budget.to_create_more(service.limit()),
    )


@dataclass
class LimitRefill:
    """The calls around the limit: with one place left refused creations, then a creation for this place."""

    held: list[Created]
    """The requests that existed all the time."""
    refused: list[Exchange]
    """Creations of every kind that were refused."""
    final: Exchange
    """The creation for the last place."""


@scenario()
def limit_refill(service: Api) -> LimitRefill:
    """Creates up to the limit again, with refused creations and other calls that take and free no place (4.1, 8)."""
    found, session = limit.result(service), service.session
    if not found.freed_a_place:
        raise service.limit_so_far().why_not_met()
    within_budget(service, len(found.held), "Testing the effect of a refused creation")
    # One of them is for two types and one for some more: each is one request.
    some = (service.first_types(number) for number in (2, FEW_TYPES))
    listed = islice(chain(some, repeat(None)), len(found.held) - 1)
    held = session.parallel([partial(_created, service, each) for each in listed], at_most=places(service))
    before = len(service.record)
    _be_refused(service)
    made = (each for each in service.record.exchanges[before:] if each.operation is Operation.CREATE)
    refused = [each for each in made if not accepted(each.response)]
    if not refused:
        raise NotDecided("The service refused none of the creations.")
    types = service.first_types(1)
    result = LimitRefill(held, refused, service.post(types, USER_CLOSING))
    last = created_by(result.final) if accepted(result.final.response) else None
    if last is not None:
        _free_nothing(service, last)
        _exceed(service, [*held, last], types)
    left = [*held, last] if last is not None else held
    session.parallel([partial(service.delete, one.request_id, open=True) for one in left])
    return result


def _created(service: Api, types: list[str] | None) -> Created:
    """Return a request for `types`, or for one type if there are none or the service refuses the number."""
    made = created_by(service.post(types)) if types and len(types) > 1 else None
    return made or service.create()


def _be_refused(service: Api) -> None:
    """Create in ways that the service refuses; delete what it makes."""
    # Two known types, at the end: if the service keeps them, they show in the next request, which is for the first
    # type.
    unknown, known = service.unknown_type("/"), service.first_types(2) or []
    refused_creations.result(service)
    asked = service.session.parallel(
        [
            partial(service.post_raw, b'["unfinished', open=True),
            partial(service.post_raw, b"{}", open=True),
            partial(service.post, [unknown]),
            partial(service.post, [*known, unknown], replace(USER, variation=AS_A_BROWSER)),
        ]
    )
    for made in filter(None, map(created_by, asked)):
        service.delete(made.request_id)


def _free_nothing(service: Api, last: Created) -> None:
    """Make calls that free no place."""
    delete = partial(service.delete, last.request_id)
    without_effect: list[Callable[[], Exchange]] = [
        partial(service.data_me, USER),
        # A service that reads a token before it verifies it knows the user of an altered one.
        *(partial(delete, each) for each in (ANONYMOUS, *no_tokens(service)[2:4])),
        # The same for a user at the limit: every answer is judged.
        partial(service.settings, USER, offered=True),
    ]
    if OTHER_USER.label in service.users:
        # What another user may do is open.
        without_effect.append(partial(delete, OTHER_USER, request="foreign", open=True))
    service.session.parallel(without_effect)


def _exceed(service: Api, held: list[Created], types: list[str] | None) -> None:
    """Create beyond the limit in every way; if a creation is accepted, read every request."""
    # One after another: simultaneous creations are another matter (8-limit-enforced-in-parallel).
    beyond = [service.post(each, USER_CLOSING) for each in (types, service.first_types(FEW_TYPES))]
    if types:
        # Whether the service accepts these is open, but each would be one request beyond the limit.
        beyond.append(service.post([*types, *types], body="odd", open=True))
        beyond.append(service.post(types, media_type="text/plain", body="odd", open=True))
    # Whether the limit or the types are looked at first is open; the token is looked at before both.
    beyond += [service.post([service.unknown_type()]), service.post(types, ANONYMOUS)]
    extra = [one for exchange in beyond if accepted(exchange.response) and (one := created_by(exchange))]
    if extra:
        service.session.parallel([partial(service.read, one.request_id) for one in [*held, *extra]])
        read_the_limit(service, USER)
