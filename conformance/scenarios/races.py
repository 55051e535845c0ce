"""The scenarios of simultaneous calls: of one user around the limit, and of two users.

The specification mentions such calls only for the limit (8). But each of them gets one of the answers that the
specification states for it, and together they have an effect that it states.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from functools import partial
from typing import Final

from conformance.facts.answers import accepted, is_limit_refusal
from conformance.http.noise import LONGEST_PAUSE
from conformance.model.errors import NotDecided
from conformance.model.exchange import Exchange, Superseded, is_missing
from conformance.model.identity import OTHER_USER, USER, Created, created_by
from conformance.model.target import SEVERAL
from conformance.scenarios.api import Api
from conformance.scenarios.limit import LimitResult, limit, read_the_limit, within_budget
from conformance.scenarios.registry import scenario

AT_ONCE: Final = 5
"""Simultaneous creations for one place, and simultaneous deletions and readings of one request."""

DELETIONS: Final = (3, 2, 4)
"""Number of deletions among them, round by round: even and odd, because each may invert a flag."""


@dataclass
class Removal:
    """Simultaneous deletions and readings of one request, and a later reading."""

    created: Created
    deletions: list[Exchange]
    reads: list[Exchange]
    after: Exchange


@dataclass
class Races:
    """The simultaneous calls of one user."""

    limit: int = 0
    """maxNumberOfRequests."""
    creations: list[Exchange] = field(default_factory=list)
    """Creations for as many places as there were."""
    room: list[Exchange] = field(default_factory=list)
    """A later creation for each one that the limit refused, or that answered to retry later."""
    reads: list[Exchange] = field(default_factory=list)
    """The reading of each new request."""
    removals: list[Removal] = field(default_factory=list)
    beyond_budget: NotDecided | None = None
    """Why there were no simultaneous calls at the limit, if the budget is the reason."""


@scenario()
def races(service: Api) -> Races:
    """Creates, deletes and reads at the same time; raises NotDecided if the budget of creations is too small."""
    with suppress(NotDecided):
        limit.result(service)
    met, result = limit.so_far(service), Races(service.limit())
    found = met if met is not None and met.freed_a_place else None
    if found is not None:
        try:
            within_budget(service, _at_most(found), f"Reaching the limit of {found.limit} in parallel")
        except NotDecided as error:
            found, result.beyond_budget = None, error
    within_budget(service, _at_most(found), "Making simultaneous calls")
    number = len(found.held) if found else 0
    places = min(number or max(1, service.limit()), SEVERAL)
    calls = _Calls(service, [service.create() for _ in range(number - places)])
    calls.warm_up()
    calls.create(places, result)
    filled = False
    for deletions in DELETIONS:
        full = len(calls.held) == number
        removal = calls.remove(deletions)
        result.removals.append(removal)
        if full and any(accepted(each.response) for each in removal.deletions) and is_missing(removal.after):
            # One after another at first, until the service has not put that off.
            filled = not calls.fill(together=filled)[0].repeats or filled
    if len(calls.held) == number and number and accepted(service.delete(calls.held.pop().request_id).response):
        calls.fill(together=True)
    return result


def _at_most(found: LimitResult | None) -> int:
    """Return the most creations of the scenario, as if each of them counted: refused, failed or accepted."""
    if found is None:
        return 2 * SEVERAL + len(DELETIONS)
    # At the limit: two one after another, and a race after each further removal and after the last deletion. A race
    # that takes no place is followed by a creation that does.
    return len(found.held) + SEVERAL + 2 + len(DELETIONS) * (AT_ONCE + 1)


class _Calls:
    """The calls of the scenario, with the existing requests, the newest last."""

    def __init__(self, service: Api, held: list[Created]) -> None:
        self.service = service
        self.race = service.session.race
        self.types = service.first_types(1)
        self.creation = partial(service.post, self.types, racing=True)
        self.held = held

    def warm_up(self) -> None:
        """Open as many connections as the races need, by simultaneous public calls, which may carry a token."""
        another = OTHER_USER if OTHER_USER.label in self.service.users else USER
        ask: list[Callable[[], Exchange]] = [self.service.settings, self.service.data]
        ask += [partial(self.service.settings, each, offered=True) for each in (USER, another)]
        ask.append(partial(self.service.data, USER, offered=True))
        self.race(ask)

    def create(self, places: int, result: Races) -> None:
        """Create as many requests at the same time as there is room for, and look whether all of them exist.

        A server error or a refusal that was sent again has to show again: then the same creations are made once more.
        """
        result.creations = self.race([self.creation] * places)
        if any(each.failed or each.repeats for each in result.creations):
            for one in self._keep(result.creations):
                self.held.remove(one)
                self.service.delete(one.request_id)
            # The service may recover, such as from a lack of connections to its database.
            self.service.session.clock.sleep(LONGEST_PAUSE)
            result.creations = self.race([self.creation] * places)
        made = self._keep(result.creations)
        late = (
            is_limit_refusal(each.response) or each.superseded is Superseded.RATE_LIMITED for each in result.creations
        )
        result.room = [self.service.post(self.types) for _ in range(sum(late))]
        self._keep(result.room)
        result.reads = self.service.session.parallel([partial(self.service.read, one.request_id) for one in made])
        for one, read in zip(made, result.reads, strict=True):
            if is_missing(read):
                # A missing request may be completed and hidden: it does not exist only if it cannot be deleted either.
                self.held.remove(one)
                self.service.delete(one.request_id, open=True)

    def remove(self, deletions: int) -> Removal:
        """Delete one request several times and read it, all at the same time, then read it once more."""
        doomed = self.held.pop() if self.held else self.service.create()
        readings = AT_ONCE - deletions
        # The last call to be ready leaves first: a deletion, so that readings happen during it.
        read = partial(self.service.read, doomed.request_id, request="existing", racing=True)
        delete = partial(self.service.delete, doomed.request_id, request="existing", racing=True)
        answers = self.race([*[read] * readings, *[delete] * deletions])
        after = self.service.read(doomed.request_id, request="deleted", open=True)
        return Removal(doomed, answers[readings:], answers[:readings], after)

    def fill(self, *, together: bool) -> list[Exchange]:
        """Create for one free place: many at the same time, or one after another until it is taken and once more.

        Where more than one is accepted, all requests are read, and the limit once more.
        """
        two = self.service.first_types(2)
        if together:
            # For different types and without a body: a service that locks by type admits simultaneous creations for
            # others, and one whose way without a body has no lock admits those.
            others = (partial(self.service.post, types, racing=True) for types in (None, two))
            filling = self.race(([self.creation, *others] * AT_ONCE)[:AT_ONCE])
        else:
            filling = [self.service.post(self.types), self.service.post(two)]
        self._keep(filling)
        if sum(accepted(each.response) for each in filling) > 1:
            for one in self.held:
                self.service.read(one.request_id)
            read_the_limit(self.service, USER)
        elif together and not any(accepted(each.response) for each in filling):
            self._keep([self.service.post(self.types)])
        return filling

    def _keep(self, exchanges: Sequence[Exchange]) -> list[Created]:
        made = [created_by(each) for each in exchanges if each.counts]
        kept = [one for one in made if one is not None]
        self.held += kept
        return kept


@scenario()
def two_users(service: Api) -> list[list[Exchange]]:
    """Both users create at the same time and delete what they created: a call must not get the user of the other.

    Returns each creation with the deletion by its own user, and by the other one if the first finds nothing.
    """
    if OTHER_USER.label not in service.users:
        return []
    within_budget(service, 4, "Creating for two users at the same time")
    # Twice for each if there is room beside a request that the run keeps: calls that are sent at one moment may arrive
    # some milliseconds apart.
    users = (USER, OTHER_USER) * (2 if service.limit() >= SEVERAL else 1)
    types = service.first_types(1)
    made = service.session.race([partial(service.post, types, user, racing=True) for user in users])
    ones = [created_by(creation) if accepted(creation.response) else None for creation in made]
    ids = [one.request_id for one in ones if one is not None]
    found = []
    for creation, one, user, other in zip(made, ones, users, reversed(users), strict=True):
        if one is None or ids.count(one.request_id) > 1:
            continue  # the limit may be shared; creations with one request are the matter of another check
        found.append([creation, service.delete(one.request_id, user, open=True)])
        if is_missing(found[-1][1]):
            found[-1].append(service.delete(one.request_id, other, request="foreign"))
    return found
