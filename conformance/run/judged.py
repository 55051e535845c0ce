"""The judgement of a run that is over: what `check` does after the calls, without a service."""

from __future__ import annotations

from conformance.http.secrets.redaction import Redactor
from conformance.run.conclusion import Frame, Run, concluded
from conformance.run.judging import judge
from conformance.run.options import Plan
from conformance.trace.trace import Trace


def judged(trace: Trace, plan: Plan, frame: Frame) -> Run:
    """Judge the trace of a run that is over, as `check` does after the calls."""
    return concluded(judge(trace, plan, seed=frame.seed), plan, plan.selected(), frame, Redactor([]))
