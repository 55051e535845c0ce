"""The trace of a run whose calls are over: what its evidence holds, and nothing else."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Literal

from conformance.http.secrets.redaction import without_secrets
from conformance.http.session import Session
from conformance.model.findings import Crashes
from conformance.model.requirements import catalogue
from conformance.model.run_record import Conditions
from conformance.scenarios.registry import SCENARIOS, Scenario, result_types
from conformance.trace import codec
from conformance.trace.har import har, trace_of
from conformance.trace.trace import Trace


def trace_of_run(session: Session, crashes: Crashes, *, ended_before: str, interrupted: bool) -> Trace:
    """Return the trace of a run: written as its evidence, without secrets, and loaded again.

    `ended_before` is the first check whose calls were not all made, and `crashes` are those beside the scenarios. A
    crash while the trace is written leaves what single exchanges show.
    """
    conditions = conditions_of(session, crashes, ended_before=ended_before, interrupted=interrupted)
    redactor, base_url = session.secrets.redactor, session.target.base_url
    exchanges = [without_secrets(each, redactor) for each in session.record.in_order()]
    try:
        results, ends = _results_of(session)
        conditions = replace(conditions, clock_was_set=session.clock.was_set, results=results, ends=ends)
        return trace_of(har(exchanges, conditions), base_url, result_types())
    except Exception as error:
        crashes.note(error, "the trace of the run", catalogue().rows)
        target = replace(conditions.target, base_url=base_url)
        return Trace(exchanges, target, conditions=conditions)


def conditions_of(session: Session, crashes: Crashes, *, ended_before: str, interrupted: bool) -> Conditions:
    """Return the conditions of a run so far, without the results of its scenarios. They hold no secret."""
    target, clean = session.target, session.secrets.text
    listed, journal = session.results.every_type, session.journal
    return Conditions(
        target=target.recorded(),
        users=tuple(session.credentials),
        refused_tokens=tuple(target.refused),
        completes=target.completion is not None,
        time_is_up=session.clock.ended,
        ended_before=ended_before,
        interrupted=interrupted,
        crashes=tuple(
            replace(each, exception=clean(each.exception), traceback=clean(each.traceback)) for each in crashes.told()
        ),
        ever_listed=None if listed is None else tuple(sorted(map(clean, listed))),
        created=journal.created,
        deleted=len(journal.gone),
        not_found=len(journal.lost),
        left_behind=journal.left_behind,
        left=clean(journal.left or ""),
        selector_is_unknown=session.results.selector_is_unknown,
    )


def _results_of(session: Session) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return the results of the scenarios that are over, and the exceptions that ended others, both by their names."""
    found: dict[str, dict[str, Any]] = {"results": {}, "ends": {}}
    for scenario in SCENARIOS.values():
        member, data = result_of(session, scenario)
        if member:
            found[member][scenario.name] = data
    return found["results"], found["ends"]


def result_of(session: Session, scenario: Scenario[Any]) -> tuple[Literal["results", "ends", ""], Any]:
    """Return the member of the conditions that has the result of a scenario, and its form there; "" if it has none."""
    future, clean = session.results.scenarios.get(scenario), session.secrets.redactor
    if future is None or not future.done():
        return "", None
    if (error := future.exception()) is None:
        return "results", codec.written(future.result(), clean.text, clean.raw)
    if isinstance(error, Exception):
        return "ends", codec.written(error, clean.text, clean.raw)
    return "", None
