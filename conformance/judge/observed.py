"""What calls of another program show: they decide less than those of a run, whose every call is known."""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from conformance.judge.decisions import EVERY_EXCHANGE
from conformance.judge.verdicts import NOT_OBSERVED
from conformance.model.findings import Finding
from conformance.model.results import Evidence, RequirementResult
from conformance.model.verdict import Blame, Verdict

_OF_A_RUN: Final = frozenset(
    (
        "2.1-requestId-unique",  # the recording may hold a creation twice
        *("2.1-dataRequested-known", "4.1-body-omitted"),  # the types may change between two lists
        *("8-limit-enforced", "8-limit-enforced-in-parallel"),  # so may the limit, and a token be of another user
        *("3-deletes-no-other", "3-removed-in-parallel", "3-deletes-completed"),  # other clients may delete
    )
)
"""What only calls decide that are all known."""


def if_observed(row: RequirementResult) -> RequirementResult:
    """Return a result on calls that another program made: what they do not decide was not observed."""
    is_undecided = row.verdict in (Verdict.INCONCLUSIVE, Verdict.NOT_APPLICABLE)
    if not is_undecided and row.id not in _OF_A_RUN:
        return row
    why = Finding[str](
        verdict=Verdict.INCONCLUSIVE,
        blame=Blame.CONFIGURATION,
        check=EVERY_EXCHANGE,
        message=NOT_OBSERVED,
        remedy="Record calls that ask for it, or run 'drsi-conformance check' against the service.",
    )
    return replace(
        row, verdict=Verdict.INCONCLUSIVE, findings=(why,), evidence=Evidence(), blocked_by=(), follows_from=()
    )
