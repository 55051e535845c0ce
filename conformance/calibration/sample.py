"""The choice of trials: all of them, a sample, named ones, combinations, or one requirement of each."""

from __future__ import annotations

import random
from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Final

from conformance.calibration.combinations import CannotCombine, check_combination, draw, find_variant, parts_of
from conformance.calibration.faults import FAULTS
from conformance.calibration.run_one import Job
from conformance.calibration.twins import TWINS
from conformance.calibration.variant import REFERENCE
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
    return [Job(name=name) for name in (REFERENCE.name, *FAULTS, *TWINS)]


def quick() -> list[Job]:
    """Return the reference, the first fault of each requirement and every fifth twin: always the same ones."""
    first = {fault.requirement: name for name, fault in reversed(FAULTS.items())}
    chosen = {REFERENCE.name, *first.values(), *list(TWINS)[::_EVERY_SO_MANYTH_TWIN]}
    return [job for job in everything() if job.name in chosen]


def only(names: Sequence[str]) -> list[Job]:
    """Return the services with these names, and the faults of the requirements named; raise NoSuchVariant.

    Names of faults and twins with " + " between them are one service with all of them.
    """
    chosen: dict[str, None] = {}
    for name in names:
        row = catalogue().rows.get(name)
        if row is not None and (row.level is Level.OPEN or row.untestable):
            raise NoSuchVariant(f"{name} is open or untestable: it needs no fault, because no service violates it.")
        faults = [fault.name for fault in FAULTS.values() if fault.requirement == name]
        chosen |= dict.fromkeys(faults or [_known(name)])
    return [Job(name=name) for name in chosen]


def _known(name: str) -> str:
    """Return the name of a service; raise NoSuchVariant if there is none, or its parts cannot be combined."""
    try:
        if len(parts_of(name)) > 1:
            check_combination(name)
        else:
            find_variant(name)
    except CannotCombine as error:
        raise NoSuchVariant(f"These cannot be combined in this order: {error}") from None
    except LookupError:
        known = {*FAULTS, *TWINS, *(fault.requirement for fault in FAULTS.values())}
        hint = did_you_mean(name, known, "'serve --list-faults' lists them all.")
        raise NoSuchVariant(f"No fault, twin or requirement with faults is called {name!r}. {hint}") from None
    return name


def pairs(number: int) -> list[Job]:
    """Return this number of pairs and triples of faults, the same ones each time."""
    return [Job(name=name) for name in draw(number, seed=0)]


def repeated(jobs: Sequence[Job], times: int) -> list[Job]:
    """Return `jobs` once for each of a number of seeds."""
    return [replace(job, seed=seed) for seed in range(times) for job in jobs]


def selecting(jobs: Iterable[Job]) -> list[Job]:
    """Return the jobs that repeat `jobs`, each with one requirement selected."""
    return [replace(job, select=requirement) for job in jobs for requirement in _selected(job)]


def lacking(jobs: Iterable[Job], libraries: Iterable[str]) -> list[Job]:
    """Return the jobs that repeat each faulty service of `jobs` without what a library generates."""
    faulty = [job for job in jobs if job.name in FAULTS]
    return [replace(job, without=library) for library in libraries for job in faulty]


def _selected(job: Job) -> Sequence[str]:
    """Return what a faulty service violates; for a conforming one a few requirements, always the same ones."""
    violated = [fault.requirement for fault in job.variant.faults]
    return violated or random.Random(job.name).sample(sorted(all_testable()), _FEW)
