"""The judgement of a run that is over: what `check` does after the calls, without a service."""

from __future__ import annotations

from conformance.http.secrets.redaction import Redactor
from conformance.model.findings import Crashes
from conformance.run.checks_by_pytest import ChecksByPytest
from conformance.run.conclusion import FinishedRun, Frame, concluded
from conformance.run.plan import Plan
from conformance.run.progress import ProgressListener
from conformance.trace.trace import Trace


def judged(trace: Trace, plan: Plan, frame: Frame) -> FinishedRun:
    """Judge the trace of a run that is over, as `check` does after the calls."""
    crashes = Crashes(plan.selected())
    for each in trace.conditions.crashes:
        crashes.add(each)
    checks = ChecksByPytest(plan, crashes, ProgressListener(), seed=frame.seed if trace.target.anonymous else None)
    checks.run(lambda _: trace)
    return concluded(checks, plan, frame, Redactor([]))
