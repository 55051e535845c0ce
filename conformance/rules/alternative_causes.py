"""Alternative causes: other facts of the run that explain a finding, which then is inconclusive.

A cause explains only its own effects. Other violations in the same response still count.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from conformance.model.errors import NotDecided
from conformance.model.exchange import Exchange
from conformance.model.findings import Finding
from conformance.model.requirements import Requirement
from conformance.model.verdict import Blame
from conformance.rules.requests import in_doubt
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


@dataclass(frozen=True)
class AlternativeCauses:
    """Facts of the whole run that can explain findings of single checks."""

    known: RunContext

    def explain(self, finding: Finding[Exchange], row: Requirement) -> NotDecided | None:
        """Return why a violation with exchanges decides nothing, or None."""
        return self._provoked(finding, row) or in_doubt(finding, row, self.known.ledger)

    def _provoked(self, finding: Finding[Exchange], row: Requirement) -> NotDecided | None:
        """The suite's simultaneous calls provoked a 409 or 423, which only the requirements on such calls judge."""
        if finding.exchanges[0].id not in self.known.conflicts or row.id in ON_SIMULTANEOUS_CALLS:
            return None
        return NotDecided(
            f"{finding.message} Other calls of the suite were in progress at that moment.",
            blame=Blame.CONFIGURATION,
            remedy=f"See {', '.join(sorted(ON_SIMULTANEOUS_CALLS))}, and run again with --concurrency 1.",
        )
