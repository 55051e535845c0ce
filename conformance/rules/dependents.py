"""Dependent requirements: those that a run could not test because others failed."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace

from conformance.model.dependencies import distances
from conformance.model.findings import Finding
from conformance.model.requirements import catalogue
from conformance.model.results import RequirementResult
from conformance.model.text import listed
from conformance.model.verdict import Blame, Verdict


def with_blockers(rows: Sequence[RequirementResult], selected: Collection[str]) -> tuple[RequirementResult, ...]:
    """Return the results, in which each inconclusive one names the failed requirements that prevented its test.

    Only `selected` requirements can be named so, because only these have a verdict in the report. Without any, the
    remedy names the failed requirements that may be the cause.
    """
    failed = {row.id: row for row in rows if row.verdict is Verdict.FAIL}
    shown = {id: row for id, row in failed.items() if id in selected}
    others = [id for id in failed if id in _needed()]
    found = []
    for row in rows:
        blockers = _blockers(row, shown) if row.verdict is Verdict.INCONCLUSIVE else ()
        if blockers:
            row = replace(row, blocked_by=blockers, reason=f"Not tested because {listed(blockers)} failed.")
        elif row.verdict is Verdict.INCONCLUSIVE and others:
            row = replace(row, findings=tuple(_hinting(finding, others) for finding in row.findings))
        found.append(row)
    return tuple(found)


def _blockers(row: RequirementResult, failed: Mapping[str, RequirementResult]) -> tuple[str, ...]:
    """Return the failed requirements that its findings name, or share an exchange with; else the nearest ones."""
    reasons = [finding for finding in row.findings if finding.verdict is Verdict.INCONCLUSIVE]
    if not reasons or any(finding.blame is Blame.SUITE for finding in reasons):
        return ()
    if named := [id for id in failed if any(_names(finding, id) for finding in reasons)]:
        return tuple(named)
    steps = {id: number for id, number in distances(catalogue().depends_on, row.id).items() if id in failed}
    read = {exchange for finding in reasons for exchange in finding.exchanges}
    if showing := [id for id in steps if read & _shown_by(failed[id])]:
        return tuple(showing)
    if any(finding.blame is not Blame.TARGET for finding in reasons):
        return ()
    nearest = min(steps.values(), default=0)
    return tuple(id for id, number in steps.items() if number == nearest)


def _shown_by(row: RequirementResult) -> set[str]:
    """Return the exchanges that show the failure of a requirement."""
    return {exchange for finding in row.findings if finding.verdict is Verdict.FAIL for exchange in finding.exchanges}


def _names(finding: Finding[str], id: str) -> bool:
    """Whether a finding names the requirement, and not just one whose id begins in the same way."""
    return re.search(rf"{re.escape(id)}(?![-\w])", f"{finding.message} {finding.remedy}") is not None


def _needed() -> frozenset[str]:
    """Return the ids of the requirements on which others depend."""
    return frozenset(one for listed_ids in catalogue().depends_on.values() for one in listed_ids)


def _hinting(finding: Finding[str], failed: Sequence[str]) -> Finding[str]:
    """Return an inconclusive finding whose remedy names the `failed` requirements, if it names none of them yet."""
    may_follow = finding.verdict is Verdict.INCONCLUSIVE and finding.blame in (Blame.TARGET, Blame.CONFIGURATION)
    if not may_follow or any(_names(finding, id) for id in failed):
        return finding
    hint = f"Also failed, and may be the cause: {', '.join(failed)}."
    return replace(finding, remedy=f"{finding.remedy} {hint}".strip())
