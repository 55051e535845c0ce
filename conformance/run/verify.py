"""Verification: the verdicts of a recorded run, computed again from its evidence."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Final

import httpx

from conformance.model.requirements import UnknownRequirement
from conformance.model.results import Waiver
from conformance.model.run_record import RunRecord
from conformance.model.sets import WHOLE_CATALOGUE, UnknownSet, chosen
from conformance.run import contradictions, live_evidence
from conformance.run.conclusion import FinishedRun, Frame
from conformance.run.differences import (
    Difference,
    compared,
    moment_differences,
    option_differences,
    requirement_differences,
    run_differences,
)
from conformance.run.documents import Documents
from conformance.run.judged import judged
from conformance.run.plan import Plan
from conformance.scenarios.registry import result_types
from conformance.trace.har import trace_of
from conformance.trace.trace import Trace
from conformance.trust import chain
from conformance.trust.builds import is_this_build

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
    trace = _trace(report, evidence)
    conditions, exchanges = trace.conditions, trace.exchanges
    run = judged(trace, plan_of(report), frame_of(report))
    recomputed = json.loads(json.dumps(Documents(run).data))
    same_suite = is_this_build(report["suite"].get("build"))
    differences, not_compared = requirement_differences(report, recomputed, same_suite=same_suite)
    differences += moment_differences(report, exchanges)
    if not conditions.is_recorded_traffic:
        differences += option_differences(report, conditions, same_suite=same_suite)
    differences += run_differences(report, recomputed, same_suite=same_suite)
    if same_suite:
        for contradiction in contradictions.within(evidence, trace, report["run"]["nonce"]):
            differences += compared(*contradiction)
    again = {row["id"]: row["verdict"] for row in recomputed["requirements"]}
    return Verification(
        verdicts={row["id"]: (row["verdict"], again.get(row["id"], "")) for row in report["requirements"]},
        differences=tuple(differences),
        damage=damage,
        not_compared=not_compared,
        remarks=tuple(contradictions.odd_dates(exchanges)),
        is_same_build=same_suite,
    )


def recorded_trace(report: dict[str, Any], evidence: dict[str, Any]) -> Trace:
    """Return the trace of a recorded run; raise Unreadable if it was altered, or if this suite did not write it."""
    with _reading():
        if damage := tuple(chain.damage(report, evidence)):
            raise Unreadable("it was altered", damage)
        return _trace(report, evidence)


def judge_unfinished(lines: Iterator[dict[str, Any]]) -> tuple[FinishedRun, bool]:
    """Judge what a killed run recorded, and tell whether this build made it; the run never conforms.

    `lines` are those that it left. Raise Unreadable for lines that this suite did not write.
    """
    with _reading():
        frame, evidence = live_evidence.unfinished(lines)
        trace = trace_of(evidence, frame["target"]["base_url"], result_types())
        return judged(trace, plan_of(frame), frame_of(frame)), is_this_build(frame["suite"]["build"])


def _trace(report: dict[str, Any], evidence: dict[str, Any]) -> Trace:
    if report.get("repetitions"):
        raise Unreadable("it joins several runs; name the folder of one of them")
    return trace_of(evidence, report["target"]["base_url"], result_types())


def frame_of(report: Mapping[str, Any]) -> Frame:
    """Return what a report states beside what follows from its trace."""
    run = RunRecord(options=report["run"]["options"], nonce=report["run"]["nonce"])
    started, finished = (datetime.fromisoformat(report[name]) for name in ("started", "finished"))
    return Frame(started=started, finished=finished, seed=report["seed"], run=run)


def plan_of(report: Mapping[str, Any]) -> Plan:
    """Return the plan of a run."""
    scope = report["scope"]
    return Plan(
        profile=scope["profile"],
        set=chosen(scope.get("set", WHOLE_CATALOGUE)),
        select=tuple(scope["select"]),
        deselect=tuple(scope["deselect"]),
        only=tuple(scope.get("only", ())),
        strict=report["strict"],
        fail_on=tuple(report["fail_on"]),
        waivers=tuple(Waiver(**each) for each in report["waivers"]),
        options=report["run"]["options"],
    )


@contextmanager
def _reading(damage: tuple[str, ...] = ()) -> Iterator[None]:
    """Raise Unreadable, with the known damage, for what the suite did not write."""
    try:
        yield
    except Unreadable as error:
        raise Unreadable(str(error), error.damage or damage) from error
    except _OF_BAD_INPUT as error:
        raise Unreadable(f"{type(error).__name__}: {error}", damage) from error
