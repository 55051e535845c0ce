"""Selections: does a requirement that is selected alone have the verdict that a whole run gives it?"""

from __future__ import annotations

import random
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Final

from conformance.calibration.combinations import Combination
from conformance.calibration.run_one import Job, Kind, Trial
from conformance.calibration.variant import Fault
from conformance.model.requirements import all_testable

_FEW: Final = 2
"""Requirements that are selected for a conforming service, each in a run of its own."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Selection:
    """The verdict of one requirement in a whole run, and in a run that selects only this requirement.

    A verdict is empty where the run made none. `exchanges` are those of the second run.
    """

    kind: Kind
    name: str
    requirement: str
    whole: str
    selected: str
    exchanges: int

    @property
    def agrees(self) -> bool:
        """Whether both runs come to the same verdict."""
        return self.whole == self.selected


def selecting(jobs: Iterable[Job]) -> list[Job]:
    """Return the jobs that repeat `jobs`, each with one requirement selected."""
    return [replace(job, select=requirement) for job in jobs for requirement in _requirements(job)]


def _requirements(job: Job) -> Sequence[str]:
    """Return what a faulty service violates; for a conforming one a few requirements, always the same ones."""
    match job.variant:
        case Fault() as fault:
            return [fault.requirement]
        case Combination() as combination:
            return [fault.requirement for fault in combination.faults]
    return random.Random(job.name).sample(sorted(all_testable()), _FEW)


def compared(trials: Iterable[Trial]) -> Iterator[Selection]:
    """Yield each selection of `trials`, which hold the whole run of each service too."""
    tried = list(trials)
    # Only the whole runs may also be verified.
    whole = {replace(trial.job, verify=False): trial for trial in tried if not trial.job.select}
    for trial in tried:
        if (job := trial.job).select:
            yield Selection(
                kind=job.kind,
                name=job.name,
                requirement=job.select,
                whole=str(whole[replace(job, select="")].verdicts.get(job.select, "")),
                selected=str(trial.verdicts.get(job.select, "")),
                exchanges=trial.exchanges,
            )
