"""The exit code of a run: by its report, and by an earlier run whose failures are known (`check --baseline RUN`).

That of several runs is the worst of theirs.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from conformance.model.report import Report
from conformance.model.verdict import Blame, Exit, Level, Outcome, Verdict
from conformance.reports.failures import failing, stale_waivers

OF_OUTCOME: Final = {
    Outcome.CONFORMS: Exit.CONFORMS,
    Outcome.CONFORMS_IN_PART: Exit.CONFORMS,
    Outcome.CONFORMS_WITH_WAIVERS: Exit.CONFORMS,
    Outcome.DOES_NOT_CONFORM: Exit.DOES_NOT_CONFORM,
    Outcome.INCONCLUSIVE: Exit.INCONCLUSIVE,
}

_WORST_FIRST: Final = (Exit.BROKEN, Exit.DOES_NOT_CONFORM, Exit.INCONCLUSIVE, Exit.USAGE, Exit.CONFORMS)
"""An error of the configuration hides no other exit code, as within a run."""

_OF_THE_RUN: Final = (Blame.CREDENTIAL, Blame.NETWORK, Blame.SUITE)


def exit_code(report: Report, baseline: Report | None = None) -> Exit:
    """Return the exit code of a run.

    A stale waiver is an error of the configuration: it hides no other exit code. With a `baseline`, a run in which only
    known failures occur exits as if they had not, unless it decided less than the baseline.
    """
    code = Exit.BROKEN if report.crashes else OF_OUTCOME[report.outcome]
    if baseline is not None and code is Exit.DOES_NOT_CONFORM and not new_failures(report, baseline):
        incomplete = not report.complete or report.summary.left_behind or undecided_since(report, baseline)
        code = Exit.INCONCLUSIVE if incomplete else Exit.CONFORMS
    return Exit.USAGE if stale_waivers(report) and code is Exit.CONFORMS else code


def worst(codes: Iterable[Exit]) -> Exit:
    """Return the exit code of several runs; nothing was decided without any."""
    return min(codes, key=_WORST_FIRST.index, default=Exit.INCONCLUSIVE)


def new_failures(report: Report, baseline: Report) -> list[str]:
    """Return the requirements that fail, are not waived, and were neither failed nor warned of in the baseline."""
    known = accused(baseline)
    return [each for each in failing(report) if each not in known]


def accused(report: Report) -> set[str]:
    """Return what counts as a failure of a scored requirement, with --strict and --fail-on."""
    return {
        row.id
        for row in report.requirements
        if row.scored and any(each.verdict in (Verdict.FAIL, Verdict.WARN) or each.alert for each in row.findings)
    }


def undecided_since(report: Report, baseline: Report) -> list[str]:
    """Return each `must` that the baseline decided and `report` does not, or that the run itself left open."""
    whole = baseline.complete and not baseline.crashes
    before = {row.id: row.verdict for row in baseline.requirements if row.scored} if whole else {}
    return [
        row.id
        for row in report.requirements
        if row.scored
        and row.level is Level.MUST
        and row.verdict is Verdict.INCONCLUSIVE
        and (
            before.get(row.id) is not Verdict.INCONCLUSIVE
            or any(finding.blame in _OF_THE_RUN for finding in row.findings)
        )
    ]
