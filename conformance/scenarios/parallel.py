"""The parallel scenario: creations, deletions and readings that are sent at the same moment.

The specification mentions such calls only for the limit (8). But each of them gets one of the answers that the
specification states for it, and together they have an effect that it states.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Final

from conformance.client.api import Api
from conformance.facts.answers import accepted, is_limit_refusal
from conformance.model.errors import NotDecided
from conformance.model.exchange import Exchange, Superseded, is_missing, is_missing_again
from conformance.model.identity import USER, Created
from conformance.scenarios.budget import within_budget
from conformance.scenarios.limit import LimitResult, limit, read_the_limit
from conformance.scenarios.parallel_result import ParallelResult, Removal
from conformance.scenarios.registry import scenario

MOST_PLACES: Final = 3
"""Simultaneous creations with room for all of them."""

AT_ONCE: Final = 5
"""Simultaneous creations for one place."""

DELETING_AND_READING: Final = 5
"""Simultaneous deletions and readings of one request."""

DELETIONS: Final = (3, 2, 4)
"""Number of deletions among them, round by round: even and odd, because each may invert a flag."""

_OUTAGE: Final = 2.0
"""Seconds after a server error in which a service may recover, such as from a lack of connections to its database."""


@scenario()
def parallel(service: Api) -> ParallelResult:
    """Simultaneous calls of one user; raises NotDecided if this service does not allow them."""
    found, result = _met_limit(service), ParallelResult(service.limit())
    if found is not None:
        try:
            within_budget(service, _at_most(found), f"Reaching the limit of {found.limit} in parallel")
        except NotDecided as error:
            found, result.beyond_budget = None, error
    within_budget(service, _at_most(found), "Making simultaneous calls")
    calls = _begun(service, found, result)
    for deletions in DELETIONS:
        full = found is not None and len(calls.held) == len(found.held)
        removal = calls.remove(deletions)
        if full and removal.complete:
            calls.fill(together=bool(result.filled))
    if found is not None and len(calls.held) == len(found.held) and accepted(calls.delete_one()):
        calls.fill(together=True)
    return result


def _begun(service: Api, found: LimitResult | None, result: ParallelResult) -> _Calls:
    """Create as many as possible at the same time, up to the limit if the run reached it."""
    places = min(len(found.held) if found else max(1, service.limit()), MOST_PLACES)
    taken = len(found.held) - places if found else 0
    calls = _Calls(service, result, [service.create() for _ in range(taken)])
    calls.warm_up()
    calls.create(places)
    return calls


def _at_most(found: LimitResult | None) -> int:
    """Return the most creations of the scenario, as if each of them counted: refused, failed or accepted."""
    if found is None:
        return 2 * MOST_PLACES + len(DELETIONS)
    # At the limit: two one after another, and a race after each further removal and after the last deletion. A race
    # that takes no place is followed by a creation that does.
    return len(found.held) + MOST_PLACES + 2 + len(DELETIONS) * (AT_ONCE + 1)


def _met_limit(service: Api) -> LimitResult | None:
    try:
        found = limit.result(service)
    except NotDecided:
        return None
    return found if found.freed_a_place else None


class _Calls:
    """The calls of the scenario, with the existing requests, the newest last."""

    def __init__(self, service: Api, result: ParallelResult, held: list[Created]) -> None:
        self.service = service
        self.session = service.session
        self.types = service.first_types(1)
        self.two = service.first_types(2)
        self.result = result
        self.held = held

    def warm_up(self) -> None:
        """Open as many connections as the races need, by simultaneous public calls, which may carry a token."""
        public = (self.service.settings, self.service.data)
        ask: list[Callable[[], Exchange]] = [*public, *(partial(call, USER, offered=True) for call in public)]
        self.session.race((ask * AT_ONCE)[:AT_ONCE])

    def create(self, places: int) -> None:
        """Create as many requests at the same time as there is room for, and look whether all of them exist.

        A server error or a refusal that was sent again has to show again: then the same creations are made once more.
        """
        result, creating = self.result, [self._creation()] * places
        result.creations = self.session.race(creating)
        if any(each.failed or each.repeats for each in result.creations):
            for _ in self._keep(result.creations):
                self.delete_one()
            self.session.clock.sleep(_OUTAGE)
            result.creations = self.session.race(creating)
        made = self._keep(result.creations)
        refused = [
            each for each in result.creations if is_limit_refusal(each) or each.superseded is Superseded.RATE_LIMITED
        ]
        result.room = [self.service.post(self.types) for _ in refused]
        self._keep(result.room)
        reads = self.session.parallel([partial(self.service.read, one.request_id) for one in made])
        for one, read in zip(made, reads, strict=True):
            if is_missing(read):
                # A missing request may be completed and hidden: it does not exist only if it cannot be deleted either.
                self.held.remove(one)
                deleted = self.service.delete(one.request_id, open=True)
                result.lost += [deleted] if is_missing(deleted) and not is_missing_again(deleted) else []

    def remove(self, deletions: int) -> Removal:
        """Delete one request several times and read it, all at the same time, then read it once more."""
        doomed = self.held.pop() if self.held else self.service.create()
        one = doomed.request_id
        readings = DELETING_AND_READING - deletions
        # The last call to be ready leaves first: a deletion, so that readings happen during it.
        read = partial(self.service.read, one, request="existing", racing=True)
        delete = partial(self.service.delete, one, request="existing", racing=True)
        answers = self.session.race([*[read] * readings, *[delete] * deletions])
        after = self.service.read(one, request="deleted", open=True)
        removal = Removal(doomed, answers[readings:], answers[:readings], after)
        self.result.removals.append(removal)
        return removal

    def fill(self, *, together: bool) -> None:
        """Create for one free place: many at the same time, or one after another until it is taken and once more.

        Where more than one is accepted, all requests are read, and the limit once more.
        """
        if together:
            # For different types: a service that locks by type admits simultaneous creations for others.
            creating = [self._creation(), self._creation(self.two)]
            filling = self.session.race((creating * AT_ONCE)[:AT_ONCE])
        else:
            first = self.service.post(self.types)
            filling = [first, self.service.post(self.two)]
        self.result.filled += filling
        self._keep(filling)
        if sum(map(accepted, filling)) > 1:
            for one in self.held:
                self.service.read(one.request_id)
            read_the_limit(self.service, USER)
        elif together and not any(map(accepted, filling)):
            self._keep([self.service.post(self.types)])

    def delete_one(self) -> Exchange:
        """Delete the newest request."""
        return self.service.delete(self.held.pop().request_id)

    def _keep(self, exchanges: list[Exchange]) -> list[Created]:
        made = [self.service.created_if_possible(each) for each in exchanges if each.counts]
        kept = [one for one in made if one is not None]
        self.held += kept
        return kept

    def _creation(self, types: list[str] | None = None) -> Callable[[], Exchange]:
        return partial(self.service.post, types or self.types, racing=True)
