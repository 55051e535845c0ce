"""Twins that write and round moments in another way: 2.1 names ISO 8601, read as RFC 3339, with an offset or Z."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime, timedelta, timezone
from typing import Any

from conformance.calibration import sources
from conformance.calibration.operators import changing, stamped
from conformance.calibration.twins.common import created_at
from conformance.calibration.variant import add_twin, twin
from conformance.reference.call import Action, Call
from conformance.reference.service import Service
from conformance.reference.store import DataRequest


def _written(write: Callable[[datetime, Service], str]) -> type[Service]:
    """Return the service that uses `write` for moments."""

    return changing("timestamp", lambda service, _text, moment: write(moment, service))


def _in_zone(moment: datetime, **offset: int) -> str:
    return moment.astimezone(timezone(timedelta(**offset))).isoformat(timespec="milliseconds")


def _second(moment: datetime) -> str:
    return f"{moment:%Y-%m-%dT%H:%M:%S}"


def _in_three_hundredths(moment: datetime) -> datetime:
    ticks = round(moment.microsecond * 300 / 1_000_000)
    return moment.replace(microsecond=0) + timedelta(milliseconds=round(ticks * 1000 / 300))


for _name, _text, _write in (
    (
        "numeric-offset",
        "Date-times have a numeric offset: 2.1 allows both forms.",
        lambda moment, _: _in_zone(moment, hours=5, minutes=45),
    ),
    (
        "nine-fraction-digits",
        "Date-times have nanoseconds: RFC 3339 does not limit the fraction.",
        lambda moment, service: Service.timestamp(service, moment).replace("Z", "000000Z"),
    ),
    ("no-fraction", "Date-times are whole seconds, in every answer.", lambda moment, _: f"{_second(moment)}Z"),
    (
        "fraction-without-trailing-zeros",
        "The fraction omits trailing zeros, so that its length differs between requests.",
        lambda moment, _: f"{_second(moment)}.{moment.microsecond:06}".rstrip("0").rstrip(".") + "Z",
    ),
):
    add_twin("2.1", _name, _text, service=_written(_write))


@twin("2.1", {"2.1-createdAt-precise": ("warn",)}, by=stamped)
def local_day_in_utc(moment: datetime) -> datetime:
    """The column holds the day; createdAt is when it begins in Kolkata, written in UTC."""
    there = moment.astimezone(timezone(timedelta(hours=5, minutes=30)))
    return there.replace(hour=0, minute=0, second=0, microsecond=0).astimezone(UTC)


@twin("2.1", {"2.1-date-time-form": ("warn",)}, by=_written)
def offset_of_hours_only(moment: datetime, service: Service) -> str:
    """Date-times end in +00, as one database prints them: ISO 8601 allows it."""
    return Service.timestamp(service, moment).replace("Z", "+00")


@twin("2.1", {"2.1-date-time-form": ("warn",)}, by=_written)
def offset_without_a_colon(moment: datetime, _service: Service) -> str:
    """Date-times end in +0200, as several libraries print them by default."""
    return _in_zone(moment, hours=2).replace("+02:00", "+0200")


for _name, _text, _operation, _write in (
    (
        "another-zone-when-read",
        "Creation answers in local time, reading in UTC: the moment is the same.",
        Action.CREATE,
        lambda moment, _: _in_zone(moment, hours=2),
    ),
    (
        "fewer-digits-when-read",
        "Creation shows createdAt with nanoseconds; reading shows the stored milliseconds.",
        Action.CREATE,
        lambda moment, _: f"{_second(moment)}.{moment.microsecond:06}999Z",
    ),
    (
        "whole-seconds-when-read",
        "Creation answers from memory, with milliseconds; reading shows the column, which stores whole seconds.",
        Action.READ,
        lambda moment, _: f"{_second(moment)}Z",
    ),
    (
        "rounded-to-the-second-when-read",
        "The column that reading shows is rounded to the nearest second, which may be later than the creation.",
        Action.READ,
        lambda moment, _: f"{_second(moment + timedelta(seconds=0.5))}Z",
    ),
    (
        "three-hundredths-when-read",
        "Creation answers from memory; the column stores 1/300 of a second, so that .225 reads as .227.",
        Action.READ,
        lambda moment, service: service.timestamp(_in_three_hundredths(moment)),
    ),
    (
        "whole-minutes-when-read",
        f"Creation answers from memory; the column stores the nearest minute ({sources.SQL_SERVER_MINUTES}).",
        Action.READ,
        lambda moment, service: service.timestamp((moment + timedelta(seconds=30)).replace(second=0, microsecond=0)),
    ),
):
    add_twin("4.2", _name, _text, service=created_at(_operation, _write))


@twin("2.1", source=sources.SQL_SERVER_MINUTES, by=stamped)
def created_at_is_the_minute(moment: datetime) -> datetime:
    """createdAt is precise to the minute: the specification states no precision."""
    return moment.replace(second=0, microsecond=0)


@twin("2.1", source="2.1, table, row 2, Meaning", by=stamped)
def created_at_in_tens_of_seconds(moment: datetime) -> datetime:
    """createdAt is precise to ten seconds: the specification states no precision."""
    return moment.replace(second=moment.second // 10 * 10, microsecond=0)


@twin("2.1", source="2.1, table, row 2, Meaning", by=stamped)
def created_at_by_another_clock(moment: datetime) -> datetime:
    """The database stamps the rows, and its clock is three minutes ahead of the clock behind Date."""
    return moment + timedelta(minutes=3)


@twin("2.1", alerts=("3-initial-state",), complete_after=0.0, source=sources.MYSQL_SECONDS, of="document")
def completed_at_is_the_second(_service: Service, document: Any, request: DataRequest, *_: object) -> Any:
    """completedAt is cut to the second, which is before createdAt: the specification states no precision."""
    return document | {"completedAt": f"{_second(request.created_at)}Z"}


@twin("2.1", of="document")
def expected_completion_of_the_day(service: Service, document: Any, request: DataRequest, _call: Call) -> Any:
    """expectedCompletion is the day of the creation, as its first moment, and lies in the past."""
    day = request.created_at.replace(hour=0, minute=0, second=0)
    return document | {"expectedCompletion": service.timestamp(day)}


@twin("2.1", source="2.1, table, row 3, Required", of="document")
def expected_completion_present(service: Service, document: Any, *_: object) -> Any:
    """The optional expectedCompletion is present, and changes while the request is in progress."""
    expected = service.now() + timedelta(days=14)
    return document | {"expectedCompletion": service.timestamp(expected)}


@twin("2.1", source="2.1, table, row 3, Required", of="document")
def expected_completion_when_read(service: Service, document: Any, request: DataRequest, call: Call) -> Any:
    """expectedCompletion is optional: only readings show it, once there is an estimate."""
    if call.operation is Action.READ:
        document["expectedCompletion"] = service.timestamp(request.created_at + timedelta(days=30))
    return document


@twin("2.1", alerts=("3-initial-state",), complete_after=0.0, source="2.1, table, row 3, Required", of="document")
def expected_completion_after_completion(service: Service, document: Any, request: DataRequest, *_: object) -> Any:
    """A completed request still shows its expectedCompletion, which lies in the future."""
    expected = service.timestamp(request.created_at + timedelta(days=30))
    return document | {"expectedCompletion": expected}


@twin(
    "2.1",
    source=sources.CONNECTION_POOLS,
    base=stamped(lambda moment: moment.replace(microsecond=0)),
    at="new_request",
)
def some_creations_take_seconds(service: Service, *_: object) -> None:
    """Some creations wait three seconds for the database; createdAt, in whole seconds, is when they go on."""
    if service.turn("creations") % 8 == 5:
        service.clock.advance(4 - service.clock.moment().microsecond / 1_000_000)
