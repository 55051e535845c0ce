"""Simultaneous calls of the suite itself, which may provoke a conflict (409, 423)."""

from __future__ import annotations

from typing import Final

from conformance.model.errors import NotDecided
from conformance.model.exchange import Exchange
from conformance.model.findings import Finding
from conformance.model.requirements import Requirement
from conformance.model.verdict import Blame
from conformance.rules.run_context import RunContext

ON_SIMULTANEOUS_CALLS: Final = frozenset(
    [
        "3-frees-the-limit-in-parallel",
        "3-removed-in-parallel",
        "4.1-creates-in-parallel",
        "4.2-answers-while-deleted",
        "8-limit-enforced-in-parallel",
    ]
)
"""Requirements that judge what simultaneous calls provoke."""


def provoked(finding: Finding[Exchange], row: Requirement, known: RunContext) -> NotDecided | None:
    """Return that simultaneous calls provoked what a finding shows, which only the requirements on them judge."""
    if finding.exchanges[0].id not in known.conflicts or row.id in ON_SIMULTANEOUS_CALLS:
        return None
    return NotDecided(
        f"{finding.message} Other calls of the suite were in progress at that moment.",
        blame=Blame.CONFIGURATION,
        remedy="Run again with --concurrency 1.",
    )
