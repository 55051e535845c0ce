"""Twins whose createdAt moves by a little when it is stored: how precisely a moment is kept, 4.2 does not say."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime, timedelta

from conformance.reference.bend import twin
from conformance.reference.call import Call, Operation
from conformance.reference.service import Service
from conformance.reference.store import DataRequest
from conformance.reference.twins.common import Document


@twin("4.2")
class _ThreeHundredthsWhenRead(Service):
    """Creation answers from memory; the column keeps 1/300 of a second, so that .225 is read as .227."""

    def document(self, request: DataRequest, call: Call) -> Document:
        document = super().document(request, call)
        if call.operation is Operation.READ:
            document["createdAt"] = self.timestamp(_in_three_hundredths(request.created_at))
        return document


def _in_three_hundredths(moment: datetime) -> datetime:
    ticks = round(moment.microsecond * 300 / 1_000_000)
    return moment.replace(microsecond=0) + timedelta(milliseconds=round(ticks * 1000 / 300))


@twin("4.2")
class _RoundedWhenCreatedCutWhenRead(Service):
    """Creation rounds to the millisecond, to which reading cuts: two serialisers of the same microseconds."""

    def document(self, request: DataRequest, call: Call) -> Document:
        document = super().document(request, call)
        # Of a moment with seven tenths of a millisecond the two make different ones every time.
        kept = request.created_at.replace(microsecond=request.created_at.microsecond // 1000 * 1000 + 700)
        shown = kept + timedelta(microseconds=500) if call.operation is Operation.CREATE else kept
        document["createdAt"] = self.timestamp(shown.replace(microsecond=shown.microsecond // 1000 * 1000))
        return document


@twin("2.1", clock_step=0.05)
class _ClockReadEverySecond(Service):
    """One node of two keeps the moment for a second, fraction and all, and reads its clock only then."""

    _kept: datetime | None = None

    def new_request(self, types: tuple[str, ...], call: Call) -> DataRequest:
        made = super().new_request(types, call)
        if self._kept is None or made.created_at - self._kept >= timedelta(seconds=1):
            self._kept = made.created_at
        return replace(made, created_at=self._kept) if self.turn("node") % 2 else made
