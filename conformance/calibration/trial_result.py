"""The result of one trial: were its faults found and nothing else reported, or was the twin accepted?"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from conformance.calibration.run_one import BAD, Trial
from conformance.calibration.variant import Fault, Twin, Variant
from conformance.model.requirements import catalogue, distances
from conformance.model.verdict import Level, Outcome, Verdict

_UNQUESTIONED: Final = (Verdict.PASS, Verdict.OBSERVED, Verdict.NOT_TESTED)


class Mark(StrEnum):
    """The result of one trial of the suite."""

    CAUGHT = "caught"
    MISATTRIBUTED = "misattributed"
    """The faults are caught, but a requirement that they do not violate is reported as well."""
    EXCUSED = "excused"
    """The fault was missed, and its declaration says why no client can detect it."""
    MISSED = "missed"
    ACCEPTED = "accepted"
    UNEXPECTED = "unexpected"
    """The twin, or the reference, received a verdict that it does not declare."""
    FAILED = "failed"
    """A conforming service was failed."""
    DEFECTIVE = "defective"
    """The code of the service raised an exception: a mistake of the calibration set."""


GOOD = (Mark.CAUGHT, Mark.EXCUSED, Mark.ACCEPTED)


class Sight(StrEnum):
    """The result of the suite for one fault."""

    FOUND = "found"
    """The violated requirement has the verdict of a violation."""
    NAMED = "named"
    """The requirement is inconclusive, because one failed that another fault of the service violates."""
    MISSED = "missed"


@dataclass(frozen=True, slots=True, kw_only=True)
class Reported:
    """A requirement with its verdict and the message of the finding that decides it."""

    requirement: str
    verdict: str
    message: str

    def __str__(self) -> str:
        return f"{self.requirement} {self.verdict}{f': {self.message}' if self.message else '.'}"


@dataclass(frozen=True, slots=True, kw_only=True)
class SeenFault:
    """What a run reports of the requirement of a fault."""

    fault: Fault
    sight: Sight
    reported: Reported


@dataclass(frozen=True, slots=True, kw_only=True)
class TrialResult:
    """The mark of one trial, and the reason in words if it is not good."""

    trial: Trial
    mark: Mark
    seen: tuple[SeenFault, ...] = ()
    """Each fault of the service."""
    beside: tuple[Reported, ...] = ()
    """The requirements with a verdict that the service does not declare."""
    why: str = ""

    @property
    def caught(self) -> bool:
        """Whether the service has faults, and all are found."""
        return bool(self.seen) and all(each.sight is Sight.FOUND for each in self.seen)

    @property
    def good(self) -> bool:
        """Whether the mark needs no action."""
        return self.mark in GOOD


def judge_trial(trial: Trial) -> TrialResult:
    """Return the result of `trial`."""
    service = trial.job.variant
    return _of_conforming(trial, service) if isinstance(service, Twin) else _of_faulty(trial, service)


def _of_faulty(trial: Trial, service: Variant) -> TrialResult:
    seen = tuple(_seen(trial, fault, service) for fault in service.faults)
    beside = tuple(_reported(trial, id) for id in _unexplained(trial, service))
    missed = [each for each in seen if each.sight is Sight.MISSED]
    if trial.defective:
        mark, why = Mark.DEFECTIVE, trial.broken
    elif missed and not beside and all(each.fault.undetectable for each in missed):
        mark, why = Mark.EXCUSED, " ".join(each.fault.undetectable for each in missed)
    else:
        mark = Mark.MISSED if missed else Mark.MISATTRIBUTED if beside else Mark.CAUGHT
        why = " ".join(
            [
                *(trial.broken or _missed(trial, each.fault) for each in missed),
                *(f"Reported too, though it does not declare it: {each}" for each in beside),
            ]
        )
    return TrialResult(trial=trial, mark=mark, seen=seen, beside=beside, why=why)


def _seen(trial: Trial, fault: Fault, service: Variant) -> SeenFault:
    """Return what a run reports of a fault of a service."""
    blockers = trial.blocked_by.get(fault.requirement, ())
    hiding = {*blockers, *(one for each in blockers for one in distances(trial.follows_from, each))}
    if trial.verdicts.get(fault.requirement) is fault.sought:
        sight = Sight.FOUND
    else:
        others = (each for each in service.faults if each is not fault)
        sight = Sight.NAMED if any(hiding.intersection(other.broken) for other in others) else Sight.MISSED
    return SeenFault(fault=fault, sight=sight, reported=_reported(trial, fault.requirement))


def _unexplained(trial: Trial, service: Variant) -> Iterator[str]:
    """Yield the requirements that fail or warn although the service declares neither that nor what it follows from."""
    broken = {id for fault in service.faults for id in fault.broken}
    for id, verdict in trial.verdicts.items():
        follows = id in broken or not broken.isdisjoint(distances(trial.follows_from, id))
        if verdict in BAD and not follows and not service.accepts(id, verdict):
            yield id


def _missed(trial: Trial, fault: Fault) -> str:
    """Return why a run did not detect a fault, and what to do."""
    requirement = fault.requirement
    if requirement not in trial.checks.values():
        return f"{requirement} has no check. Write one: see 'Add a check' in CONTRIBUTING.md."
    heard = trial.findings.get(requirement, ())
    said = f" The suite says: {heard[0].message}" if heard else ""
    return (
        f"{requirement} came out as {trial.verdicts.get(requirement)}, not {fault.sought}.{said} "
        "Correct its check, or the fault, if it conforms."
    )


def _of_conforming(trial: Trial, twin: Twin) -> TrialResult:
    if trial.broken:
        mark = Mark.DEFECTIVE if trial.defective else Mark.UNEXPECTED
        return TrialResult(trial=trial, mark=mark, why=trial.broken)
    beside = tuple(
        _reported(trial, each)
        for each, verdict in trial.verdicts.items()
        if verdict not in _UNQUESTIONED
        and not twin.accepts(each, verdict)
        and (catalogue()[each].level is not Level.OPEN or verdict in BAD)
    )
    undeclared, silent = {*trial.alerts} - {*twin.alerts}, {*twin.alerts} - {*trial.alerts}
    reasons = [
        *map(str, beside),
        *(f"An alert was raised, though the service does not declare it: {each}." for each in sorted(undeclared)),
        *(f"The alert that the service declares was not raised: {each}." for each in sorted(silent)),
    ]
    outcomes = (Outcome.CONFORMS_IN_PART if twin.in_part else Outcome.CONFORMS, Outcome.INCONCLUSIVE)
    if not reasons and trial.outcome not in (*outcomes, None):
        reasons.append(f"The outcome is {trial.outcome}, not {outcomes[0]}.")
    failed = Verdict.FAIL in trial.verdicts.values()
    mark = Mark.FAILED if failed else Mark.UNEXPECTED if reasons else Mark.ACCEPTED
    return TrialResult(trial=trial, mark=mark, beside=beside, why=" ".join(reasons))


def _reported(trial: Trial, requirement: str) -> Reported:
    verdict = trial.verdicts.get(requirement)
    findings = trial.findings.get(requirement, ())
    message = next((each.message for each in findings if each.verdict is verdict), trial.broken)
    return Reported(requirement=requirement, verdict=str(verdict or ""), message=message)
