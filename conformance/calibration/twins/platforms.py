"""Twins behind platforms of the cloud, which answer some calls in place of the service."""

from __future__ import annotations

from conformance.calibration.variant import twin
from conformance.reference.call import Action, Call, Reply
from conformance.reference.service import Service


@twin("5.4")
class _PublicCallsSendTokensToALogin(Service):
    """A portal serves GET /settings and GET /data to all, but sends a token that it did not issue to its login."""

    async def perform(self, call: Call) -> Reply:
        if call.operation in (Action.SETTINGS, Action.DATA) and call.authorization:
            return Reply(302, b"", {"location": "https://login.shop.example/"})
        return await super().perform(call)
