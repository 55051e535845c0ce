"""Twins whose createdAt changes slightly when it is stored: 4.2 does not state its precision."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from datetime import datetime, timedelta

from conformance.calibration.twins.common import Document
from conformance.calibration.variant import add_twin, twin
from conformance.reference.call import Action, Call
from conformance.reference.service import Service
from conformance.reference.store import DataRequest


@twin("4.2")
class _ThreeHundredthsWhenRead(Service):
    """Creation answers from memory; the column stores 1/300 of a second, so that .225 reads as .227."""

    def document(self, request: DataRequest, call: Call) -> Document:
        document = super().document(request, call)
        if call.operation is Action.READ:
            document["createdAt"] = self.timestamp(_in_three_hundredths(request.created_at))
        return document


def _in_three_hundredths(moment: datetime) -> datetime:
    ticks = round(moment.microsecond * 300 / 1_000_000)
    return moment.replace(microsecond=0) + timedelta(milliseconds=round(ticks * 1000 / 300))


@twin("4.2")
class _RoundedWhenCreatedCutWhenRead(Service):
    """Creation rounds to the millisecond, reading cuts: two serializers of the same microseconds."""

    def document(self, request: DataRequest, call: Call) -> Document:
        document = super().document(request, call)
        # The two serializers always differ for a moment with seven tenths of a millisecond.
        kept = request.created_at.replace(microsecond=request.created_at.microsecond // 1000 * 1000 + 700)
        shown = kept + timedelta(microseconds=500) if call.operation is Action.CREATE else kept
        document["createdAt"] = self.timestamp(shown.replace(microsecond=shown.microsecond // 1000 * 1000))
        return document


def _kept_to(cut: Callable[[datetime], datetime], operation: Action) -> type[Service]:
    class Kept(Service):
        def document(self, request: DataRequest, call: Call) -> Document:
            document = super().document(request, call)
            if call.operation is operation:
                document["createdAt"] = cut(request.created_at).isoformat()
            return document

    return Kept


def _minute(moment: datetime) -> datetime:
    return moment.replace(second=0, microsecond=0)


for _name, _text, _cut, _operation in (
    ("whole-minutes-when-read", "Reading cuts createdAt to the minute.", _minute, Action.READ),
    ("whole-minutes-when-created", "Creation cuts createdAt to the minute.", _minute, Action.CREATE),
    (
        "rounded-to-the-minute-when-read",
        "Reading rounds createdAt to the minute.",
        lambda moment: _minute(moment + timedelta(seconds=30)),
        Action.READ,
    ),
):
    add_twin("4.2", _name, _text, service=_kept_to(_cut, _operation))


@twin("2.1", clock_step=0.05)
class _ClockReadEverySecond(Service):
    """One of two nodes keeps the moment for a second, fraction included, before it reads its clock again."""

    _kept: datetime | None = None

    def new_request(self, types: tuple[str, ...], call: Call) -> DataRequest:
        made = super().new_request(types, call)
        if self._kept is None or made.created_at - self._kept >= timedelta(seconds=1):
            self._kept = made.created_at
        return replace(made, created_at=self._kept) if self.turn("node") % 2 else made
