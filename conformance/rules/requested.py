"""Whether dataRequested has what was asked for, and only types of GET /data (2.1, 4.1)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from conformance.facts.world import Facts
from conformance.model.errors import RequirementViolated
from conformance.model.exchange import Exchange
from conformance.model.probe import Probe
from conformance.model.text import in_json

_PLACE: Final = "/dataRequested"

Decided = tuple[str, RequirementViolated | None]
"""A requirement, with its violation if it is violated."""


def requested(exchange: Exchange, given: list[object], known: Facts) -> Iterator[Decided]:
    """Yield each requirement that the elements `given` of dataRequested decide in an answer."""
    strings, intent = {value for value in given if isinstance(value, str)}, exchange.intent
    if known.types is not None and (strings or not known.types):
        strange = strings - known.types
        yield "2.1-dataRequested-known", _unlisted(given, sorted(strange), known.types) if strange else None
    if intent.body == "known types" and isinstance(intent.types, list):
        is_right = strings == set(intent.types)
        yield "4.1-requested-types", None if is_right else _others(given, intent.types)
    lasting = known.types if known.lasting_types is None else known.lasting_types
    if intent.body == "omitted" and not intent.label and known.types is not None and lasting is not None:
        missing, extra = sorted(lasting - strings), sorted(strings - known.types)
        yield "4.1-body-omitted", _not_all(given, missing, extra, lasting) if missing or extra else None


def _unlisted(given: list[object], strange: list[str], types: frozenset[str]) -> RequirementViolated:
    message = f"dataRequested names {in_json(strange, 120)}, which GET /data does not list as a type."
    probe = Probe(kind="among", pointer=_PLACE, values=tuple(sorted(types)))
    return _wrong("2.1-dataRequested-known", message, "type values of GET /data", given, probe)


def _others(given: list[object], listed: list[str]) -> RequirementViolated:
    message = f"The body listed {in_json(listed, 120)}, but dataRequested is {in_json(given, 120)}."
    probe = Probe(kind="set", pointer=_PLACE, values=tuple(listed))
    return _wrong("4.1-requested-types", message, in_json(listed), given, probe)


def _not_all(given: list[object], missing: list[str], extra: list[str], lasting: frozenset[str]) -> RequirementViolated:
    parts = [f"{word} {in_json(some, 120)}" for word, some in (("lacks", missing), ("adds", extra)) if some]
    message = f"The body was omitted, but dataRequested {' and '.join(parts)}."
    probe = Probe(kind="set", pointer=_PLACE, values=tuple(sorted(lasting)))
    return _wrong("4.1-body-omitted", message, "every type of GET /data", given, probe)


def _wrong(requirement: str, message: str, expected: str, given: list[object], probe: Probe) -> RequirementViolated:
    return RequirementViolated(
        message, requirement=requirement, path=_PLACE, expected=expected, actual=in_json(given), probe=probe
    )
