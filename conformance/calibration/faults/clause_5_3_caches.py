"""Faults of clause 5.3: caches that stand before the check of the token."""

from __future__ import annotations

from collections import Counter

from conformance.calibration.variant import fault
from conformance.reference.call import Call, Operation, Reply
from conformance.reference.config import ReferenceConfig
from conformance.reference.service import Service


@fault("5.3-read-without-token", "5.3-read-with-bad-token")
class _WhatIsReadOftenNeedsNoToken(Service):
    """The cache keeps what is read for the third time, by its address alone: nobody needs a token for it any more."""

    def __init__(self, config: ReferenceConfig) -> None:
        super().__init__(config)
        self.read_so_often: Counter[str] = Counter()

    async def perform(self, call: Call) -> Reply:
        kept = self.store.get(call.request_id) if call.operation is Operation.READ else None
        if kept is not None and self.read_so_often[kept.id] >= 3:
            return Reply.json(self.document(kept, call))
        reply = await super().perform(call)
        if kept is not None and reply.status == 200:
            self.read_so_often[kept.id] += 1
        return reply
