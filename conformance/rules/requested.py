"""Whether dataRequested has what was asked for, and only types of GET /data (2.1, 4.1)."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from typing import Literal

from conformance.facts.world import Facts
from conformance.model.errors import Probe, RequirementViolated
from conformance.model.exchange import Exchange
from conformance.model.text import in_json

_Kind = Literal["among", "set"]


def requested(
    exchange: Exchange, given: list[object], known: Facts
) -> Iterator[tuple[str, RequirementViolated | None]]:
    """Yield each requirement that the elements `given` of dataRequested decide, with its violation or None."""

    def wrong(
        requirement: str, message: str, expected: str, kind: _Kind, values: Collection[str]
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
        yield requirement, wrong(requirement, message, expected, "among", sorted(types)) if strange else None
    if intent.body == "known types" and isinstance(intent.types, list):
        requirement, listed = "4.1-requested-types", intent.types
        message = f"The body listed {in_json(listed, 120)}, but dataRequested is {in_json(given, 120)}."
        is_right = strings == set(listed)
        yield requirement, None if is_right else wrong(requirement, message, in_json(listed), "set", listed)
    if intent.body == "omitted" and not intent.label and types is not None and lasting is not None:
        requirement = "4.1-body-omitted"
        differing = ("lacks", sorted(lasting - strings)), ("adds", sorted(strings - types))
        parts = [f"{word} {in_json(some, 120)}" for word, some in differing if some]
        message = f"The body was omitted, but dataRequested {' and '.join(parts)}."
        every = "every type of GET /data"
        yield requirement, wrong(requirement, message, every, "set", sorted(lasting)) if parts else None
