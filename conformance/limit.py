"""One trial of the limit, which several checks read: fill up, be refused, free one place, fill it again (3, 7, 8)."""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Final

from conformance.exchange import Exchange
from conformance.expect import Undecided, answer_of, not_applicable
from conformance.formats import is_date_time, parse_date_time
from conformance.service import Created, Service, is_limit_refusal
from conformance.verdict import Blame

LONGEST_COMPLETION: Final = 2.0
"""Seconds to wait for requests to complete, where the target itself says that they will by then."""


@dataclass
class Trial:
    """What happened when one user filled up to the limit and tried once more."""

    limit: int
    held: list[Created] = field(default_factory=list)
    refused: Exchange | None = None
    """The first refusal, or None when one more than the limit was accepted."""
    reads: list[Exchange] = field(default_factory=list)
    """Readings of everything held, right after `refused`, or after one more than the limit was accepted."""
    refused_again: Exchange | None = None
    """A second creation asked for after the readings; None if there was no first refusal."""
    deleted: Exchange | None = None
    freed_was_completed: bool = False
    after_deletion: Exchange | None = None

    @property
    def completed(self) -> list[Exchange]:
        """The readings that show a completed request."""
        return [read for read in self.reads if _state(read) is True]

    @property
    def in_progress(self) -> list[Exchange]:
        """The readings that show a request in progress."""
        return [read for read in self.reads if _state(read) is False]

    @property
    def freed_a_place(self) -> bool:
        """Whether a creation was accepted after the deletion that had been refused before it."""
        return self.after_deletion is not None and accepted(self.after_deletion)


def accepted(exchange: Exchange) -> bool:
    """Tell whether a creation was accepted."""
    return exchange.answer is not None and 200 <= exchange.answer.status < 300


def trial(service: Service) -> Trial:
    """Run the trial, once for the whole run; raise Undecided when it cannot be run on this target."""
    memory = service.session.memory
    if "limit trial" not in memory:
        try:
            memory["limit trial"] = _run(service)
        except Undecided as error:
            memory["limit trial"] = error
        service.session.clean_up()
    result = memory["limit trial"]
    if isinstance(result, Undecided):
        raise result
    assert isinstance(result, Trial)
    return result


def within_budget(service: Service, creations: int, why: str) -> None:
    """Raise Undecided when the budget of creations does not reach."""
    left = service.session.target.budget.max_created - service.session.journal.spent
    if creations > left:
        raise Undecided(
            f"{why} takes {creations} creations; the run's budget has {left} left.",
            blame=Blame.CONFIGURATION,
            remedy=f"Raise --max-created to {service.session.journal.spent + creations} or more, and run again.",
        )


def _run(service: Service) -> Trial:
    limit = service.limit()
    if limit <= 0:
        raise not_applicable(f"maxNumberOfRequests is {limit}: no request can be in progress.")
    within_budget(service, limit + 3, f"Meeting the limit of {limit}")
    types = service.types()[:1] or None
    result = Trial(limit)
    while len(result.held) <= limit and result.refused is None:
        facts = {"limit": "reached"} if len(result.held) == limit else {}
        exchange = service.post(types, **facts)
        if accepted(exchange):
            result.held.append(service.created(exchange))
        elif is_limit_refusal(exchange) or (result.held and len(result.held) == limit):
            result.refused = exchange
        else:
            service.created(exchange)
    result.reads = [service.read(created.request_id) for created in result.held]
    if result.refused is not None and result.held:
        _go_on(service, result, types)
    return result


def _go_on(service: Service, result: Trial, types: list[str] | None) -> None:
    if not result.completed and _wait_for_completion(result):
        result.reads = [service.read(created.request_id) for created in result.held]
    result.refused_again = service.post(types, limit="reached")
    if accepted(result.refused_again):
        return
    completed = {read.facts["path"] for read in result.completed}
    doomed = next((one for one in result.held if any(one.request_id in path for path in completed)), result.held[-1])
    result.freed_was_completed = any(doomed.request_id in path for path in completed)
    result.deleted = service.delete(doomed.request_id)
    result.after_deletion = service.post(types, limit="freed")


def _wait_for_completion(result: Trial) -> bool:
    announced = [created.document.get("expectedCompletion") for created in result.held]
    moments = [parse_date_time(text) for text in announced if isinstance(text, str) and is_date_time(text)]
    if not moments:
        return False
    delay = (max(moments) - datetime.now(UTC)).total_seconds()
    if not 0 < delay <= LONGEST_COMPLETION:
        return False
    time.sleep(delay + 0.05)
    return True


def _state(read: Exchange) -> bool | None:
    """Return isCompleted of a reading, or None when it shows no state."""
    if read.trouble is not None or answer_of(read).status != 200:
        return None
    value = answer_of(read).document.value
    state = value.get("isCompleted") if isinstance(value, dict) else None
    return state if isinstance(state, bool) else None
