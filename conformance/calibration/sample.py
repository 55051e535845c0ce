"""The choice of trials: all of them, a sample, named ones, or combinations of faults."""

from __future__ import annotations

import difflib
from collections.abc import Sequence
from typing import Final

from conformance.calibration.combinations import CannotCombine, check_combination, draw, is_combination
from conformance.calibration.faults import FAULTS
from conformance.calibration.run_one import REFERENCE_JOB, Job, Kind
from conformance.calibration.twins import TWINS

_EVERY_SO_MANYTH_TWIN: Final = 5


class NoSuchVariant(LookupError):
    """A name that no fault, twin, requirement with faults or possible combination of faults has."""


def everything() -> list[Job]:
    """Return the reference, every fault and every twin."""
    faults = [Job(kind=Kind.FAULT, name=name) for name in FAULTS]
    return [REFERENCE_JOB, *faults, *(Job(kind=Kind.TWIN, name=name) for name in TWINS)]


def quick() -> list[Job]:
    """Return the reference, the first fault of each requirement and every fifth twin: always the same ones."""
    first = {fault.requirement: name for name, fault in reversed(FAULTS.items())}
    faults = [Job(kind=Kind.FAULT, name=name) for name in FAULTS if name in first.values()]
    return [REFERENCE_JOB, *faults, *(Job(kind=Kind.TWIN, name=name) for name in list(TWINS)[::_EVERY_SO_MANYTH_TWIN])]


def only(names: Sequence[str]) -> list[Job]:
    """Return the services with these names, and the faults of the requirements named; raise NoSuchVariant.

    Names of faults with " + " between them are the combination of these faults.
    """
    chosen: dict[Job, None] = {}
    for name in names:
        if is_combination(name):
            chosen[_combined(name)] = None
            continue
        found = [job for job in everything() if name == job.name or name == _requirement(job)]
        if not found:
            known = {*FAULTS, *TWINS, *(fault.requirement for fault in FAULTS.values())}
            near = difflib.get_close_matches(name, known, n=3)
            hint = f"Did you mean {' or '.join(near)}?" if near else "'serve --list-faults' lists them all."
            raise NoSuchVariant(f"No fault, twin or requirement with faults is called {name!r}. {hint}")
        chosen |= dict.fromkeys(found)
    return list(chosen)


def pairs(number: int, seed: int) -> list[Job]:
    """Return this number of pairs and triples of faults, drawn with `seed`."""
    return [Job(kind=Kind.COMBINATION, name=name) for name in draw(number, seed)]


def repeated(jobs: Sequence[Job], times: int) -> list[Job]:
    """Return `jobs` once for each of a number of seeds."""
    return [Job(kind=job.kind, name=job.name, seed=seed) for seed in range(times) for job in jobs]


def _combined(name: str) -> Job:
    try:
        check_combination(name)
    except CannotCombine as error:
        raise NoSuchVariant(f"These faults cannot be combined in this order: {error}") from None
    return Job(kind=Kind.COMBINATION, name=name)


def _requirement(job: Job) -> str:
    return FAULTS[job.name].requirement if job.kind is Kind.FAULT else ""
