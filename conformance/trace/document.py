"""Evidence as a trace: the exchanges and the conditions of a HAR document, with the results of the scenarios."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields
from typing import Any

from conformance.model.conditions import Conditions
from conformance.trace import codec, har
from conformance.trace.har import Har
from conformance.trace.target import target_of
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
        target_of(conditions, base_url),
        users=tuple(conditions.users),
        ever_listed=None if conditions.ever_listed is None else frozenset(conditions.ever_listed),
        results={
            name: codec.read(data, kinds[name], by_id) for name, data in conditions.results.items() if name in kinds
        },
        ends={name: codec.read_end(data, by_id) for name, data in conditions.ends.items() if name in kinds},
        conditions=conditions,
    )


def conditions_of(evidence: Har) -> Conditions:
    """Return the conditions of a run, of which its evidence may lack some or have others; raise as `trace_of` does."""
    known = {each.name for each in fields(Conditions)}
    given = {name: value for name, value in evidence["log"]["_run"].items() if name in known}
    if given.get("concurrency") not in range(1, 65):
        raise ValueError("the conditions of the run are not as the suite writes them")
    return Conditions(**given)
