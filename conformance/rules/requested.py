"""Whether dataRequested has what was asked for, and only types of GET /data (2.1, 4.1)."""

from __future__ import annotations

from collections.abc import Iterable

from conformance.model.errors import RequirementViolated
from conformance.model.exchange import Exchange
from conformance.model.probe import Probe
from conformance.model.text import in_json
from conformance.rules.run_context import RunContext


def requested(exchange: Exchange, given: list[object], known: RunContext) -> Iterable[RequirementViolated]:
    """Yield what the elements `given` of dataRequested violate, in the answer to `exchange`."""
    strings = {value for value in given if isinstance(value, str)}
    if known.types is not None and (strange := sorted(strings - known.types)):
        yield RequirementViolated(
            f"dataRequested names {in_json(strange, 120)}, which GET /data does not list as a type.",
            requirement="2.1-dataRequested-known",
            path="/dataRequested",
            expected="type values of GET /data",
            actual=in_json(given),
            probe=Probe(kind="among", pointer="/dataRequested", values=tuple(sorted(known.types))),
            remedy=_of_an_overview(exchange, strings, known.types),
        )
    listed = exchange.intent.types
    if exchange.intent.body == "known types" and isinstance(listed, list) and strings != set(listed):
        yield RequirementViolated(
            f"The body listed {in_json(listed, 120)}, but dataRequested is {in_json(given, 120)}.",
            requirement="4.1-requested-types",
            path="/dataRequested",
            expected=in_json(listed),
            actual=in_json(given),
            probe=Probe(kind="set", pointer="/dataRequested", values=tuple(listed)),
        )
    lasting = known.types if known.lasting_types is None else known.lasting_types
    omitted = exchange.intent.body == "omitted" and not exchange.intent.label
    if omitted and known.types is not None and lasting is not None and not lasting <= strings <= known.types:
        missing, extra = sorted(lasting - strings), sorted(strings - known.types)
        parts = [f"{word} {in_json(some, 120)}" for word, some in (("lacks", missing), ("adds", extra)) if some]
        yield RequirementViolated(
            f"The body was omitted, but dataRequested {' and '.join(parts)}.",
            requirement="4.1-body-omitted",
            path="/dataRequested",
            expected="every type of GET /data",
            actual=in_json(given),
            probe=Probe(kind="set", pointer="/dataRequested", values=tuple(sorted(lasting))),
        )


def decided_by_types(exchange: Exchange, given: list[object], known: RunContext) -> set[str]:
    """Return the requirements that the elements `given` of dataRequested violate or keep, in an answer."""
    decided = set()
    if known.types is not None:
        if any(isinstance(each, str) for each in given) or not known.types:
            decided.add("2.1-dataRequested-known")
        if exchange.intent.body == "omitted" and not exchange.intent.label:
            decided.add("4.1-body-omitted")
    if exchange.intent.body == "known types" and isinstance(exchange.intent.types, list):
        decided.add("4.1-requested-types")
    return decided


def _of_an_overview(exchange: Exchange, given: set[str], listed: frozenset[str]) -> str:
    """Return what to do where a request for everything has all listed types and more; empty in other cases."""
    if exchange.intent.body != "omitted" or not given >= listed:
        return ""
    return (
        "A request without a body has every type that GET /data lists, and more. If users can ask for these, let GET "
        "/data list them as well; otherwise leave them out of dataRequested."
    )
