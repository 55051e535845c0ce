"""Verification: the verdicts of a recorded run, computed again from its evidence."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass, field, fields
from datetime import datetime, timedelta
from typing import Any, Final

import httpx

from conformance.evidence import chain
from conformance.evidence.builds import is_this_build
from conformance.model.conditions import Conditions
from conformance.model.error_table import REFUSED_CREDENTIALS
from conformance.model.exchange import Exchange, header
from conformance.model.requirements import UnknownRequirement
from conformance.model.results import Waiver
from conformance.model.sets import WHOLE_CATALOGUE, UnknownSet
from conformance.reports import har
from conformance.runner import contradictions, other_build
from conformance.runner.conclusion import Run
from conformance.runner.documents import Documents
from conformance.runner.options import Plan
from conformance.runner.plugin import ProgressListener
from conformance.runner.recording import MOST_UNKNOWN, Recording
from conformance.runner.replay import ReplayedSession
from conformance.runner.replayed_target import target_of
from conformance.runner.run import CannotBegin, check

_OF_ANY_SUITE: Final = ("complete", "outcome", "alerts", "confirmations", "scope")
_OF_THE_RUN: Final = (*_OF_ANY_SUITE, "summary", "identifiers", "waivers")
_OF_THE_CATALOGUE: Final = ("level", "basis", "statement")
_NOT_OF_THE_EVIDENCE: Final = ("seconds", "proofs")
"""Members of a requirement's result that do not follow from the evidence: its durations and its score."""

PLAIN_PYTEST: Final = "plain-pytest"
"""The option in the record of a run that the user's own pytest made."""

_LONGEST_START: Final = timedelta(minutes=5)
"""Time between the start of a run and its first exchange."""

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
class Difference:
    """A part of the report that the evidence does not give again."""

    what: str
    """In words."""
    recorded: str
    recomputed: str
    requirement: str = ""
    """Empty if it concerns the run."""
    cause: str = "evidence"
    """"evidence" if this build made the run; else what differs: "catalogue", "interpretation" or "suite"."""


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
    damage: tuple[str, ...] = ()
    try:
        damage = tuple(chain.damage(report, evidence))
        if damage and not despite_damage:
            same_build = is_this_build(report["suite"].get("build"))
            return Verification(verdicts={}, differences=(), damage=damage, is_same_build=same_build)
        return _verification(report, evidence, damage)
    except Unreadable as error:
        raise Unreadable(str(error), damage) from error
    except CannotBegin as error:
        raise Unreadable(str(error).rstrip("."), damage) from error
    except _OF_BAD_INPUT as error:
        raise Unreadable(f"{type(error).__name__}: {error}", damage) from error


def _verification(report: dict[str, Any], evidence: dict[str, Any], damage: tuple[str, ...]) -> Verification:
    recording = _recording(report, evidence)
    run = _replayed(report, _session(report, recording))
    documents = Documents(run)
    recomputed = json.loads(json.dumps(documents.data))
    rows = {row["id"]: row for row in recomputed["requirements"]}
    same_suite = is_this_build(report["suite"].get("build"))
    differences = [
        *_of_the_options(report, recording.conditions, same_suite=same_suite),
        *_of_the_moments(report, run.exchanges),
    ]
    differences += _of_the_run(report, recomputed, same_suite=same_suite)
    if same_suite:
        differences += _of_exchanges(evidence, documents.evidence)
    listed = {row["id"]: row for row in report["requirements"]}
    left_out = {} if same_suite else other_build.not_compared(listed, rows, run.exchanges, recording.unknown)
    for row in (row for row in report["requirements"] if row["id"] not in left_out):
        differences += _of_a_requirement(row, rows.get(row["id"]), same_suite=same_suite)
    if same_suite:
        odd = (*recording.other_headers, *contradictions.within(evidence, recording.exchanges))
        differences += (each for one in odd for each in _compared(*one))
        differences = [*_of_the_recording(recording), *differences]
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


def replay(report: dict[str, Any], session: ReplayedSession, plugins: Sequence[object] = ()) -> Run:
    """Make the checks of a recorded run again, with further plugins of pytest; raise Unreadable if it cannot be."""
    with _reading():
        return _replayed(report, session, plugins)


@contextmanager
def _reading() -> Iterator[None]:
    try:
        yield
    except Unreadable:
        raise
    except CannotBegin as error:
        raise Unreadable(str(error).rstrip(".")) from error
    except _OF_BAD_INPUT as error:
        raise Unreadable(f"{type(error).__name__}: {error}") from error


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


def _of_the_recording(recording: Recording) -> Iterator[Difference]:
    for each in recording.unknown:
        yield Difference(what="a request of the suite", recorded="no such exchange", recomputed=each)
    for one in recording.unused:
        words = f"{one.id}: {one.request.method} {one.request.url} of {one.check}"
        yield Difference(what="an exchange", recorded=words, recomputed="no such request")


