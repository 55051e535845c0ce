"""Twins behind platforms of the cloud, which answer some calls in place of the service."""

from __future__ import annotations

import json
from contextlib import suppress

from conformance.calibration.variant import twin
from conformance.reference.call import Action, Call, Reply
from conformance.reference.service import Service


@twin("4.1")
class _OddBodiesCrashAFunction(Service):
    """A function crashes on a body that is no array of strings, and its gateway answers 502: no table covers such."""

    async def create(self, call: Call) -> Reply:
        with suppress(ValueError, RecursionError):
            wanted = json.loads(call.body or b"[]")
            if isinstance(wanted, list) and all(isinstance(each, str) for each in wanted):
                return await super().create(call)
        return Reply.json({"message": "Internal server error"}, 502)


@twin("5.4")
class _PublicCallsSendTokensToALogin(Service):
    """A portal serves GET /settings and GET /data to all, but sends a token that it did not issue to its login."""

    async def perform(self, call: Call) -> Reply:
        if call.operation in (Action.SETTINGS, Action.DATA) and call.authorization:
            return Reply(302, b"", {"location": "https://login.shop.example/"})
        return await super().perform(call)
