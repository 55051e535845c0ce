"""Whether dataRequested has what was asked for, and only types of GET /data (2.1, 4.1)."""

from __future__ import annotations

from collections.abc import Iterator

from conformance.model.errors import RequirementViolated
from conformance.model.exchange import Exchange
from conformance.model.probe import Probe
from conformance.model.text import in_json
from conformance.rules.run_context import RunContext

Decided = tuple[str, RequirementViolated | None]
"""A requirement, with its violation if it is violated."""


def requested(exchange: Exchange, given: list[object], known: RunContext) -> Iterator[Decided]:
    """Yield each requirement that the elements `given` of dataRequested decide in an answer."""
    strings, intent = {value for value in given if isinstance(value, str)}, exchange.intent
    if known.types is not None and (strings or not known.types):
        strange = sorted(strings - known.types)
        message = f"dataRequested names {in_json(strange, 120)}, which GET /data does not list as a type."
        probe = Probe(kind="among", pointer="/dataRequested", values=tuple(sorted(known.types)))
        yield _decided("2.1-dataRequested-known", not strange, message, "type values of GET /data", given, probe)
    if intent.body == "known types" and isinstance(intent.types, list):
        listed = intent.types
        message = f"The body listed {in_json(listed, 120)}, but dataRequested is {in_json(given, 120)}."
        probe = Probe(kind="set", pointer="/dataRequested", values=tuple(listed))
        yield _decided("4.1-requested-types", strings == set(listed), message, in_json(listed), given, probe)
    lasting = known.types if known.lasting_types is None else known.lasting_types
    if intent.body == "omitted" and not intent.label and known.types is not None and lasting is not None:
        missing, extra = sorted(lasting - strings), sorted(strings - known.types)
        parts = [f"{word} {in_json(some, 120)}" for word, some in (("lacks", missing), ("adds", extra)) if some]
        message = f"The body was omitted, but dataRequested {' and '.join(parts)}."
        probe = Probe(kind="set", pointer="/dataRequested", values=tuple(sorted(lasting)))
        yield _decided("4.1-body-omitted", not parts, message, "every type of GET /data", given, probe)


def _decided(
    requirement: str, is_right: bool, message: str, expected: str, given: list[object], probe: Probe
) -> Decided:
    violation = RequirementViolated(
        message, requirement=requirement, path="/dataRequested", expected=expected, actual=in_json(given), probe=probe
    )
    return requirement, None if is_right else violation
