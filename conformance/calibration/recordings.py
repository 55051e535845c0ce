"""Recorded trials: the traces of trials, kept so that a change of the judge alone makes no call again.

A recording holds the evidence of a run. Its name is a digest of all that can change them: the
service, the options of the run, every module that the calls import, and the installed libraries. What only judges is
no part of it, so a check, or a rule that no scenario and no generated call asks, is tried on all recordings.
"""

from __future__ import annotations

import ast
import hashlib
import json
import os
import re
import sys
import tempfile
import time
import zlib
from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import asdict
from functools import cache
from importlib import metadata
from importlib.resources.abc import Traversable
from pathlib import Path
from typing import Final

from conformance.calibration import run_one
from conformance.calibration.combinations import parts_of
from conformance.calibration.run_one import Job, Trial, trial_of
from conformance.calibration.variant import DECLARED_IN, REFERENCE
from conformance.model.build import files_of
from conformance.model.run_record import RunRecord
from conformance.model.user_folders import cache_folder
from conformance.run.conclusion import Frame
from conformance.run.judged import judged
from conformance.scenarios.registry import result_types
from conformance.trace.har import har, trace_of
from conformance.trace.trace import Trace

_KEPT: Final = 3
"""Recordings of one trial that are kept: of this code, of the code that it is compared with, and one more."""

_JUDGING: Final = (
    *("conformance.run.conclusion", "conformance.run.documents", "conformance.run.verify"),
    *("conformance.run.check_runner", "conformance.run.checks_by_pytest"),
)
"""The modules by which a trial reaches what judges it: the calls need nothing of what only these import."""

_IMPORTS: Final = re.compile(
    r"^\s*(?:from (conformance[\w.]*) import (\([^)]*\)|[^\n]*)|import (conformance[\w.]*))", re.MULTILINE
)


def attempt(job: Job, *, read: bool = True) -> Trial:
    """Return the trial of `job`: judged from its recording if there is one and `read` allows it, else a new one."""
    place = None if job.verify else _place(job)
    if place is None:
        return run_one.attempt(job)
    known = _trial(job, place) if read else None
    if known is not None:
        return known
    kept: list[Trace] = []
    trial = run_one.attempt(job, keep=kept.append)
    if kept and not trial.broken:
        with suppress(OSError):  # a trial without a recording is made again
            held = {"base_url": kept[0].target.base_url, "evidence": har(kept[0].exchanges, kept[0].conditions)}
            _write(place, zlib.compress(json.dumps(held).encode(), 1))
    return trial


# ---------------------------------------------------------------------- what a recording holds


def _trial(job: Job, place: Path) -> Trial | None:
    """Return the trial of a recording; None if there is none, or one that this build cannot judge."""
    began = time.perf_counter()
    try:
        held = json.loads(zlib.decompress(place.read_bytes()))
        os.utime(place)
        trace = trace_of(held["evidence"], held["base_url"], result_types())
        first, last = trace.exchanges[0], trace.exchanges[-1]
        frame = Frame(started=first.started, finished=last.started, seed=job.seed, run=RunRecord())
        run = judged(trace, run_one.plan_of(job), frame)
    except Exception:  # an old or broken recording is as good as none, and what crashes here crashes in a trial as well
        return None
    if run.report.crashes:
        return None
    seconds = time.perf_counter() - began
    return trial_of(job, run, len(trace.exchanges), seconds)


# ---------------------------------------------------------------------- where a recording is


def _place(job: Job) -> Path | None:
    """Return the file of the recording of a trial; None for a service that is no part of this package."""
    folder, modules = cache_folder("recordings"), _modules_of(job)
    if folder is None or modules is None:
        return None
    name = json.dumps(asdict(job), sort_keys=True)
    digest = hashlib.sha256("\n".join([name, _environment(), *(_digest_of(each) for each in modules)]).encode())
    return folder / hashlib.sha256(name.encode()).hexdigest()[:16] / digest.hexdigest()[:32]


