"""Faults of clauses 3, 7 and 8 that hide the limit: behind requests to retry later, and behind completions at once."""

from __future__ import annotations

import asyncio
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import replace
from datetime import datetime, timedelta
from functools import cached_property

from conformance.calibration.variant import fault
from conformance.model.verdict import Verdict
from conformance.reference.call import Call, ErrorCondition, RefusedError, Reply
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


class _SmallRequestsCompleteAtOnce(Service):
    """Requests for one type complete at once, larger ones stay in progress."""

    def new_request(self, types: tuple[str, ...], call: Call) -> DataRequest:
        request = super().new_request(types, call)
        return request if len(types) > 1 else DataRequest(request.id, request.owner, request.created_at, types, 0.0)


@fault("7-limit-reached")
class _SmallRequestsCompleteAtOnceAndLimit429(_SmallRequestsCompleteAtOnce, _TooManyRequestsAtTheLimit):
    """Requests for one type complete at once; larger ones are in progress, and beyond the limit the answer is 429."""


class _CountsThenInserts(Service):
    """Counting and inserting are two statements."""

    async def admit(self, types: tuple[str, ...], call: Call) -> DataRequest:
        request = self.new_request(types, call)
        if not self.has_room(self.store.all(), request):
            raise RefusedError(ErrorCondition.LIMIT)
        await asyncio.sleep(0.003)
        self.store.add(request)
        return request


@fault("8-limit-enforced-in-parallel")
class _SmallRequestsCompleteAtOnceAndRace(_SmallRequestsCompleteAtOnce, _CountsThenInserts):
    """Requests for one type complete at once; for larger ones, counting and inserting are two statements."""


class _OnlyTheLastTypeIsSlow(Service):
    """Requests complete at once unless they name the last type, and take no place then."""

    def is_slow(self, types: tuple[str, ...]) -> bool:
        return self.config.types[-1].type in types

    def new_request(self, types: tuple[str, ...], call: Call) -> DataRequest:
        request = super().new_request(types, call)
        return request if self.is_slow(types) else replace(request, complete_after=0.0)

    def has_room(self, existing: Iterable[DataRequest], request: DataRequest) -> bool:
        return not self.is_slow(request.types) or super().has_room(existing, request)


class _OnlyAllTypesAreSlow(_OnlyTheLastTypeIsSlow):
    """Requests complete at once unless they name all types, and take no place then."""

    def is_slow(self, types: tuple[str, ...]) -> bool:
        return len(types) == len(self.config.types)


@fault("7-limit-reached")
class _OnlyTheLastTypeIsSlowAndLimit429(_OnlyTheLastTypeIsSlow, _TooManyRequestsAtTheLimit):
    """Requests complete at once unless they name the last type; beyond the limit the answer is 429."""


@fault("7-limit-reached")
class _OnlyAllTypesAreSlowAndLimit429(_OnlyAllTypesAreSlow, _TooManyRequestsAtTheLimit):
    """Requests complete at once unless they name all types; beyond the limit the answer is 429."""


@fault("8-limit-enforced-in-parallel")
class _OnlyTheLastTypeIsSlowAndRace(_OnlyTheLastTypeIsSlow, _CountsThenInserts):
    """Requests complete at once unless they name the last type; counting and inserting are two statements."""


@fault("8-limit-enforced-in-parallel")
class _OnlyAllTypesAreSlowAndRace(_OnlyAllTypesAreSlow, _CountsThenInserts):
    """Requests complete at once unless they name all types; counting and inserting are two statements."""
