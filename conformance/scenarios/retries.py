"""Creations that were made again because the service asked to retry later."""

from __future__ import annotations

from typing import Final

from conformance.model.errors import NotDecided
from conformance.model.exchange import ErrorKind, Exchange
from conformance.model.verdict import Blame
from conformance.rules.run import Run
from conformance.scenarios.limit_result import LimitResult

RETRY_LATER: Final = (ErrorKind.RATE_LIMITED, ErrorKind.UNAVAILABLE)
"""Errors of answers that ask the client to retry later."""


def was_retried(run: Run, exchange: Exchange) -> bool:
    """Tell whether a call was made again because the answer before asked to retry later."""
    if not exchange.repeats:
        return False
    before = (each for each in run.record.in_order() if each.id == exchange.repeats)
    return any(each.error in RETRY_LATER for each in before)


def undecided_by_retry(deleted: Exchange, again: Exchange) -> NotDecided:
    """Return that a creation which had to be retried after a deletion does not show whether the place was free."""
    return NotDecided(
        "After the deletion at the limit, the service asked to retry the creation later. So the run cannot tell "
        "whether the place was free immediately.",
        blame=Blame.NETWORK,
        remedy="Raise the service's rate limit for the accounts of the run, or send fewer requests per second with "
        "--rate, then run again. If it is not the rate limiter: let a deletion free its place at once.",
        exchanges=[deleted, again],
    )


def only_the_limit_asks_to_retry(run: Run, found: LimitResult) -> bool:
    """Tell whether creations at the limit, and no other calls, were asked to retry later: the limit is the reason."""
    if not found.freed_a_place or not found.later or found.refused is None:
        return False
    asked = [each for each in run.record.in_order() if each.error in RETRY_LATER]
    at_the_limit = all(each.intent.limit in ("reached", "perhaps") for each in asked)
    return at_the_limit and all(each.error in RETRY_LATER for each in (found.refused, *found.later))
