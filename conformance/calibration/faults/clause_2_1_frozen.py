"""Faults of clause 2.1: createdAt is the moment of something else, which was taken once and is shown again."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime, timedelta
from typing import Final

from conformance.calibration.variant import fault
from conformance.reference.call import Call
from conformance.reference.config import ReferenceConfig
from conformance.reference.service import Service
from conformance.reference.store import DataRequest

_VALUE = "2.1-createdAt-value"

_A_NETWORK: Final = 0.05
"""Seconds for each call: a run over a network takes so long, and one in this process no second in all."""


class _Once(Service):
    def __init__(self, config: ReferenceConfig) -> None:
        super().__init__(config)
        self._first: dict[object, datetime] = {}

    def new_request(self, types: tuple[str, ...], call: Call) -> DataRequest:
        made = super().new_request(types, call)
        return replace(made, created_at=self._first.setdefault(self.key(made), made.created_at))

    def key(self, _made: DataRequest) -> object:
        """Return that of which all requests have the same moment."""
        return None


@fault(_VALUE, clock_step=_A_NETWORK)
class _CreatedAtIsTheFirstOne(_Once):
    """The default of the column was evaluated once, when the class was defined."""


@fault(_VALUE, clock_step=_A_NETWORK)
class _CreatedAtOfTheSameTypesBefore(_Once):
    """A deleted row for the same types is taken up again, with a new identifier and its old createdAt."""

    def key(self, made: DataRequest) -> object:
        return made.owner, made.types


class _Kept(Service):
    """Keeps another moment than that of the creation."""

    def new_request(self, types: tuple[str, ...], call: Call) -> DataRequest:
        made = super().new_request(types, call)
        return replace(made, created_at=self.kept(made.created_at))

    def kept(self, moment: datetime) -> datetime:
        """Return what is kept of a moment."""
        return moment.replace(hour=0, minute=0, second=0, microsecond=0)


@fault(_VALUE)
class _CreatedAtIsMidnight(_Kept):
    """The column is a date, which becomes the midnight before."""


@fault(_VALUE)
class _CreatedAtIsAMinuteAhead(_Kept):
    """createdAt comes from a machine whose clock is a minute fast, and Date from one that is right."""

    def kept(self, moment: datetime) -> datetime:
        return moment + timedelta(minutes=1)


@fault(_VALUE)
class _CreatedAtIsOfTheStart(_Once):
    """The default argument is evaluated when the service starts, in a run of a second."""
