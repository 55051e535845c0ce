"""The judgement of a combination: whether each fault is found or named, and nothing else is reported."""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from conformance.calibration.combinations import Combination
from conformance.calibration.run_one import BAD, Trial
from conformance.calibration.variant import Fault
from conformance.model.requirements import catalogue
from conformance.model.verdict import VERDICT_WHEN_BROKEN, Verdict

_ID: Final = re.compile(r"\d+(?:\.\d+)?-\w+(?:-\w+)*")


class Sight(StrEnum):
    """What the suite sees of one fault among others."""

    FOUND = "found"
    """The requirement that it breaks has the verdict of a broken one."""
    NAMED = "named"
    """The requirement is inconclusive, and a finding of it names a requirement that another fault breaks."""
    MISSED = "missed"


@dataclass(frozen=True, slots=True, kw_only=True)
class Reported:
    """A requirement and what the run says of it: its verdict and the first message."""

    requirement: str
    verdict: str
    message: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Seen:
    """What the suite sees of one fault of a combination."""

    fault: Fault
    sight: Sight
    reported: Reported


@dataclass(frozen=True, slots=True, kw_only=True)
class CombinedJudgement:
    """What one combination came to. `wrong` are failures and warnings that no fault of it accounts for."""

    trial: Trial
    seen: tuple[Seen, ...]
    wrong: tuple[Reported, ...]

    @property
    def good(self) -> bool:
        """Whether nothing is reported wrongly and no fault is missed."""
        return not self.wrong and all(each.sight is not Sight.MISSED for each in self.seen)


def judge_combination(trial: Trial) -> CombinedJudgement:
    """Return what `trial`, one of a combination, says of the suite."""
    variant = trial.job.variant
    assert isinstance(variant, Combination)
    expected = {id for fault in variant.faults for id in fault.broken}
    return CombinedJudgement(
        trial=trial,
        seen=tuple(
            Seen(
                fault=fault,
                sight=_sight(trial, fault, {id for other in variant.faults if other != fault for id in other.broken}),
                reported=_reported(trial, fault.requirement),
            )
            for fault in variant.faults
        ),
        wrong=tuple(
            _reported(trial, id) for id, verdict in trial.verdicts.items() if verdict in BAD and id not in expected
        ),
    )


def _sight(trial: Trial, fault: Fault, others: set[str]) -> Sight:
    verdict = trial.verdicts.get(fault.requirement)
    if verdict is VERDICT_WHEN_BROKEN[catalogue()[fault.requirement].level]:
        return Sight.FOUND
    said = [f"{each.message} {each.remedy}" for each in trial.said if each.requirement == fault.requirement]
    named = verdict is Verdict.INCONCLUSIVE and any(others & set(_ID.findall(text)) for text in said)
    return Sight.NAMED if named else Sight.MISSED


def _reported(trial: Trial, requirement: str) -> Reported:
    """Return the verdict of the requirement, with the message that decided it."""
    verdict = trial.verdicts.get(requirement)
    said = [each for each in trial.said if each.requirement == requirement]
    deciding = next((each for each in said if each.verdict is verdict), None)
    message = deciding.message if deciding else trial.broken
    return Reported(requirement=requirement, verdict=str(verdict or ""), message=message)
