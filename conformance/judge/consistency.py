"""Consistency: a data request agrees with what was asked for (2.1, 4.1), and with its creation (4.2)."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from datetime import timedelta
from typing import Any, Final, Literal

from conformance.facts.world import Facts
from conformance.judge.moments import unit_of
from conformance.model.errors import Probe, RequirementViolated
from conformance.model.exchange import Exchange
from conformance.model.formats import fraction_digits, is_date_time, parse_date_time
from conformance.model.text import in_json

LASTING: Final = ("requestId", "createdAt", "dataRequested")
"""The fields that cannot change while a request exists; the state and the expectation may."""

_STORED: Final = timedelta(milliseconds=4)
"""Largest change of a moment by storing it: a database may round to 1/300 s."""


def disagreements(
    earlier: dict[str, Any], read: dict[str, Any], *, both_read: bool = False
) -> Iterator[tuple[str, Any, Any]]:
    """Yield each lasting field that differs, with its value at creation (`both_read`: earlier reading) and at reading.

    Clause 2.1 judges fields that either side lacks.
    """
    for name in LASTING:
        if name in earlier and name in read and not _agree(name, earlier[name], read[name], both_read):
            yield name, earlier[name], read[name]


def changes(earlier: dict[str, Any], read: dict[str, Any], *, both_read: bool = False) -> Iterator[RequirementViolated]:
    """Yield what each of these `disagreements` violates."""
    what = "the first reading" if both_read else "creation"
    for name, then, now in disagreements(earlier, read, both_read=both_read):
        yield RequirementViolated(
            f"{name} is {in_json(now, 100)} on reading, but {what} returned {in_json(then, 100)}.",
            requirement="4.2-agrees-with-creation",
            path=f"/{name}",
            expected=in_json(then),
            actual=in_json(now),
            probe=None if both_read else Probe(kind="as-created", pointer=f"/{name}"),
        )


def _agree(name: str, earlier: Any, read: Any, both_read: bool) -> bool:
    if name == "createdAt" and all(isinstance(each, str) and is_date_time(each) for each in (earlier, read)):
        return is_one_moment(earlier, read, both_read=both_read)
    return bool(_meaning(name, earlier) == _meaning(name, read))


def is_one_moment(earlier: str, read: str, *, both_read: bool) -> bool:
    """Tell whether two date-times of a request may be one moment, stored and written by the service in its own way."""
    moments = parse_date_time(earlier), parse_date_time(read)
    apart = abs(moments[0] - moments[1])
    if not both_read and (apart <= _STORED or apart < max(map(unit_of, moments))):
        return True
    return apart.total_seconds() < max(_blur(earlier, read), 0.0005)


def _blur(earlier: str, read: str) -> float:
    """Return one unit of the shorter fraction, in seconds, if the fractions differ in length; else 0."""
    digits = {fraction_digits(earlier), fraction_digits(read)}
    return 10.0 ** -min(digits) * 1.001 if len(digits) > 1 else 0.0


def _meaning(name: str, value: Any) -> Any:
    if name == "requestId" and isinstance(value, str):
        return value.lower()
    if name == "dataRequested" and isinstance(value, list):
        return {item if isinstance(item, str) else repr(item) for item in value}
    return value


def requested(exchange: Exchange, given: list[object], known: Facts) -> Iterator[RequirementViolated | str]:
    """Yield what the elements `given` of dataRequested decide: violations, and ids of requirements that they keep."""

    def wrong(
        requirement: str, message: str, expected: str, kind: Literal["among", "set"], values: Collection[str]
    ) -> RequirementViolated:
        place, shown = "/dataRequested", in_json(given)
        probe = Probe(kind=kind, pointer=place, values=tuple(values))
        return RequirementViolated(
            message, requirement=requirement, path=place, expected=expected, actual=shown, probe=probe
        )

    strings, intent = {value for value in given if isinstance(value, str)}, exchange.intent
    types, lasting = known.types, known.lasting_types
    if types is not None and (strings or not types):
        requirement, strange = "2.1-dataRequested-known", sorted(strings - types)
        message = f"dataRequested names {in_json(strange, 120)}, which GET /data does not list as a type."
        expected = "type values of GET /data"
        yield wrong(requirement, message, expected, "among", sorted(types)) if strange else requirement
    if intent.body == "known types" and isinstance(intent.types, list):
        requirement, listed = "4.1-requested-types", intent.types
        message = f"The body listed {in_json(listed, 120)}, but dataRequested is {in_json(given, 120)}."
        is_right = strings == set(listed)
        yield requirement if is_right else wrong(requirement, message, in_json(listed), "set", listed)
    if intent.body == "omitted" and not intent.label and types is not None and lasting is not None:
        requirement = "4.1-body-omitted"
        differing = ("lacks", sorted(lasting - strings)), ("adds", sorted(strings - types))
        parts = [f"{word} {in_json(some, 120)}" for word, some in differing if some]
        message = f"The body was omitted, but dataRequested {' and '.join(parts)}."
        every = "every type of GET /data"
        yield wrong(requirement, message, every, "set", sorted(lasting)) if parts else requirement
