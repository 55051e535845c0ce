"""Dependent requirements: by the graph of the catalogue, from which failure follows a failure or a missing test."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import replace

from conformance.model.findings import Finding
from conformance.model.requirements import Graph, catalogue, distances
from conformance.model.results import RequirementResult
from conformance.model.text import listed
from conformance.model.verdict import Blame, Verdict


def with_dependents(rows: Sequence[RequirementResult], selected: Collection[str]) -> tuple[RequirementResult, ...]:
    """Return the results, in which each names the nearest failed requirements of the graph on which it depends.

    For a failed one they are those from which its failure probably follows; it stays a failure. For an inconclusive one
    they are those because of which its calls could not be made. Only `selected` requirements have a verdict in the
    report, so only these are named.
    """
    graphs = catalogue()
    failed = [row.id for row in rows if row.verdict is Verdict.FAIL and row.id in selected]
    passed = [row.id for row in rows if row.verdict is Verdict.PASS]
    found = []
    for row in rows:
        if row.verdict is Verdict.FAIL:
            row = replace(row, follows_from=nearest(graphs.depends_on, row.id, failed, passed))
        elif _lacks_calls(row) and (blockers := nearest(graphs.needs, row.id, failed)):
            row = replace(row, blocked_by=blockers, reason=f"Not tested because {listed(blockers)} failed.")
        found.append(row)
    return tuple(found)


def nearest(graph: Graph, id: str, wanted: Collection[str], barriers: Collection[str] = ()) -> tuple[str, ...]:
    """Return those `wanted` on which `id` depends by the fewest steps, none of them through one of the `barriers`."""
    ways = distances(graph, id, barriers)
    steps = {each: number for each, number in ways.items() if each in wanted and each != id}
    fewest = min(steps.values(), default=0)
    return tuple(each for each, number in steps.items() if number == fewest)


def _lacks_calls(row: RequirementResult) -> bool:
    """Tell whether a requirement is inconclusive because of what the service answered, not of an option or the network.

    Where an answer stands in the way, the account or its token may be the reason too, and the graph decides.
    """
    reasons = [finding for finding in row.findings if finding.verdict is Verdict.INCONCLUSIVE]
    undecided = row.verdict is Verdict.INCONCLUSIVE and bool(reasons)
    return undecided and all(each.blame is Blame.TARGET or _is_answered(each) for each in reasons)


def _is_answered(finding: Finding[str]) -> bool:
    return finding.blame in (Blame.CONFIGURATION, Blame.CREDENTIAL) and bool(finding.exchanges)
