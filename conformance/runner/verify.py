"""Verification: the verdicts of a recorded run, computed again from its evidence."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass, fields
from datetime import datetime
from typing import Any, Final

from conformance.http.replay import Conditions, Recording, ReplayedSession
from conformance.model.report import Waiver
from conformance.reports import har
from conformance.runner.conditions import target_of
from conformance.runner.plugin import ProgressListener
from conformance.runner.run import Plan, Run, check

_NOT_COMPUTED: Final = ("seconds", "proofs")
"""Members of a requirement's result that do not follow from the exchanges."""


class Unreadable(ValueError):
    """The evidence does not have the form that the suite writes."""


@dataclass(frozen=True, kw_only=True)
class Difference:
    """A part of the report that the evidence does not give again; `requirement` is empty if it concerns the run."""

    requirement: str
    what: str
    recorded: str
    recomputed: str


@dataclass(frozen=True, kw_only=True)
class Verification:
    """The result of a verification."""

    requirements: int
    """Number of requirements whose verdicts were compared."""
    differences: tuple[Difference, ...]

    @property
    def differing(self) -> frozenset[str]:
        """The requirements with a difference."""
        return frozenset(each.requirement for each in self.differences if each.requirement)


def verify(report: dict[str, Any], evidence: dict[str, Any]) -> Verification:
    """Compute the verdicts of a run again and compare them with its report; raise Unreadable for foreign evidence."""
    recording = _recording(report, evidence)
    run = _replayed(report, recording)
    recomputed = json.loads(json.dumps(run.data))
    differences = (*_of_the_recording(recording), *_of_the_run(report, recomputed), *_of_rows(report, recomputed))
    return Verification(requirements=len(report["requirements"]), differences=differences)


def _recording(report: dict[str, Any], evidence: dict[str, Any]) -> Recording:
    try:
        known = {each.name for each in fields(Conditions)}
        given = {name: value for name, value in evidence["log"]["_run"].items() if name in known}
        started = datetime.fromisoformat(report["started"])
        return Recording(har.exchanges_of(evidence), Conditions(**given), started)
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise Unreadable(f"{type(error).__name__}: {error}") from None


def _replayed(report: dict[str, Any], recording: Recording) -> Run:
    scope = report["scope"]
    plan = Plan(
        profile=scope["profile"],
        select=tuple(scope["select"]),
        deselect=tuple(scope["deselect"]),
        strict=report["strict"],
        fail_on=tuple(report["fail_on"]),
        waivers=tuple(Waiver(**each) for each in report["waivers"]),
        options=report["run"]["options"],
    )
    target = target_of(recording.conditions, report["target"]["base_url"])
    session = ReplayedSession(target, recording, seed=report["seed"])

    def stop() -> None:
        session.clock.stopped = recording.conditions.interrupted

    with closing(session):
        return check(session, plan, ProgressListener(), before_clean_up=stop)


def _of_the_recording(recording: Recording) -> Iterator[Difference]:
    for each in recording.unknown:
        yield Difference(requirement="", what="a request of the suite", recorded="no such exchange", recomputed=each)
    for one in recording.left:
        if one.was_sent:
            words = f"{one.id}: {one.request.method} {one.request.url} of {one.check}"
            yield Difference(requirement="", what="an exchange", recorded=words, recomputed="no such request")


def _of_the_run(report: dict[str, Any], recomputed: dict[str, Any]) -> Iterator[Difference]:
    for name in ("complete", "outcome", "alerts", "scope", "summary", "waivers", "identifiers"):
        yield from _difference("", name, report[name], recomputed[name])


def _of_rows(report: dict[str, Any], recomputed: dict[str, Any]) -> Iterator[Difference]:
    again = {row["id"]: row for row in recomputed["requirements"]}
    for row in report["requirements"]:
        for name in (name for name in row if name not in _NOT_COMPUTED):
            yield from _difference(row["id"], name, row[name], again.get(row["id"], {}).get(name))


def _difference(requirement: str, what: str, recorded: Any, recomputed: Any) -> Iterator[Difference]:
    if recorded != recomputed:
        yield Difference(
            requirement=requirement, what=what, recorded=json.dumps(recorded), recomputed=json.dumps(recomputed)
        )
