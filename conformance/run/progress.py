"""The display of a run's progress, as far as a run knows it."""

from __future__ import annotations

from collections.abc import Sequence

from conformance.model.exchange import Exchange
from conformance.model.findings import Finding


class ProgressListener:
    """The display of a run's progress; this base class shows nothing."""

    def planned(self, clauses: Sequence[str]) -> None:
        """The checks to run are known; `clauses` holds the clause of each."""

    def at(self, clause: str, check: str) -> None:
        """The calls that a check needs begin."""

    def done(self, clause: str) -> None:
        """The calls that a check needs have ended."""

    def found(self, requirement: str, finding: Finding[Exchange], message: str) -> None:
        """A check has a finding; later rules may explain a violation otherwise. `message` is free of secrets."""
