"""Evidence as a trace: the exchanges and the conditions of a HAR document, with the results of the scenarios."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any, Final

from conformance.model.exchange import Exchange
from conformance.model.run_record import Conditions
from conformance.trace import codec, har
from conformance.trace.har import Har
from conformance.trace.trace import Trace, in_order


def trace_of(evidence: Har, base_url: str, kinds: Mapping[str, Any]) -> Trace:
    """Return the trace that evidence holds; `kinds` are the types of the results, by the names of their scenarios.

    A scenario that is not in `kinds` is one of another build, and is left out. Raise LookupError, TypeError, ValueError
    or AttributeError for evidence that the suite did not write.
    """
    conditions = conditions_of(evidence)
    exchanges = in_order(har.exchanges_of(evidence))
    by_id = {each.id: each for each in exchanges}
    for each in exchanges:
        if each.redirected_from:
            by_id[each.redirected_from].redirected_to = each.id
    return Trace(
        exchanges,
        replace(conditions.target, base_url=base_url),
        results={
            name: codec.read(data, kinds[name], by_id) for name, data in conditions.results.items() if name in kinds
        },
        ends={name: codec.read(data, Exception, by_id) for name, data in conditions.ends.items() if name in kinds},
        conditions=conditions,
    )


def evidence_of(exchanges: Iterable[Exchange], conditions: Conditions) -> Har:
    """Return the HAR document of a run. It has no digests."""
    return har.har(exchanges, run=data_of(conditions))


def data_of(conditions: Conditions) -> dict[str, Any]:
    """Return conditions as evidence has them: without those that have their default."""
    usual, given = codec.written(Conditions()), codec.written(conditions)
    return {name: value for name, value in given.items() if name == _ALWAYS or value != usual[name]}


def conditions_of(evidence: Har) -> Conditions:
    """Return the conditions of a run; those of another build may have other members. Raise as `trace_of` does."""
    conditions: Conditions = codec.read({_ALWAYS: None, **evidence["log"]["_run"]}, Conditions, {})
    return conditions


_ALWAYS: Final = "target"
"""The condition that every evidence has."""
