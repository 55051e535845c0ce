"""Recorded trials: what the calls of a trial collected, kept so that a change of the judge alone makes no call again.

A recording holds the exchanges and the results of the checks. Its name is a digest of all that can change them: the
service, the options of the run, every module that the calls import, and the installed libraries. What only judges is
no part of it, so a rule that no scenario, generated call or check asks is tried on all recordings in seconds.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import sys
import tempfile
import time
import zlib
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import asdict, dataclass, fields, replace
from datetime import datetime
from functools import cache
from importlib import metadata
from importlib.resources.abc import Traversable
from pathlib import Path
from typing import Any, Final

import msgspec

from conformance import NAME
from conformance.calibration import run_one
from conformance.calibration.combinations import parts_of
from conformance.calibration.run_one import Job, Kind, Trial, Watcher, session_of, trial_of
from conformance.calibration.variant import DECLARED_IN
from conformance.http.creations.outcomes import journal_of
from conformance.model.bodies import Unread
from conformance.model.build import files_of
from conformance.model.conditions import Conditions
from conformance.model.exchange import Exchange, Response
from conformance.model.findings import CheckResult, Crashes, Finding
from conformance.model.requirements import catalogue
from conformance.model.verdict import Verdict
from conformance.runner.check_results import CheckResults
from conformance.runner.conclusion import concluded
from conformance.trace.trace import Trace

_KEPT: Final = 3
"""Recordings of one trial that are kept: of this code, of the code that it is compared with, and one more."""

_UNUSED: Final = 30 * 24 * 3600.0
"""Seconds after which a recording that no self-test read is removed."""

_JUDGING: Final = ("conformance.runner.conclusion", "conformance.runner.documents", "conformance.runner.verify")
"""The modules by which a trial reaches what judges it: the calls need nothing of what only these import."""

_PLUGIN: Final = "conformance.pytest_plugin"
"""Its first module alone takes part in a trial: it gives pytest the run. The others are for the user's own pytest."""

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
    recorded: list[bytes] = []

    def keep(checks: CheckResults, watcher: Watcher) -> None:
        with suppress(TypeError, ValueError, LookupError, RecursionError):  # a service may answer what JSON cannot hold
            recorded.extend(_recording(checks, watcher))

    trial = run_one.attempt(job, keep=keep)
    if recorded and not trial.broken:
        with suppress(OSError):  # a trial without a recording is made again
            _write(place, recorded[0])
    return trial


# ---------------------------------------------------------------------- what a recording holds


@dataclass(frozen=True)
class _Answer(Response):
    """A response whose body is bytes."""

    body: bytes


@dataclass
class _Exchange(Exchange):
    """An exchange as a recording holds it."""

    response: _Answer | None = None


class _Result(msgspec.Struct):
    """The result of a check; it names exchanges by their ids."""

    requirement: str
    check: str
    verdict: Verdict
    findings: list[Finding[str]]
    exchanges: list[str]
    seconds: float
    decides: bool


class _Recording(msgspec.Struct):
    """What a trial collected, and what the conclusion of its run reads beside."""

    started: datetime
    exchanges: list[_Exchange]
    results: list[_Result]
    left_out: list[str]
    ran_out: bool
    selector_is_unknown: bool
    checks: dict[str, str]
    objected: list[str]


def _recording(checks: CheckResults, watcher: Watcher) -> Iterator[bytes]:
    """Yield the recording of a run that did not crash and read all bodies."""
    exchanges, conditions = checks.trace.exchanges, checks.trace.conditions
    if checks.crashes or any(each.response and isinstance(each.response.content, Unread) for each in exchanges):
        return
    recording = {
        "started": exchanges[0].started,
        "exchanges": [_members(each) for each in exchanges],
        "results": [_named(each) for each in checks.results],
        "left_out": sorted(checks.left_out),
        "ran_out": conditions.time_is_up != ("", ""),
        "selector_is_unknown": conditions.selector_is_unknown,
        "checks": watcher.checks,
        "objected": watcher.objected,
    }
    # The encoder of msgspec refuses half an emoji, which a service may send.
    yield zlib.compress(json.dumps(msgspec.to_builtins(recording)).encode(), 1)


def _members(exchange: Exchange) -> dict[str, Any]:
    answer = exchange.response
    given = {each.name: getattr(exchange, each.name) for each in fields(Exchange)}
    return given | {"response": answer and {each.name: getattr(answer, each.name) for each in fields(Response)}}


def _named(result: CheckResult) -> _Result:
    return _Result(
        result.requirement.id,
        result.check,
        result.verdict,
        [_with_each(finding, lambda exchange: exchange.id) for finding in result.findings],
        [each.id for each in result.exchanges],
        result.seconds,
        result.decides,
    )


