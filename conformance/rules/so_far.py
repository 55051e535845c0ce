"""A finding while the run goes on: plain pytest shows it when its check ends."""

from __future__ import annotations

from conformance.model.exchange import Exchange
from conformance.model.findings import CheckResult, Crashes, Finding
from conformance.model.requirements import Requirement
from conformance.rules.alternative_causes import AlternativeCauses
from conformance.rules.every_exchange import losses, of_every_exchange
from conformance.rules.run_context import RunContext
from conformance.rules.verdicts import explained_by, result_of


def explained_so_far(
    finding: Finding[Exchange], row: Requirement, check_results: list[CheckResult], exchanges: list[Exchange]
) -> Finding[Exchange]:
    """Return a finding, made inconclusive where it has an alternative cause by what a run has seen until now.

    The end of the run may find another cause, or none.
    """
    known = RunContext.of(exchanges)
    said = [*check_results, *map(result_of, of_every_exchange(exchanges, known, Crashes()))]
    return explained_by(finding, row, AlternativeCauses.of(said, exchanges, known, losses(exchanges)))
