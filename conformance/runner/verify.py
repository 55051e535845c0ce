"""Verification: the verdicts of a recorded run, computed again from its evidence."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass, field, fields
from datetime import datetime
from typing import Any, Final

import httpx

from conformance.evidence import chain
from conformance.evidence.builds import is_this_build
from conformance.model.conditions import Conditions
from conformance.model.requirements import UnknownRequirement
from conformance.model.results import Waiver
from conformance.model.sets import WHOLE_CATALOGUE, UnknownSet
from conformance.runner import contradictions, other_build
from conformance.runner.conclusion import Run
from conformance.runner.differences import (
    Difference,
    compared,
    exchange_differences,
    moment_differences,
    option_differences,
    recording_differences,
    requirement_differences,
    run_differences,
)
from conformance.runner.documents import Documents
from conformance.runner.options import Plan
from conformance.runner.progress import ProgressListener
from conformance.runner.recording import MOST_UNKNOWN, Recording
from conformance.runner.replay import ReplayedSession
from conformance.runner.replayed_target import target_of
from conformance.runner.run import CannotBegin, check
from conformance.trace import har

PLAIN_PYTEST: Final = "plain-pytest"
"""The option in the record of a run that the user's own pytest made."""

_OF_BAD_INPUT: Final = (
    *(LookupError, TypeError, ValueError, AttributeError, OverflowError, RecursionError, httpx.InvalidURL),
    UnknownRequirement,
    UnknownSet,
)
"""Exceptions of a report or evidence that the suite did not write, or that was altered."""


class Unreadable(ValueError):
    """The verdicts cannot be computed again; `damage` says in words what does not have its digest, if that is known."""

    def __init__(self, message: str, damage: Sequence[str] = ()) -> None:
        super().__init__(message)
        self.damage = tuple(damage)


@dataclass(frozen=True, kw_only=True)
class Verification:
    """The result of a verification."""

    verdicts: dict[str, tuple[str, str]]
    """For each requirement of the report its verdict, recorded and recomputed ("" if the catalogue lacks it)."""
    differences: tuple[Difference, ...]
    damage: tuple[str, ...]
    """In words, what does not have its digest; then nothing was computed, unless it was asked for."""
    not_compared: dict[str, str] = field(default_factory=dict)
    """Why requirements were not compared, by their ids: only another build leaves any."""
    remarks: tuple[str, ...] = ()
    """In words, what a reader should look at and no honest service excludes."""
    is_same_build: bool = True
    """Whether this build made the run. What another build finds is no evidence against the record."""

    @property
    def differing(self) -> frozenset[str]:
        """The requirements with a difference."""
        return frozenset(each.requirement for each in self.differences if each.requirement)

    @property
    def is_equal(self) -> bool:
        """Whether the evidence gives the report again, and nothing was altered."""
        return self.is_same_build and not self.differences and not self.damage


def verify(report: dict[str, Any], evidence: dict[str, Any], *, despite_damage: bool = False) -> Verification:
    """Compute the verdicts of a run again and compare them with its report, which has the shape of its schema.

    A run with a part that does not have its digest is only computed with `despite_damage`: it differs anyway.
    Raise Unreadable for evidence that this suite did not write.
    """
    with _reading():
        damage = tuple(chain.damage(report, evidence))
        if damage and not despite_damage:
            same_build = is_this_build(report["suite"].get("build"))
            return Verification(verdicts={}, differences=(), damage=damage, is_same_build=same_build)
    with _reading(damage):
        return _verification(report, evidence, damage)


