"""Creations that were made again because the service asked to retry later."""

from __future__ import annotations

from typing import Final

from conformance.model.exchange import ErrorKind, Operation
from conformance.rules.limit import limit_so_far
from conformance.rules.run import Run
from conformance.scenarios.limit_result import LimitResult
from conformance.spec.kinds import State

RETRY_LATER: Final = (ErrorKind.RATE_LIMITED, ErrorKind.UNAVAILABLE)
"""Errors of answers that ask the client to retry later."""


def only_the_limit_asks_to_retry(run: Run, found: LimitResult) -> bool:
    """Tell whether creations at the limit, and no other calls, were asked to retry later: the limit is the reason."""
    if found.refused is None or not found.freed_a_place:
        return False
    asked, ledger = [each for each in run.record.in_order() if each.error in RETRY_LATER], limit_so_far(run).ledger
    creations = all(each.operation is Operation.CREATE for each in asked)
    at_the_limit = creations and all(ledger.room(each) in (State.FULL, State.EITHER) for each in asked)
    return at_the_limit and all(each.error in RETRY_LATER for each in (found.refused, *found.later))
