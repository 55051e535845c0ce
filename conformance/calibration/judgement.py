"""The judgement of one trial: whether the fault is caught and nothing else is reported, or the twin is accepted."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from conformance.calibration.run_one import BAD, Said, Trial
from conformance.calibration.variant import Fault, Twin
from conformance.model.requirements import catalogue
from conformance.model.verdict import VERDICT_WHEN_BROKEN, Level, Verdict

_UNQUESTIONED = (Verdict.PASS, Verdict.OBSERVED, Verdict.NOT_TESTED)


class Mark(StrEnum):
    """How the suite did in one trial."""

    CAUGHT = "caught"
    MISATTRIBUTED = "misattributed"
    """The fault is caught, but a requirement that it does not violate is reported as well."""
    EXCUSED = "excused"
    """The fault was missed, and the reason why no client can tell is stated."""
    MISSED = "missed"
    ACCEPTED = "accepted"
    UNEXPECTED = "unexpected"
    """The twin, or the reference, came to a verdict that it does not declare."""
    FAILED = "failed"
    """A service that conforms was failed."""


GOOD = (Mark.CAUGHT, Mark.EXCUSED, Mark.ACCEPTED)


@dataclass(frozen=True, slots=True, kw_only=True)
class Judgement:
    """The mark of one trial, and why, in words where it is not good."""

    trial: Trial
    mark: Mark
    caught: bool = False
    """Whether a fault's own requirement came to the verdict of a broken one."""
    beside: tuple[str, ...] = ()
    """The requirements that came to a verdict which the service does not declare."""
    why: str = ""

    @property
    def good(self) -> bool:
        """Whether the mark needs no action."""
        return self.mark in GOOD


def judge_trial(trial: Trial) -> Judgement:
    """Return what `trial` says of the suite."""
    match trial.job.variant:
        case Fault() as fault:
            return _of_fault(trial, fault)
        case Twin() as twin:
            return _of_conforming(trial, dict(twin.acceptable), twin.alerts)
    # The reference completes nothing by itself, which leaves some demands without an occasion.
    return _of_conforming(trial, dict.fromkeys(trial.verdicts, (Verdict.NOT_APPLICABLE,)))


def _of_fault(trial: Trial, fault: Fault) -> Judgement:
    want = VERDICT_WHEN_BROKEN[catalogue()[fault.requirement].level]
    came = trial.verdicts.get(fault.requirement)
    caught = came is want
    own = {fault.requirement, *fault.consequences}
    beside = tuple(each for each, verdict in trial.verdicts.items() if verdict in BAD and each not in own)
    reasons = []
    if not caught:
        reasons.append(trial.broken or f"{fault.requirement} came out as {came}, not {want}.{_heard(trial, fault)}")
    reasons += [f"Reported too, though it does not declare it: {_told(trial, each)}" for each in beside]
    if caught:
        mark = Mark.MISATTRIBUTED if beside else Mark.CAUGHT
    else:
        mark = Mark.EXCUSED if fault.undetectable and not beside else Mark.MISSED
    why = fault.undetectable if mark is Mark.EXCUSED else " ".join(reasons)
    return Judgement(trial=trial, mark=mark, caught=caught, beside=beside, why=why)


def _of_conforming(trial: Trial, acceptable: dict[str, tuple[Verdict, ...]], alerts: tuple[str, ...] = ()) -> Judgement:
    if trial.broken:
        return Judgement(trial=trial, mark=Mark.UNEXPECTED, why=trial.broken)
    beside = tuple(
        each
        for each, verdict in trial.verdicts.items()
        if verdict not in _UNQUESTIONED
        and verdict not in acceptable.get(each, ())
        and (catalogue()[each].level is not Level.OPEN or verdict in BAD)
    )
    reasons = [_told(trial, each) for each in beside]
    reasons += [
        f"An alert was raised, though the service does not declare it: {each}."
        for each in trial.alerts
        if each not in alerts
    ]
    reasons += [
        f"The alert that the service declares was not raised: {each}." for each in alerts if each not in trial.alerts
    ]
    failed = Verdict.FAIL in trial.verdicts.values()
    mark = Mark.FAILED if failed else Mark.UNEXPECTED if reasons else Mark.ACCEPTED
    return Judgement(trial=trial, mark=mark, beside=beside, why=" ".join(reasons))


def _heard(trial: Trial, fault: Fault) -> str:
    said = [each for each in trial.said if each.requirement == fault.requirement]
    return f" The suite says: {said[0].message}" if said else ""


def _told(trial: Trial, requirement: str) -> str:
    said: list[Said] = [each for each in trial.said if each.requirement == requirement]
    worst = next((each for each in said if each.verdict is trial.verdicts[requirement]), None)
    return f"{requirement} {trial.verdicts[requirement]}{f': {worst.message}' if worst else '.'}"