def _verification(report: dict[str, Any], evidence: dict[str, Any], damage: tuple[str, ...]) -> Verification:
    recording = _recording(report, evidence)
    run = _replayed(report, _session(report, recording))
    documents = Documents(run)
    recomputed = json.loads(json.dumps(documents.data))
    rows = {row["id"]: row for row in recomputed["requirements"]}
    same_suite = is_this_build(report["suite"].get("build"))
    differences = [
        *option_differences(report, recording.conditions, same_suite=same_suite),
        *moment_differences(report, run.exchanges),
    ]
    differences += run_differences(report, recomputed, same_suite=same_suite)
    if same_suite:
        differences += exchange_differences(evidence, documents.evidence)
    listed = {row["id"]: row for row in report["requirements"]}
    left_out = {} if same_suite else other_build.not_compared(listed, rows, run.exchanges, recording.unknown)
    for row in (row for row in report["requirements"] if row["id"] not in left_out):
        differences += requirement_differences(row, rows.get(row["id"]), same_suite=same_suite)
    if same_suite:
        odd = (*recording.other_headers, *contradictions.within(evidence, recording.exchanges))
        differences += (each for one in odd for each in compared(*one))
        differences = [*recording_differences(recording), *differences]
    return Verification(
        verdicts={name: (row["verdict"], rows.get(name, {}).get("verdict", "")) for name, row in listed.items()},
        differences=tuple(differences),
        damage=damage,
        not_compared=left_out,
        remarks=tuple(contradictions.odd_dates(recording.exchanges)),
        is_same_build=same_suite,
    )


def _recording(report: dict[str, Any], evidence: dict[str, Any]) -> Recording:
    if report["run"]["options"].get(PLAIN_PYTEST):
        raise Unreadable(
            "it was made in the user's own pytest, whose selection and order no replay knows; only a run of "
            "'drsi-conformance check' can be computed again"
        )
    if report.get("repetitions"):
        raise Unreadable("it joins several runs; name the folder of one of them")
    known = {each.name for each in fields(Conditions)}
    given = {name: value for name, value in evidence["log"]["_run"].items() if name in known}
    if given.get("concurrency") not in range(1, 65):
        raise ValueError("the conditions of the run are not as the suite writes them")
    return Recording(har.exchanges_of(evidence), Conditions(**given), datetime.fromisoformat(report["started"]))


def recorded_session(report: dict[str, Any], evidence: dict[str, Any]) -> ReplayedSession:
    """Return a session that answers from the evidence of a run; raise Unreadable if it was altered or is none."""
    with _reading():
        if damage := tuple(chain.damage(report, evidence)):
            raise Unreadable("it was altered", damage)
        return _session(report, _recording(report, evidence))


def replay(report: dict[str, Any], session: ReplayedSession, plugins: Sequence[object]) -> Run:
    """Make the checks of a recorded run again, with further plugins of pytest; raise Unreadable if it cannot be."""
    with _reading():
        return _replayed(report, session, plugins)


@contextmanager
def _reading(damage: tuple[str, ...] = ()) -> Iterator[None]:
    """Raise Unreadable, with the known damage, for what the suite did not write."""
    try:
        yield
    except Unreadable as error:
        raise Unreadable(str(error), error.damage or damage) from error
    except CannotBegin as error:
        raise Unreadable(str(error).rstrip("."), damage) from error
    except _OF_BAD_INPUT as error:
        raise Unreadable(f"{type(error).__name__}: {error}", damage) from error


def _session(report: dict[str, Any], recording: Recording) -> ReplayedSession:
    target = target_of(recording.conditions, report["target"]["base_url"])
    return ReplayedSession(target, recording, seed=report["seed"], nonce=report["run"]["nonce"])


def _replayed(report: dict[str, Any], session: ReplayedSession, plugins: Sequence[object] = ()) -> Run:
    scope = report["scope"]
    plan = Plan(
        profile=scope["profile"],
        set=scope.get("set", WHOLE_CATALOGUE),
        select=tuple(scope["select"]),
        deselect=tuple(scope["deselect"]),
        only=tuple(scope.get("only", ())),
        strict=report["strict"],
        fail_on=tuple(report["fail_on"]),
        waivers=tuple(Waiver(**each) for each in report["waivers"]),
        options=report["run"]["options"],
    )

    def stop() -> None:
        session.clock.stopped = session.recording.conditions.interrupted

    with closing(session):
        run = check(session, plan, ProgressListener(), plugins=plugins, before_clean_up=stop)
    if session.recording.lacks_too_much:
        raise Unreadable(
            f"its checks ask for more than {MOST_UNKNOWN:,} requests that the evidence does not have, so it is not the "
            "evidence of a run"
        )
    return run
