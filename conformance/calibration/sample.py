"""The choice of trials: all of them, a sample, named ones, combinations, or one requirement of each."""

from __future__ import annotations

import random
from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Final

from conformance.calibration.combinations import CannotCombine, Combination, check_combination, draw, is_combination
from conformance.calibration.faults import FAULTS
from conformance.calibration.run_one import REFERENCE_JOB, Job, Kind
from conformance.calibration.twins import TWINS
from conformance.calibration.variant import Fault
from conformance.model.requirements import all_testable, catalogue
from conformance.model.text import did_you_mean
from conformance.model.verdict import Level

_EVERY_SO_MANYTH_TWIN: Final = 5
_FEW: Final = 2
"""Requirements that are selected for a conforming service, each in a run of its own."""


class NoSuchVariant(LookupError):
    """A name that no fault, twin, requirement with faults or possible combination has."""


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

    Names of faults and twins with " + " between them are one service with all of them.
    """
    chosen: dict[Job, None] = {}
    for name in names:
        if is_combination(name):
            chosen[_combined(name)] = None
            continue
        found = [job for job in everything() if name == job.name or name == _requirement(job)]
        row = catalogue().rows.get(name)
        if row is not None and (row.level is Level.OPEN or row.untestable):
            raise NoSuchVariant(f"{name} is open or untestable: it needs no fault, because no service violates it.")
        if not found:
            known = {*FAULTS, *TWINS, *(fault.requirement for fault in FAULTS.values())}
            hint = did_you_mean(name, known, "'serve --list-faults' lists them all.")
            raise NoSuchVariant(f"No fault, twin or requirement with faults is called {name!r}. {hint}")
        chosen |= dict.fromkeys(found)
    return list(chosen)


def pairs(number: int, seed: int) -> list[Job]:
    """Return this number of pairs and triples of faults, drawn with `seed`."""
    return [Job(kind=Kind.COMBINATION, name=name) for name in draw(number, seed)]


def repeated(jobs: Sequence[Job], times: int) -> list[Job]:
    """Return `jobs` once for each of a number of seeds."""
    return [Job(kind=job.kind, name=job.name, seed=seed) for seed in range(times) for job in jobs]


def selecting(jobs: Iterable[Job]) -> list[Job]:
    """Return the jobs that repeat `jobs`, each with one requirement selected."""
    return [replace(job, select=requirement) for job in jobs for requirement in _selected(job)]


def lacking(jobs: Iterable[Job], libraries: Iterable[str]) -> list[Job]:
    """Return the jobs that repeat each faulty service of `jobs` without what a library generates."""
    faulty = [job for job in jobs if job.kind is Kind.FAULT]
    return [replace(job, without=library) for library in libraries for job in faulty]


def _selected(job: Job) -> Sequence[str]:
    """Return what a faulty service violates; for a conforming one a few requirements, always the same ones."""
    match job.variant:
        case Fault() as fault:
            return [fault.requirement]
        case Combination() as combination:
            return [fault.requirement for fault in combination.faults]
    return random.Random(job.name).sample(sorted(all_testable()), _FEW)


def _combined(name: str) -> Job:
    try:
        check_combination(name)
    except CannotCombine as error:
        raise NoSuchVariant(f"These cannot be combined in this order: {error}") from None
    return Job(kind=Kind.COMBINATION, name=name)


def _requirement(job: Job) -> str:
    return FAULTS[job.name].requirement if job.kind is Kind.FAULT else ""
