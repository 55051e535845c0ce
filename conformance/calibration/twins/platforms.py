"""Twins behind platforms of the cloud, which answer some calls in place of the service."""

from __future__ import annotations

import json
from contextlib import suppress

from conformance.calibration.sources import LAMBDA_502
from conformance.calibration.variant import twin
from conformance.reference.call import Call, Reply
from conformance.reference.service import Service


@twin("4.1", source=LAMBDA_502)
class _OddBodiesCrashAFunction(Service):
    """A function crashes on a body that is no array of strings, and its gateway answers 502: no table covers such."""

    async def create(self, call: Call) -> Reply:
        with suppress(ValueError, RecursionError):
            wanted = json.loads(call.body or b"[]")
            if isinstance(wanted, list) and all(isinstance(each, str) for each in wanted):
                return await super().create(call)
        return Reply.json({"message": "Internal server error"}, 502)
