"""The results of simultaneous calls, and what in them looks wrong."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field

from conformance.facts.answers import accepted, is_limit_refusal
from conformance.model.errors import NotDecided, answer_of
from conformance.model.exchange import MISSING, Exchange, Operation, is_missing_again
from conformance.model.identity import Created
from conformance.model.text import in_json, shorten
from conformance.rules import expect
from conformance.rules.consistency import LASTING, disagreements
from conformance.rules.judge import not_ok
from conformance.rules.run import Run


@dataclass
class Removal:
    """Simultaneous deletions and readings of one request, and a later reading."""

    created: Created
    deletions: list[Exchange]
    reads: list[Exchange]
    after: Exchange

    @property
    def complete(self) -> bool:
        """Whether a deletion was confirmed and the request is gone."""
        return any(map(accepted, self.deletions)) and answer_of(self.after).status in MISSING


@dataclass
class ParallelResult:
    """The results of simultaneous calls."""

    limit: int = 0
    """maxNumberOfRequests."""
    creations: list[Exchange] = field(default_factory=list)
    """Creations for as many places as there were."""
    room: list[Exchange] = field(default_factory=list)
    """A later creation for each one that the limit refused, or that answered to retry later."""
    lost: list[Exchange] = field(default_factory=list)
    """Deletions that answered 404 for a new request that a reading did not find either."""
    removals: list[Removal] = field(default_factory=list)
    filled: list[Exchange] = field(default_factory=list)
    """Creations for a place that simultaneous deletions of one request freed, or for the last one."""
    beyond_budget: NotDecided | None = None
    """Why there were no simultaneous calls at the limit, if the budget is the reason."""

    @property
    def not_created(self) -> list[Exchange]:
        """The creations that were answered neither with a request nor with the error of the limit."""
        return [each for each in answered(self.creations) if not is_created(each) and not is_limit_refusal(each)]

    @property
    def refused(self) -> list[Exchange]:
        """The creations that the limit refused."""
        return [each for each in answered(self.creations) if is_limit_refusal(each)]

    @property
    def ids(self) -> list[str]:
        """The identifiers that the creations returned."""
        return ids_of(self.creations)

    def wrong_deletions(self, removal: Removal) -> list[Exchange]:
        """Return the deletions that were answered neither with 200 and OK nor with 404."""
        return [each for each in self._lasting(removal.deletions) if not is_ok(each) and not has_404(each)]

    def is_unconfirmed(self, removal: Removal) -> bool:
        """Tell whether all deletions of a request were answered once, and none of them with 200 and OK."""
        once = [each for each in self._lasting(removal.deletions) if not is_missing_again(each)]
        return once == removal.deletions and not any(map(is_ok, removal.deletions))

    def judged_reads(self, run: Run, removal: Removal) -> list[Exchange]:
        """Return the readings of a request during its deletion, without those that another cause explains."""
        return [each for each in self._lasting(removal.reads) if not _is_gone_as_completed(run, each)]

    def _lasting(self, exchanges: list[Exchange]) -> list[Exchange]:
        """Return the exchanges with an answer, without server errors that no other round of deletions shows.

        A simultaneous call cannot be made again alone, so only the next round tells an error that comes now and then.
        """
        rounds = [{each.operation for each in [*one.deletions, *one.reads] if each.failed} for one in self.removals]
        failing = Counter(operation for found in rounds for operation in found)
        return [each for each in answered(exchanges) if not each.failed or failing[each.operation] > 1]


def answered(exchanges: Iterable[Exchange]) -> list[Exchange]:
    """Return the exchanges with an answer other than to retry later."""
    return [each for each in exchanges if each.counts]


def is_ok(exchange: Exchange) -> bool:
    """Tell whether a deletion was answered with 200 and OK."""
    return _has(exchange, 200) and not_ok(exchange, answer_of(exchange)) is None


def has_404(exchange: Exchange) -> bool:
    """Tell whether a call was answered with 404."""
    return _has(exchange, 404)


def is_created(exchange: Exchange) -> bool:
    """Tell whether a creation was answered with 200 and a request."""
    return _has(exchange, 200) and isinstance(expect.member(exchange, "requestId"), str)


def ids_of(creations: Iterable[Exchange]) -> list[str]:
    """Return the identifiers of the requests that creations returned, in lower case."""
    return [expect.member(each, "requestId").lower() for each in creations if is_created(each)]


def is_whole(created: Created, read: Exchange) -> bool:
    """Tell whether a reading shows the request as it was created."""
    return _has(read, 200) and not difference(created, read)


def difference(made: Created, read: Exchange) -> str:
    """Return the difference between a reading and the creation, in words."""
    created, value = made.document, answer_of(read).document.value
    if not isinstance(value, dict):
        return f"the body is {shorten(answer_of(read).text, 80) or 'empty'}"
    missing = [name for name in LASTING if name in created and name not in value]
    if missing:
        return f"there is no {' and no '.join(missing)}"
    for name, then, now in disagreements(created, value):
        return f"{name} is {in_json(now, 80)}, not {in_json(then, 80)}"
    return ""


def _is_gone_as_completed(run: Run, read: Exchange) -> bool:
    """Tell whether a reading answered 410, as readings of existing requests do without a call at the same time."""
    gone = run.record.answered(Operation.READ, 410) if answer_of(read).status == 410 else []
    return any(each.intent.request == "existing" and not each.intent.racing for each in gone)


def _has(exchange: Exchange, status: int) -> bool:
    return exchange.counts and exchange.status == status