def _result(named: _Result, exchanges: Mapping[str, Exchange]) -> CheckResult:
    return CheckResult(
        catalogue()[named.requirement],
        named.check,
        named.verdict,
        [_with_each(finding, exchanges.__getitem__) for finding in named.findings],
        tuple(exchanges[each] for each in named.exchanges),
        named.seconds,
        named.decides,
    )


def _with_each(finding: Any, shown: Callable[[Any], Any]) -> Any:
    """Return a finding that names its exchanges otherwise: by their ids, or the exchanges themselves."""
    steps = tuple(replace(step, exchange=shown(step.exchange)) for step in finding.steps)
    return replace(finding, exchanges=tuple(map(shown, finding.exchanges)), steps=steps)


def _trial(job: Job, place: Path) -> Trial | None:
    """Return the trial of a recording; None if there is none, or one that this build cannot judge."""
    began = time.perf_counter()
    try:
        recording = msgspec.convert(json.loads(zlib.decompress(place.read_bytes())), _Recording)
        os.utime(place)
        session = session_of(job.variant, job)
        session.record.exchanges[:] = recording.exchanges
        session.journal.take_over(journal_of(session.record.over()))
        session.clock.ran_out = recording.ran_out
        plan = run_one.plan_of(job)
        selected = plan.selected()
        checks = CheckResults(Crashes(selected))
        conditions = Conditions(selector_is_unknown=recording.selector_is_unknown)
        checks.trace = Trace(session.record.in_order(), session.target, conditions=conditions)
        by_id: dict[str, Exchange] = {each.id: each for each in recording.exchanges}
        checks.results = [_result(each, by_id) for each in recording.results]
        checks.left_out = set(recording.left_out)
        run = concluded(session, plan, checks, selected, started=recording.started)
        session.close()
    except Exception:  # an old or broken recording is as good as none, and what crashes here crashes in a trial as well
        return None
    if run.report.crashes:
        return None
    return trial_of(job, run, recording.checks, recording.objected, len(by_id), time.perf_counter() - began)


# ---------------------------------------------------------------------- where a recording is


def _place(job: Job) -> Path | None:
    """Return the file of the recording of a trial; None for a service that is no part of this package."""
    folder, modules = _folder(), _modules_of(job)
    if folder is None or modules is None:
        return None
    name = json.dumps(asdict(job), sort_keys=True)
    digest = hashlib.sha256("\n".join([name, _environment(), *(_digest_of(each) for each in modules)]).encode())
    return folder / hashlib.sha256(name.encode()).hexdigest()[:16] / digest.hexdigest()[:32]


def _folder() -> Path | None:
    """Return the folder of the recordings in the folder for what this user's programs can make again."""
    given = Path(os.environ.get("XDG_CACHE_HOME", ""))
    if not given.is_absolute():
        parts = {"win32": "AppData/Local", "darwin": "Library/Caches"}
        try:
            given = Path.home() / parts.get(sys.platform, ".cache")
        except RuntimeError:  # a user without an entry, as in a container
            return None
    return given / NAME / "recordings"


def _modules_of(job: Job) -> list[str] | None:
    """Return the modules that declare the service of a trial, or its parts; None if one is not known."""
    names = [] if job.kind is Kind.REFERENCE else parts_of(job.name)
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


def remove_unused() -> None:
    """Remove the recordings that no self-test has read for a month: those of services that are gone, among others."""
    folder = _folder()
    for each in folder.glob("*/*") if folder else ():
        with suppress(OSError):
            if _used(each) < time.time() - _UNUSED:
                each.unlink()
                each.parent.rmdir()  # the last one takes the folder with it


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
            left += _imports(name) if name != _PLUGIN else ()
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
    checks = [name for name in _sources() if name.startswith("conformance.checks.")]
    modules = modules_of_calls("conformance.runner.run", __name__, _PLUGIN, *checks)
    packages = ("checks", "model", "spec", "schemas", "fixtures")
    data = files_of(f"conformance.{name}" for name in packages)
    own = {**{name: _sources()[name] for name in modules}, **{n: f for n, f in data.items() if not n.endswith(".py")}}
    libraries = sorted(f"{each.name} {each.version}" for each in metadata.distributions())
    return "\n".join([sys.version, *libraries, _digest(own.items())])


def _digest(named: Iterable[tuple[str, Traversable]]) -> str:
    digest = hashlib.sha256()
    for name, file in sorted(named, key=lambda each: each[0]):
        digest.update(f"{hashlib.sha256(file.read_bytes()).hexdigest()}  {name}\n".encode())
    return digest.hexdigest()