def _modules_of(job: Job) -> list[str] | None:
    """Return the modules that declare the service of a trial, or its parts; None if one is not known."""
    names = [] if job.name == REFERENCE.name else parts_of(job.name)
    return [DECLARED_IN[each] for each in names] if DECLARED_IN.keys() >= {*names} else None


def _write(place: Path, content: bytes) -> None:
    """Write a recording, and remove older ones of the same trial."""
    place.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    descriptor, name = tempfile.mkstemp(dir=place.parent, prefix=".new-")
    with open(descriptor, "wb") as file:  # noqa: PTH123 - a descriptor
        file.write(content)
    Path(name).replace(place)
    for each in sorted(place.parent.iterdir(), key=_used, reverse=True)[_KEPT:]:
        each.unlink(missing_ok=True)


def _used(file: Path) -> float:
    with suppress(OSError):
        return file.stat().st_mtime
    return 0.0


# ---------------------------------------------------------------------- what can change a recording


def modules_of_calls(*roots: str) -> set[str]:
    """Return the modules that these modules import, directly or not, without those that only judge."""
    seen: set[str] = set()
    left = [*roots]
    while left:
        name = left.pop()
        if name not in seen and name in _sources() and name not in _JUDGING:
            seen.add(name)
            left += _imports(name)
    return seen


@cache
def _sources() -> dict[str, Traversable]:
    """Return the modules of this package by their names."""
    found = files_of(["conformance"])
    return {
        name.removesuffix(".py").removesuffix("/__init__").replace("/", "."): file
        for name, file in found.items()
        if name.endswith(".py") and not name.startswith(("conformance/schemas/", "conformance/fixtures/"))
    }


@cache
def _imports(module: str) -> list[str]:
    """Return what a module imports of this package, inside functions as well: modules, and names in them."""
    found: list[str] = []
    for package, names, alone in _IMPORTS.findall(_sources()[module].read_text("utf-8")):
        found += [package or alone, *(f"{package}.{name}" for name in re.findall(r"\w+", names))]
    return found


@cache
def _digest_of(root: str) -> str:
    """Return a digest of a module of services and of all that it imports."""
    return _digest((name, _sources()[name]) for name in modules_of_calls(root))


@cache
def _environment() -> str:
    """Return a digest of the calls of any trial: their code, the data that it reads, and the libraries."""
    modules = modules_of_calls("conformance.run.check", __name__)
    packages = ("model", "spec", "schemas", "fixtures")
    data = files_of(f"conformance.{name}" for name in packages)
    own = {**{name: _sources()[name] for name in modules}, **{n: f for n, f in data.items() if not n.endswith(".py")}}
    libraries = sorted(f"{each.name} {each.version}" for each in metadata.distributions())
    return "\n".join([sys.version, *libraries, *_questions(), _digest(own.items())])


def _questions() -> Iterator[str]:
    """Yield what says which calls a run makes for each check, and when: its decorators and its arguments.

    Of the rows and the open matters it is the whole table, which names their scenarios.
    """
    for name in sorted(each for each in _sources() if each.startswith("conformance.checks.test_")):
        source = _sources()[name].read_text("utf-8")
        if name in _TABLES:
            yield source
        for each in ast.parse(source).body:
            if isinstance(each, ast.FunctionDef) and each.name.startswith("test_"):
                arguments = (one.arg for one in each.args.args)
                yield f"{name}.{each.name}: {' '.join([*map(ast.unparse, each.decorator_list), *arguments])}"


_TABLES: Final = ("conformance.checks.test_rows", "conformance.checks.test_0_open_matters")


def _digest(named: Iterable[tuple[str, Traversable]]) -> str:
    digest = hashlib.sha256()
    for name, file in sorted(named, key=lambda each: each[0]):
        digest.update(f"{hashlib.sha256(file.read_bytes()).hexdigest()}  {name}\n".encode())
    return digest.hexdigest()
