"""The result of one target of an audit."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Any, Final

from conformance.model.report import Report
from conformance.model.verdict import Blame, Exit, Outcome, Verdict
from conformance.reports.exit_code import exit_code
from conformance.reports.failures import failing, must_be_decided

FILE: Final = "target.json"
"""The result in the folder of a finished run, beside its report.json."""


class State(StrEnum):
    """How the run of a target ended."""

    FINISHED = "finished"
    """It has a report."""
    UNREACHABLE = "unreachable"
    """The service gave no answer that can be judged. That is no failure of the service."""
    NOT_RUN = "not-run"
    """The configuration has to be fixed first; the message says how."""
    ENDED = "ended"
    """The audit ended the run at its deadline, before it could write a report."""
    BROKEN = "broken"
    """The suite itself failed, or the run was ended by somebody else."""
    INTERRUPTED = "interrupted"
    """The audit was interrupted. The next one makes the run again."""


EXIT_OF_STATE: Final = {
    State.UNREACHABLE: Exit.INCONCLUSIVE,
    State.NOT_RUN: Exit.USAGE,
    State.ENDED: Exit.INCONCLUSIVE,
    State.BROKEN: Exit.BROKEN,
    State.INTERRUPTED: Exit.INCONCLUSIVE,
}
"""What a run without a report counts as."""


@dataclass(frozen=True, kw_only=True)
class Result:
    """What an audit says of one target, without its evidence. `report.json` in its folder has the rest."""

    name: str
    base_url: str
    profile: str
    definition: str
    """Digest of the target as the file defines it."""
    state: State
    exit_code: Exit
    outcome: Outcome | None = None
    """None without a report."""
    failures: tuple[str, ...] = ()
    """The requirements that count as failures and are not waived."""
    alerts: tuple[str, ...] = ()
    left_behind: int = 0
    """Data requests that may still exist at the service; the journal in the folder names them."""
    not_found: int = 0
    """Data requests that the service did not find when they were deleted, so that nothing tells whether they exist."""
    network: bool = False
    """Whether the network prevented a decision, so that another attempt may decide more."""
    attempts: int = 1
    seconds: float = 0.0
    message: str = ""
    """Why there is no report, or a remark on the run."""
    report: str = ""
    """Digest of the report, as the report states it."""

    @property
    def is_finished(self) -> bool:
        """Whether there is a report, so that the run is not repeated."""
        return self.state is State.FINISHED

    @property
    def words(self) -> str:
        """The outcome, or how the run ended without one."""
        return str(self.outcome or self.state)


def of_folder(folder: Path) -> Result | None:
    """Return the result of a finished run in its folder, or None: without a whole run there is no such folder."""
    import msgspec

    try:
        return msgspec.json.decode((folder / FILE).read_bytes(), type=Result)
    except (OSError, msgspec.MsgspecError):
        return None


def load(folder: Path) -> Report:
    """Return the report of a run that this audit made, which needs no test against the schema."""
    import msgspec

    return msgspec.json.decode((folder / "report.json").read_bytes(), type=Report)


def facts_of(report: Report) -> dict[str, Any]:
    """Return the members of a result that a report decides."""
    return {
        "state": State.FINISHED,
        "exit_code": exit_code(report),
        "outcome": report.outcome,
        "failures": tuple(failing(report)),
        "alerts": report.alerts,
        "network": _is_prevented_by_the_network(report),
        "report": report.digests.report if report.digests else "",
        "not_found": report.summary.not_found,
    }


def _is_prevented_by_the_network(report: Report) -> bool:
    """Tell whether a requirement that has to be decided was not, and its findings blame the network alone."""
    return report.outcome is Outcome.INCONCLUSIVE and any(
        row.verdict is Verdict.INCONCLUSIVE
        and must_be_decided(report, row)
        and row.findings
        and all(each.blame is Blame.NETWORK for each in row.findings if each.verdict is Verdict.INCONCLUSIVE)
        for row in report.requirements
    )
