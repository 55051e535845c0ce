"""Twins whose createdAt changes slightly when it is stored: 4.2 does not state its precision."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime, timedelta

from conformance.calibration.sources import CONNECTION_POOLS, SQL_SERVER_MINUTES
from conformance.calibration.twins.common import created_at
from conformance.calibration.variant import add_twin, twin
from conformance.reference.call import Action, Call
from conformance.reference.service import Service
from conformance.reference.store import DataRequest


def _in_three_hundredths(moment: datetime) -> datetime:
    ticks = round(moment.microsecond * 300 / 1_000_000)
    return moment.replace(microsecond=0) + timedelta(milliseconds=round(ticks * 1000 / 300))


def _nearest_minute(moment: datetime) -> datetime:
    return (moment + timedelta(seconds=30)).replace(second=0, microsecond=0)


add_twin(
    "4.2",
    "three-hundredths-when-read",
    "Creation answers from memory; the column stores 1/300 of a second, so that .225 reads as .227.",
    service=created_at(Action.READ, lambda moment, service: service.timestamp(_in_three_hundredths(moment))),
)
add_twin(
    "4.2",
    "whole-minutes-when-read",
    f"Creation answers from memory; the column stores the nearest minute ({SQL_SERVER_MINUTES}).",
    service=created_at(Action.READ, lambda moment, service: service.timestamp(_nearest_minute(moment))),
)


@twin("2.1", source=CONNECTION_POOLS)
class _SomeCreationsTakeSeconds(Service):
    """Some creations wait three seconds for the database; createdAt, in whole seconds, is when they go on."""

    def new_request(self, types: tuple[str, ...], call: Call) -> DataRequest:
        if self.turn("creations") % 8 == 5:
            self.clock.advance(4 - self.clock.moment().microsecond / 1_000_000)
        made = super().new_request(types, call)
        return replace(made, created_at=made.created_at.replace(microsecond=0))