def _of_the_options(report: dict[str, Any], conditions: Conditions, *, same_suite: bool) -> Iterator[Difference]:
    """Yield each option that the report states otherwise than the run was made; another build may know others."""
    scope = report["scope"]
    made = {
        **{name: scope[name] for name in ("profile", "set", "select", "deselect", "only") if name in scope},
        **{name: report[name] for name in ("strict", "seed")},
        "fail-on": report["fail_on"],
        "thorough": conditions.thorough,
        "max-created": conditions.max_created,
        "anonymous": conditions.anonymous,
        "concurrency": conditions.concurrency,
        "await-completion": conditions.await_completion,
        "language-selector": conditions.language_selector or None,
    }
    if conditions.also_base_urls:
        made["also-base-url"] = list(conditions.also_base_urls)
    options = report["run"]["options"]
    if options.get("max-created", 0) is None:  # the usual number
        made["max-created"] = None
    for name in [each for each in made if options and (same_suite or each in options)]:
        yield from _compared(f"the option {name}", options.get(name), made[name])
    if options:
        given = conditions.completion is not None
        yield from _compared("the option complete-command", bool(options.get("complete-command")), given)
        yield from _compared(
            "the option reset-command", bool(options.get("reset-command")), conditions.account_was_reset
        )
    for name, label in zip(("expired-token", "foreign-token") if options else (), REFUSED_CREDENTIALS, strict=False):
        yield from _compared(f"the option {name}", bool(options.get(name)), label in conditions.refused)
    if options.get("empty-account") and not conditions.account_is_empty:
        yield from _compared("the option empty-account", True, False)


def _of_the_moments(report: dict[str, Any], exchanges: Sequence[Exchange]) -> Iterator[Difference]:
    """Yield what the report states of the time and the nonce of the run, and its exchanges do not show."""
    started, finished = (datetime.fromisoformat(report[name]) for name in ("started", "finished"))
    first, last = exchanges[0], max(exchanges, key=lambda each: each.started)
    if not timedelta() <= first.started - started < _LONGEST_START:
        yield from _compared("started", report["started"], f"the first exchange began {first.started.isoformat()}")
    if finished < last.started:
        yield from _compared("finished", report["finished"], f"the last exchange began {last.started.isoformat()}")
    mark = f"(nonce {report['run']['nonce']})" if report["run"]["nonce"] else ""
    lacking = [each.id for each in exchanges if mark not in (header(each.request.headers, "user-agent") or "")]
    if lacking:
        yield from _compared("nonce", report["run"]["nonce"], f"not in the User-Agent of {', '.join(lacking[:3])}")


def _of_the_run(report: dict[str, Any], recomputed: dict[str, Any], *, same_suite: bool) -> Iterator[Difference]:
    """Yield the differences of the run as a whole; another suite may count and word otherwise, and so state why."""
    cause = "evidence" if same_suite else "suite"
    for name in _OF_THE_RUN if same_suite else _OF_ANY_SUITE:
        # A report of an older version lacks members.
        recorded, again = report.get(name, recomputed[name]), recomputed[name]
        if name == "scope":
            recorded = {name: again[name] for name in ("undeclared", "only", "set")} | recorded
        yield from _compared(name, recorded, again, cause=cause)
    listed, known = ([row["id"] for row in each["requirements"]] for each in (report, recomputed))
    if same_suite and listed != known:
        yield from _compared("the requirements", listed, known)
    if same_suite:  # only the profile upstream has this member
        yield from _compared("upstream", report.get("upstream"), recomputed.get("upstream"), cause=cause)
    counted = Counter(row["verdict"] for row in report["requirements"] if row.get("scored", True))
    stated = {verdict: number for verdict, number in report["summary"]["verdicts"].items() if number}
    yield from _compared("the numbers of verdicts", stated, dict(counted))


def _of_exchanges(evidence: dict[str, Any], again: dict[str, Any]) -> Iterator[Difference]:
    recomputed = {entry["_id"]: entry for entry in again["log"]["entries"]}
    for entry in evidence["log"]["entries"]:
        other = recomputed.get(entry["_id"], {})
        for name in ("_check", "_operation", "_intent", "_token_had_expired", "_redirected_from", "_read_by"):
            yield from _compared(f"{name} of the exchange {entry['_id']}", entry.get(name), other.get(name))


def _of_a_requirement(row: dict[str, Any], other: dict[str, Any] | None, *, same_suite: bool) -> Iterator[Difference]:
    requirement = row["id"]
    if other is None:  # and the lists of requirements differ
        yield from _compared("verdict", row["verdict"], "", requirement)
    elif same_suite:
        for name, value in row.items():
            if name not in _NOT_OF_THE_EVIDENCE:
                yield from _compared(name, value, other.get(name), requirement)
    elif row["verdict"] != (again := other_build.by_the_catalogue_of(row, other)):
        cause = "suite"
        if any(row.get(name) != other[name] for name in _OF_THE_CATALOGUE):
            cause = "catalogue"
        elif row["reading"] != other["reading"]:
            cause = "interpretation"
        yield from _compared("verdict", row["verdict"], again, requirement, cause)


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
