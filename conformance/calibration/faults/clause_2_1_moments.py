"""Faults of clause 2.1: wrong values of createdAt and completedAt."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any, Final

from conformance.calibration.operators import mapped, on_request, put
from conformance.calibration.sources import DJANGO_DEFAULT
from conformance.calibration.variant import add_fault, fault
from conformance.reference.call import Action, Call
from conformance.reference.service import Service
from conformance.reference.store import DataRequest

_FORM = "2.1-createdAt"
_VALUE = "2.1-createdAt-value"
_AGREES = "4.2-agrees-with-creation"


def _written(row: str, name: str, summary: str, write: Callable[[datetime], Any], *operations: Action) -> None:
    change = mapped("createdAt", lambda value: write(datetime.fromisoformat(value)))
    add_fault(row, f"created-at-{name}", summary, on_request(change, *operations), consequences=(_VALUE, _AGREES))


def _iso(moment: datetime) -> str:
    return moment.isoformat(timespec="milliseconds")


for _name, _summary, _write in (
    (
        "in-another-calendar",
        "The server's locale counts years in another calendar.",
        lambda moment: _iso(moment.replace(month=1, day=1, year=moment.year + 543)),
    ),
    (
        "with-day-and-month-swapped",
        "The service exchanges day and month.",
        lambda moment: _iso(moment.replace(month=(moment.month + 5) % 12 + 1, day=1)),
    ),
):
    _written(_VALUE, _name, _summary, _write)

_written(
    _FORM,
    "as-array-on-read",
    "Only one of two serializers has the setting for date-times.",
    lambda moment: [*moment.timetuple()[:6]],
    Action.READ,
)


for _name, _summary, _service in (
    ("completed-at-of-1970", "A column was never written.", on_request(put(completedAt="1970-01-01T00:00:00Z"))),
    (
        "completed-at-is-300-days-early",
        "The data was gathered in a batch of last year, and the request shows the day of the batch.",
        on_request(
            mapped("completedAt", lambda value: (datetime.fromisoformat(value) - timedelta(days=300)).isoformat())
        ),
    ),
    (
        "completed-at-of-the-year-one",
        "A moment that was never set has the default value of its type.",
        on_request(put(completedAt="0001-01-01T00:00:00Z"), Action.READ),
    ),
    (
        "completed-at-is-when-it-expires",
        "The service shows the day until which it keeps the result.",
        on_request(
            mapped("completedAt", lambda value: (datetime.fromisoformat(value) + timedelta(days=30)).isoformat())
        ),
    ),
):
    add_fault("2.1-completedAt-value", _name, _summary, _service, complete_after=0.0)

_A_NETWORK: Final = 0.05
"""Seconds added for each call, so that a run in one process lasts as long as a run over a network."""


@fault(_VALUE, clock_step=_A_NETWORK, source=DJANGO_DEFAULT)
class _CreatedAtIsTheFirstOne(Service):
    """The default of the column is evaluated once, when the class is defined."""

    _first: datetime | None = None

    def new_request(self, types: tuple[str, ...], call: Call) -> DataRequest:
        made = super().new_request(types, call)
        self._first = self._first or made.created_at
        return replace(made, created_at=self._first)


def _kept(keep: Callable[[datetime], datetime]) -> type[Service]:
    """Return the service that keeps the result of `keep` as the moment of a creation."""

    class Changed(Service):
        def new_request(self, types: tuple[str, ...], call: Call) -> DataRequest:
            made = super().new_request(types, call)
            return replace(made, created_at=keep(made.created_at))

    return Changed


for _name, _summary, _service in (
    (
        "created-at-is-midnight",
        "The column is a date, so that the moment becomes a midnight.",
        _kept(lambda moment: moment.replace(hour=0, minute=0, second=0, microsecond=0)),
    ),
    (
        "created-at-is-ten-minutes-behind",
        "A job stamps the rows that it finds in a queue.",
        _kept(lambda moment: moment - timedelta(minutes=10)),
    ),
):
    add_fault("2.1-createdAt-precise", _name, _summary, _service)
