"""Faults of clauses 3, 7 and 8 that hide the limit: behind requests to retry later, and behind completions at once."""

from __future__ import annotations

from conformance.calibration.sources import TOO_MANY_REQUESTS
from conformance.calibration.variant import fault
from conformance.reference.call import Call, ErrorCondition, Reply
from conformance.reference.service import Service

_LATER = {"error": "TooManyRequests", "message": "Try again later."}


@fault("7-limit-reached", source=TOO_MANY_REQUESTS)
class _TooManyRequestsAtTheLimit(Service):
    """The limit is enforced by the rate limiter, which answers 429 in place of the 400."""

    def refuse(self, condition: ErrorCondition, call: Call) -> Reply:
        if condition is ErrorCondition.LIMIT:
            return Reply.json(_LATER, 429)
        return super().refuse(condition, call)
