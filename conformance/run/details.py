"""What a report says of a finding beside its verdict: the fix that an answer tells, and how to repeat the calls."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Final

from conformance.judge.remedies import Remedies
from conformance.model.curl import curl
from conformance.model.error_table import KNOWN_CREDENTIALS
from conformance.model.exchange import Exchange, Operation
from conformance.model.findings import Finding
from conformance.model.requirements import catalogue
from conformance.model.results import RequirementResult
from conformance.model.verdict import Verdict
from conformance.trace.trace import Trace

_OF_SEVERAL_CALLS: Final = ("3-frees", "7-limit", "8-")
"""How the requirements begin that one call alone never shows: a user who repeats it learns nothing."""


def with_details(rows: Sequence[RequirementResult], trace: Trace) -> tuple[RequirementResult, ...]:
    """Return the results, whose findings have what the exchanges of the run say of them."""
    details = _Details(trace, {each.id: each for each in trace.exchanges})
    return tuple(replace(row, findings=tuple(details.of(row.id, each) for each in row.findings)) for row in rows)


@dataclass
class _Details:
    trace: Trace
    exchanges: Mapping[str, Exchange]

    @cached_property
    def remedies(self) -> Remedies:
        return Remedies(self.trace.facts)

    @cached_property
    def deleted(self) -> frozenset[str]:
        """The identifiers of the requests whose deletion the service confirmed."""
        deletions = (each for each in self.exchanges.values() if each.operation is Operation.DELETE)
        return frozenset(
            each.request_id for each in deletions if each.response is not None and each.response.status < 300
        )

    def of(self, requirement: str, finding: Finding[str]) -> Finding[str]:
        """Return a finding of a requirement with its details."""
        shown = [self.exchanges[each] for each in finding.exchanges]
        accuses = finding.verdict in (Verdict.FAIL, Verdict.WARN)
        # A check knows more than the answer, so its remedy stays.
        remedy = (
            accuses and finding.remedy == catalogue()[requirement].remedy and self.remedies.of(requirement, finding)
        )
        return replace(
            finding,
            remedy=remedy or finding.remedy,
            server=next((in_short(each.raised) for each in shown if each.raised), ""),
            curl=self._line(shown[0]) if shown and not requirement.startswith(_OF_SEVERAL_CALLS) else "",
            steps=tuple(replace(each, curl=self._line(self.exchanges[each.exchange])) for each in finding.steps),
        )

    def _line(self, shown: Exchange) -> str:
        """Return the curl line of a call; empty for one to a request that it found and the run has deleted since.

        A user who copies it would get the 404 of a request that does not exist. Scripts create the request again.
        """
        existed = shown.intent.request in ("existing", "clean-up", "foreign")
        found = existed and shown.request.credential in KNOWN_CREDENTIALS
        return "" if found and shown.request_id in self.deleted else curl(shown, self.trace.target)


def in_short(traceback: str) -> str:
    """Return an exception in a line: its last line, and the last place of the code."""
    lines = [line.strip() for line in traceback.strip().splitlines()]
    place = next((line for line in reversed(lines) if line.startswith('File "')), "")
    return f"{lines[-1]} ({place})" if place else "".join(lines[-1:])
