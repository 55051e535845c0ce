"""Faults of gateways that turn single calls away as those of another version of HTTP, or of another protocol."""

from __future__ import annotations

from abc import ABC, abstractmethod

from conformance.calibration.variant import fault
from conformance.reference.call import Action, Call, Reply
from conformance.reference.service import Service


class _OtherVersion(Service, ABC):
    """A gateway takes some calls for those of a protocol that it does not serve."""

    status = 505

    @abstractmethod
    def turns_away(self, call: Call) -> bool:
        """Tell whether the gateway answers this call."""

    async def shortcut(self, call: Call) -> Reply | None:
        return Reply(self.status, b"", {"upgrade": "h2c"}) if self.turns_away(call) else None


@fault("4.1-answers-200", "7-invalid-data-types")
class _CreationsWantAnotherVersion(_OtherVersion):
    """The gateway forwards creations to a server of HTTP/2 only, which answers 505."""

    def turns_away(self, call: Call) -> bool:
        return call.operation is Action.CREATE and self.authenticate(call) is not None


@fault("4.4-answers-200")
class _SettingsWantAnUpgrade(_OtherVersion):
    """The page of settings wants an upgrade to TLS, and the other paths do not: 426."""

    status = 426

    def turns_away(self, call: Call) -> bool:
        return call.operation is Action.SETTINGS
