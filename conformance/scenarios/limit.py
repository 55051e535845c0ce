"""The limit scenario: create up to the limit, be refused, free one place, and fill it again (3, 7, 8)."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import cycle
from typing import Final

from conformance.client.api import Api
from conformance.facts.answers import accepted, is_limit_refusal
from conformance.model.errors import NotDecided, answer_of
from conformance.model.exchange import Exchange, Operation, is_missing_again
from conformance.model.identity import OTHER_USER, USER, USER_BROWSING, USER_CLOSING, Created, Identity
from conformance.scenarios.budget import within_budget
from conformance.scenarios.registry import scenario

_BEYOND: Final = 3
"""Creations at the limit: with those of other scenarios they are enough to find one fault in twenty."""
_APART: Final = 6
"""Number of first creations with their own connection, so that they reach several processes of the service."""


@dataclass
class LimitResult:
    """The calls of one user who creates up to the limit, replaces one request, and tries more."""

    limit: int
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
        return self.after_deletion is not None and accepted(self.after_deletion)


@scenario()
def limit(service: Api) -> LimitResult:
    """The limit of one user; raises NotDecided if the run cannot reach it."""
    result = LimitResult(service.limit())
    if result.limit > 0:
        within_budget(service, result.limit + 5, f"Reaching the limit of {result.limit}", rest=0)
    steps = _Steps(service, result)
    steps.fill()
    if result.limit > 0:
        steps.replace(0)
        steps.replace(-1)
    steps.go_beyond()
    steps.read_all()
    if result.refused is None or len(result.held) < result.limit:
        read_the_limit(service, USER)
    if result.refused is not None and result.held:
        steps.go_beyond_again()
    return result


class _Steps:
    """The steps of the scenario, with the types of its requests."""

    def __init__(self, service: Api, result: LimitResult) -> None:
        self.service = service
        self.result = result
        self.types = service.first_types(1)

    def fill(self) -> None:
        """Create up to the limit, or until a creation is refused for it."""
        result = self.result
        while len(result.held) < result.limit and result.refused is None:
            # Oldest and newest are for another type than the rest: one of them is deleted, the other is read later.
            other = result.limit > 1 and len(result.held) in (0, result.limit - 1)
            self._create(self.service.last_type() if other else self.types)

    def replace(self, place: int) -> None:
        """At the limit, delete one request and create another, before any refusal."""
        result = self.result
        if result.refused is not None:
            return
        doomed = result.held[place]
        if not result.replacements:
            self.service.read(doomed.request_id)  # does the service show requests at all?
        deleted = self.service.delete(doomed.request_id)
        if not is_missing_again(deleted):
            answer_of(deleted)  # without an answer, the number of requests is unknown
            if not accepted(deleted):
                return
        created = self._refill(doomed)
        result.replacements.append((deleted, created))
        del result.held[place]
        if accepted(created):
            result.held.append(self.service.created(created))
        else:
            result.refused = created

    def go_beyond(self) -> None:
        """Create one more, for another type than the newest, so that a refused creation cannot replace it unnoticed."""
        if self.result.refused is None:
            self._create(self.service.last_type())

    def read_all(self) -> None:
        """Read every request, then in one language after another without asking for JSON: the answer is the same."""
        service, result = self.service, self.result
        if result.refused is not None and any(service.record.answered(Operation.READ, 200)):
            # A request that no reading finds may be completed: the request of the other user would take its place.
            keep_early_request(service, OTHER_USER)
        service.session.parallel([partial(service.read, one.request_id) for one in result.held])
        callers = cycle([replace(USER_BROWSING, language=each) for each in [*service.tags(), ""]])
        otherwise = [partial(service.read, one.request_id, next(callers)) for one in result.held]
        early = service.session.results.early_creation
        if early is not None and early.request.credential == OTHER_USER.label:
            # With those of the user it shows whether each user has a limit of his own.
            service.read(service.created(early).request_id, OTHER_USER)
        # A service that counts deletions must not count one that finds nothing.
        nothing = partial(service.delete, service.unknown_id(), USER_BROWSING)
        service.session.parallel([*otherwise, nothing])

    def go_beyond_again(self) -> None:
        """Create for one type, two, and all, in one language after another; then delete one and create again."""
        service, result = self.service, self.result
        times = _BEYOND * service.session.target.budget.times
        asked: list[tuple[list[str] | None, Identity]] = [(self.types, USER_BROWSING), (service.first_types(2), USER)]
        asked += [*[(self.types, USER)] * (times - 2), (None, USER)]
        languages = cycle([*service.tags(), ""])
        # One after another: a process that accepts a connection often accepts waiting ones as well.
        for listed, caller in asked:
            result.later.append(service.post(listed, replace(caller, language=next(languages), closes=True)))
        if extra := [service.created(exchange) for exchange in result.later if accepted(exchange)]:
            result.held += extra
            self.read_all()
            read_the_limit(service, USER)
            return
        result.deleted = service.delete(result.held[-1].request_id)
        result.after_deletion = self._refill(result.held[-1])

    def _create(self, types: list[str] | None) -> None:
        service, result = self.service, self.result
        exchange = service.post(types, USER_CLOSING if len(result.held) <= _APART else USER)
        if not accepted(exchange) and (is_limit_refusal(exchange) or len(result.held) >= result.limit):
            result.refused = exchange
        else:
            result.held.append(service.created(exchange))

    def _refill(self, gone: Created) -> Exchange:
        """Create right after a deletion, and read the deleted request."""
        known_as = self.service.known_as(gone.request_id)  # before both: the creation may give the identifier again
        created = self.service.post(self.types, USER_CLOSING)
        self.service.read(gone.request_id, request=known_as)
        return created


def read_the_limit(service: Api, caller: Identity) -> None:
    """Read the settings once more, without and with the token of a user, who may have a limit of his own."""
    with suppress(NotDecided):
        service.settings_now()
    service.settings(caller, offered=True)


def keep_early_request(service: Api, caller: Identity) -> None:
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
