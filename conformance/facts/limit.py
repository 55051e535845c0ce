"""What the exchanges of a run show of the limit: what it refused, who had room, and what came before (8)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby

from conformance.facts.answers import names_the_limit, says
from conformance.facts.ledger import Ledger
from conformance.facts.ranges import Range
from conformance.model.deviations import deviations
from conformance.model.error_table import KNOWN_CREDENTIALS, LIMIT_REACHED
from conformance.model.exchange import RETRY_LATER, Exchange, Operation, request_id_of


@dataclass(frozen=True, slots=True)
class Before:
    """What changed the requests of a user before a creation."""

    deletion: Exchange | None
    """The last confirmed deletion."""
    accepted: Exchange | None
    """The last creation that was accepted."""
    was_full: bool
    """Whether as many requests as the limit allows had been accepted."""

    @property
    def last_deletion(self) -> Exchange | None:
        """The deletion, if no creation was accepted since."""
        refilled = self.deletion and self.accepted and _end(self.deletion) < _end(self.accepted)
        return None if refilled else self.deletion


def _end(exchange: Exchange) -> tuple[float, int]:
    return exchange.finished, exchange.number


class LimitFacts:
    """What the exchanges of a run show of the limit."""

    def __init__(self, exchanges: Sequence[Exchange], *, empty: bool, perhaps_not_empty: str = "") -> None:
        """Judge `exchanges`, in their order; `empty` and `perhaps_not_empty` are those of the target."""
        self.exchanges = exchanges
        self.perhaps_not_empty = perhaps_not_empty
        self.ledger = Ledger.of(exchanges, empty=empty)
        self.users = [each for each in KNOWN_CREDENTIALS if self.creations_of(each)]
        self.creations = [each for user in self.users for each in self.creations_of(user)]
        self._ranges: dict[str, Range] = {}

    def is_refusal(self, creation: Exchange) -> bool:
        """Tell whether a creation was refused for the limit, with its error or as others were at the limit."""
        answer = creation.response
        if answer is None or not creation.counts or self.is_accepted(creation):
            return False
        if says(creation, LIMIT_REACHED) or (answer.status >= 400 and names_the_limit(answer)):
            return True
        return answer.status < 500 and (answer.status, answer.content) in self.ledger.refusals_when_full

    def has_room(self, creation: Exchange) -> bool | None:
        """Tell whether there was room when a creation was answered: yes, no, or unknown (None).

        Unlike `Ledger.room`, it knows that requests which the run did not make may count (`Doubt.ACCOUNT`).
        """
        return self.held(creation).is_below(self.ledger.lowest(creation))

    def exceeds(self, creation: Exchange) -> bool:
        """Tell whether more requests than the limit allows were certainly in progress."""
        return self.held(creation).certain > self.ledger.highest(creation)

    def is_accepted(self, creation: Exchange) -> bool:
        """Tell whether a creation made a request."""
        return creation.id in self.ledger.made

    def creations_of(self, user: str) -> list[Exchange]:
        """Return the creations of a user, in their order."""
        mine = (*self.ledger.accepted, *self.ledger.refused, *self.ledger.unnamed)
        return sorted((each for each in mine if each.request.credential == user), key=lambda each: each.number)

    def is_at_limit(self, creation: Exchange) -> bool:
        """Tell whether a creation that made no request came when the limit was certainly reached."""
        return not self.is_accepted(creation) and self.held(creation).certain >= self.ledger.highest(creation)

    def was_deferred(self, creation: Exchange) -> bool:
        """Tell whether the service had answered to retry this creation later."""
        return any(each.id == creation.repeats and each.superseded in RETRY_LATER for each in self.exchanges)

    def held(self, creation: Exchange) -> Range:
        """Return how many requests of its user count when a creation is answered, what it made included."""
        if creation.id not in self._ranges:
            self._ranges[creation.id] = self.ledger.held(creation.request.credential, creation)
        return self._ranges[creation.id]

    def completed(self) -> list[Exchange]:
        """Return the answers that show a request completed."""
        return [one for life in self.ledger.lives.values() for one in life.completed]

    def published(self, before: Exchange) -> list[Exchange]:
        """Return the plainest answer before a creation that published the limit."""
        shown = (each for each in self.exchanges if each.operation is Operation.SETTINGS and before.is_after(each))
        answered = [each for each in shown if each.response is not None and each.response.status == 200]
        return sorted(answered, key=deviations)[:1]

    def before(self, creation: Exchange) -> Before:
        """Return what came before a creation of a user."""
        user, lowest = creation.request.credential, self.ledger.lowest(creation)
        start = (creation.began, creation.number)
        mine = [each for each in self.ledger.accepted if each.request.credential == user and _end(each) < start]
        deleted = (each for life in self.ledger.of_user(user) for each in life.deleted if _end(each) < start)
        return Before(
            max(deleted, key=_end, default=None),
            max(mine, key=_end, default=None),
            was_full=any(self.held(each).own >= lowest for each in mine),
        )

    def simultaneous_deletions_before(self, creation: Exchange) -> list[Exchange]:
        """Return the simultaneous deletions of one request that were the last ones before a creation."""
        deletion = None if creation.intent.racing else self.before(creation).last_deletion
        life = self.ledger.life(request_id_of(deletion)) if deletion is not None and deletion.intent.racing else None
        if life is None or not life.is_told_apart:
            return []
        together = (each for each in self.ledger.deletions if each.intent.racing and creation.is_after(each))
        return [each for each in together if self.ledger.life(request_id_of(each)) is life]

    def bursts(self) -> Iterator[list[Exchange]]:
        """Yield the groups of a user's creations at the same time."""
        for user in self.users:
            racing = (each for each in self.creations_of(user) if each.intent.racing)
            for _, group in groupby(racing, key=lambda each: each.beside.rpartition("#")[0]):
                yield [*group]
