"""Faults of clauses 3, 7 and 8 that hide the limit: behind requests to retry later, and behind completions at once."""

from __future__ import annotations

from collections import defaultdict
from datetime import datetime, timedelta
from functools import cached_property

from conformance.calibration.variant import fault
from conformance.model.verdict import Verdict
from conformance.reference.call import Call, ErrorCondition, Reply
from conformance.reference.service import Service
from conformance.reference.store import DataRequest

_LATER = {"error": "TooManyRequests", "message": "Try again later."}


@fault("3-frees-the-limit", verdict=Verdict.INCONCLUSIVE)
class _LatePlaceBehindA429(Service):
    """A place becomes free a second after the deletion; until then the service asks to retry later, as any may."""

    deleted = cached_property(lambda _: defaultdict[str, list[datetime]](list))

    def remove(self, request: DataRequest) -> DataRequest | None:
        self.deleted[request.owner].append(self.now())
        return super().remove(request)

    async def create(self, call: Call) -> Reply:
        held = sum(self.holds_place(each, call.owner) for each in self.store.all())
        recent = [each for each in self.deleted[call.owner] if self.now() - each < timedelta(seconds=1)]
        if held < self.config.max_requests <= held + len(recent):
            reply = Reply.json(_LATER, 429)
            reply.headers["retry-after"] = "1"
            return reply
        return await super().create(call)


@fault("7-limit-reached")
class _TooManyRequestsAtTheLimit(Service):
    """The limit is enforced by the rate limiter, which answers 429 in place of the 400."""

    def refuse(self, condition: ErrorCondition, call: Call) -> Reply:
        if condition is ErrorCondition.LIMIT:
            return Reply.json(_LATER, 429)
        return super().refuse(condition, call)
