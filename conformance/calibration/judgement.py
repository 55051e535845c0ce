"""The judgement of one trial: were its faults found and nothing else reported, or was the twin accepted?"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from conformance.calibration.combinations import Combination
from conformance.calibration.run_one import BAD, Trial
from conformance.calibration.variant import Fault, Twin
from conformance.model.findings import Finding
from conformance.model.requirements import catalogue, distances
from conformance.model.verdict import Level, Outcome, Verdict

_UNQUESTIONED: Final = (Verdict.PASS, Verdict.OBSERVED, Verdict.NOT_TESTED)


class Mark(StrEnum):
    """The result of one trial of the suite."""

    CAUGHT = "caught"
    MISATTRIBUTED = "misattributed"
    """The fault is caught, but a requirement that it does not violate is reported as well."""
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


@dataclass(frozen=True, slots=True, kw_only=True)
class Judgement:
    """The mark of one trial, and the reason in words if it is not good."""

    trial: Trial
    mark: Mark
    caught: bool = False
    """Whether a fault's own requirement received the verdict of a violation."""
    beside: tuple[str, ...] = ()
    """The requirements with a verdict that the service does not declare."""
    why: str = ""

    @property
    def good(self) -> bool:
        """Whether the mark needs no action."""
        return self.mark in GOOD


def judge_trial(trial: Trial) -> Judgement:
    """Return the judgement of `trial`."""
    if trial.defective:
        return Judgement(trial=trial, mark=Mark.DEFECTIVE, why=trial.broken)
    match trial.job.variant:
        case Fault() as fault:
            return _of_fault(trial, fault)
        case Twin() as twin:
            return _of_conforming(trial, dict(twin.acceptable), twin.alerts, in_part=twin.in_part)
    # The reference completes no requests by itself, so some requirements cannot be tested.
    return _of_conforming(trial, dict.fromkeys(trial.verdicts, (Verdict.NOT_APPLICABLE,)))


def _of_fault(trial: Trial, fault: Fault) -> Judgement:
    caught = trial.verdicts.get(fault.requirement) is fault.sought
    own = {fault.requirement, *fault.consequences}
    beside = tuple(_unexplained(trial, own))
    reasons = []
    if not caught:
        reasons.append(trial.broken or _missed(trial, fault.requirement, fault.sought))
    reasons += [f"Reported too, though it does not declare it: {_told(trial, each)}" for each in beside]
    if caught:
        mark = Mark.MISATTRIBUTED if beside else Mark.CAUGHT
    else:
        mark = Mark.EXCUSED if fault.undetectable and not beside else Mark.MISSED
    why = fault.undetectable if mark is Mark.EXCUSED else " ".join(reasons)
    return Judgement(trial=trial, mark=mark, caught=caught, beside=beside, why=why)


def _unexplained(trial: Trial, broken: set[str]) -> list[str]:
    """Return the requirements that fail or warn, and follow from none of those that are broken."""
    bad = (id for id, verdict in trial.verdicts.items() if verdict in BAD and id not in broken)
    return [id for id in bad if broken.isdisjoint(distances(trial.follows_from, id))]


def _missed(trial: Trial, requirement: str, want: Verdict) -> str:
    """Return why a run did not detect a violation of `requirement`, and what to do."""
    if requirement not in trial.checks.values():
        return f"{requirement} has no check. Write one: see 'Add a check' in CONTRIBUTING.md."
    heard = trial.findings.get(requirement, ())
    said = f" The suite says: {heard[0].message}" if heard else ""
    return (
        f"{requirement} came out as {trial.verdicts.get(requirement)}, not {want}.{said} "
        "Correct its check, or the fault, if it conforms."
    )


def _of_conforming(
    trial: Trial, acceptable: dict[str, tuple[Verdict, ...]], alerts: tuple[str, ...] = (), *, in_part: bool = False
) -> Judgement:
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
    outcomes = (Outcome.CONFORMS_IN_PART if in_part else Outcome.CONFORMS, Outcome.INCONCLUSIVE)
    if not reasons and trial.outcome not in (*outcomes, None):
        reasons.append(f"The outcome is {trial.outcome}, not {outcomes[0]}.")
    failed = Verdict.FAIL in trial.verdicts.values()
    mark = Mark.FAILED if failed else Mark.UNEXPECTED if reasons else Mark.ACCEPTED
    return Judgement(trial=trial, mark=mark, beside=beside, why=" ".join(reasons))


def _deciding(trial: Trial, requirement: str) -> Finding[str] | None:
    """Return the finding with the verdict of the requirement."""
    verdict = trial.verdicts.get(requirement)
    return next((each for each in trial.findings.get(requirement, ()) if each.verdict is verdict), None)


def _told(trial: Trial, requirement: str) -> str:
    said = _deciding(trial, requirement)
    return f"{requirement} {trial.verdicts[requirement]}{f': {said.message}' if said else '.'}"


# ---------------------------------------------------------------------- combinations


class Sight(StrEnum):
    """The result of the suite for one fault among others."""

    FOUND = "found"
    """The violated requirement has the verdict of a violation, or the one that the fault declares."""
    NAMED = "named"
    """The requirement is inconclusive, because one failed that another fault violates."""
    MISSED = "missed"


@dataclass(frozen=True, slots=True, kw_only=True)
class Reported:
    """A requirement with its verdict and first message."""

    requirement: str
    verdict: str
    message: str


@dataclass(frozen=True, slots=True, kw_only=True)
class SeenFault:
    """The result of the suite for one fault of a combination."""

    fault: Fault
    sight: Sight
    reported: Reported


@dataclass(frozen=True, slots=True, kw_only=True)
class CombinedJudgement:
    """The judgement of one combination. `wrong` are failures and warnings that no part of it causes or declares."""

    trial: Trial
    seen: tuple[SeenFault, ...]
    wrong: tuple[Reported, ...]

    @property
    def good(self) -> bool:
        """Whether nothing is reported wrongly and no fault is missed."""
        return not self.wrong and all(each.sight is not Sight.MISSED for each in self.seen)


def judge_combination(trial: Trial) -> CombinedJudgement:
    """Return the judgement of a trial of a combination."""
    variant = trial.job.variant
    assert isinstance(variant, Combination)
    seen = []
    for fault in variant.faults:
        others = {id for other in variant.faults if other != fault for id in other.broken}
        sight = _sight(trial, fault, others)
        seen.append(SeenFault(fault=fault, sight=sight, reported=_reported(trial, fault.requirement)))
    expected = {id for fault in variant.faults for id in fault.broken}
    wrong = [id for id in _unexplained(trial, expected) if not variant.accepts(id, trial.verdicts[id])]
    return CombinedJudgement(trial=trial, seen=tuple(seen), wrong=tuple(_reported(trial, id) for id in wrong))


def _sight(trial: Trial, fault: Fault, others: set[str]) -> Sight:
    verdict = trial.verdicts.get(fault.requirement)
    if verdict is fault.sought:
        return Sight.FOUND
    blockers = trial.blocked_by.get(fault.requirement, ())
    named = others & {*blockers, *(one for each in blockers for one in distances(trial.follows_from, each))}
    return Sight.NAMED if named else Sight.MISSED


def _reported(trial: Trial, requirement: str) -> Reported:
    said = _deciding(trial, requirement)
    verdict = str(trial.verdicts.get(requirement) or "")
    return Reported(requirement=requirement, verdict=verdict, message=said.message if said else trial.broken)
