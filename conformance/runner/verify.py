"""Verification: the verdicts of a recorded run, computed again from its evidence."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass, fields
from datetime import datetime
from typing import Any, Final

from conformance import __version__
from conformance.evidence import chain
from conformance.http.replay import Conditions, Recording, ReplayedSession
from conformance.model.report import Waiver
from conformance.model.requirements import catalogue
from conformance.reports import har
from conformance.runner.conditions import target_of
from conformance.runner.plugin import ProgressListener
from conformance.runner.run import Plan, Run, check

_OF_THE_RUN: Final = ("complete", "outcome", "alerts", "scope", "summary", "identifiers")
_OF_THE_CATALOGUE: Final = ("level", "statement")
_OF_THE_VERDICT: Final = ("verdict", "reason", "checks", "findings", "evidence", "waived")
"""Members of a requirement's result that follow from the evidence; its durations and its score do not."""


class Unreadable(ValueError):
    """The evidence does not have the form that the suite writes."""


@dataclass(frozen=True, kw_only=True)
class Difference:
    """A part of the report that the evidence does not give again."""

    what: str
    """In words."""
    recorded: str
    recomputed: str
    requirement: str = ""
    """Empty if it concerns the run."""
    cause: str = "evidence"
    """"evidence" if this suite made the run; else what changed since: "catalogue", "interpretation" or "suite"."""


@dataclass(frozen=True, kw_only=True)
class Verification:
    """The result of a verification."""

    verdicts: dict[str, tuple[str, str]]
    """For each requirement of the report its verdict, recorded and recomputed ("" if the catalogue lacks it)."""
    differences: tuple[Difference, ...]
    damage: tuple[str, ...]
    """In words, what does not have its digest."""

    @property
    def differing(self) -> frozenset[str]:
        """The requirements with a difference."""
        return frozenset(each.requirement for each in self.differences if each.requirement)

    @property
    def is_equal(self) -> bool:
        """Whether the evidence gives the report again, and nothing was altered."""
        return not self.differences and not self.damage


def verify(report: dict[str, Any], evidence: dict[str, Any]) -> Verification:
    """Compute the verdicts of a run again and compare them with its report, which has the shape of its schema.

    Raise Unreadable for evidence that this suite did not write.
    """
    try:
        damage = tuple(chain.damage(report, evidence))
        recording = _recording(report, evidence)
        run = _replayed(report, recording)
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise Unreadable(f"{type(error).__name__}: {error}") from error
    recomputed = json.loads(json.dumps(run.data))
    rows = {row["id"]: row for row in recomputed["requirements"]}
    same_suite = report["suite"]["version"] == __version__ and report["suite"]["catalogue"] == catalogue().digest
    differences = [*_of_the_options(report, recording.conditions)]
    if same_suite:
        differences += [*_of_the_run(report, recomputed), *_of_exchanges(evidence, run.evidence)]
    for row in report["requirements"]:
        differences += _of_a_requirement(row, rows.get(row["id"]), same_suite=same_suite)
    verdicts = {
        row["id"]: (row["verdict"], rows.get(row["id"], {}).get("verdict", "")) for row in report["requirements"]
    }
    return Verification(
        verdicts=verdicts,
        differences=(*_of_the_recording(recording), *differences),
        damage=damage,
    )


def _recording(report: dict[str, Any], evidence: dict[str, Any]) -> Recording:
    known = {each.name for each in fields(Conditions)}
    given = {name: value for name, value in evidence["log"]["_run"].items() if name in known}
    return Recording(har.exchanges_of(evidence), Conditions(**given), datetime.fromisoformat(report["started"]))


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
    session = ReplayedSession(target, recording, seed=report["seed"], nonce=report["run"]["nonce"])

    def stop() -> None:
        session.clock.stopped = recording.conditions.interrupted

    with closing(session):
        return check(session, plan, ProgressListener(), before_clean_up=stop)


def _of_the_recording(recording: Recording) -> Iterator[Difference]:
    for each in recording.unknown:
        yield Difference(what="a request of the suite", recorded="no such exchange", recomputed=each)
    for one in recording.left:
        words = f"{one.id}: {one.request.method} {one.request.url} of {one.check}"
        yield Difference(what="an exchange", recorded=words, recomputed="no such request")


def _of_the_options(report: dict[str, Any], conditions: Conditions) -> Iterator[Difference]:
    """Yield each option that the report states otherwise than the run was made."""
    scope = report["scope"]
    made = {
        **{name: scope[name] for name in ("profile", "select", "deselect")},
        **{name: report[name] for name in ("strict", "seed")},
        "fail-on": report["fail_on"],
        "thorough": conditions.thorough,
        "anonymous": conditions.anonymous,
        "concurrency": conditions.concurrency,
        "await-completion": conditions.await_completion,
        "language-selector": conditions.language_selector or None,
    }
    options = report["run"]["options"]
    for name in made.keys() & options.keys():
        yield from _compared(f"the option {name}", options[name], made[name])
    if options.get("empty-account") and not conditions.account_is_empty:
        yield from _compared("the option empty-account", True, False)


def _of_the_run(report: dict[str, Any], recomputed: dict[str, Any]) -> Iterator[Difference]:
    for name in _OF_THE_RUN:
        yield from _compared(name, report[name], recomputed[name])
    # The state of a waiver is the run's, all else is the user's.
    yield from _compared("waivers", report["waivers"], recomputed["waivers"])


def _of_exchanges(evidence: dict[str, Any], again: dict[str, Any]) -> Iterator[Difference]:
    recomputed = {entry["_id"]: entry for entry in again["log"]["entries"]}
    for entry in evidence["log"]["entries"]:
        other = recomputed.get(entry["_id"], {})
        for name in ("_check", "_operation", "_intent", "_token_had_expired", "_redirected_from", "_read_by"):
            yield from _compared(f"{name} of the exchange {entry['_id']}", entry.get(name), other.get(name))


def _of_a_requirement(row: dict[str, Any], other: dict[str, Any] | None, *, same_suite: bool) -> Iterator[Difference]:
    requirement = row["id"]
    if other is None:
        yield Difference(
            what="verdict", recorded=row["verdict"], recomputed="", requirement=requirement, cause="catalogue"
        )
    elif same_suite:
        for name in (*_OF_THE_CATALOGUE, "clause", "reading", *_OF_THE_VERDICT):
            yield from _compared(name, row[name], other[name], requirement)
    elif row["verdict"] != other["verdict"]:
        cause = "suite"
        if any(row[name] != other[name] for name in _OF_THE_CATALOGUE):
            cause = "catalogue"
        elif row["reading"] != other["reading"]:
            cause = "interpretation"
        yield from _compared("verdict", row["verdict"], other["verdict"], requirement, cause)


def _compared(
    what: str, recorded: Any, recomputed: Any, requirement: str = "", cause: str = "evidence"
) -> Iterator[Difference]:
    if recorded != recomputed:
        yield Difference(
            what=what,
            recorded=_told(recorded),
            recomputed=_told(recomputed),
            requirement=requirement,
            cause=cause,
        )


def _told(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value)
