"""One run: preflight, calls, clean-up, the checks, and the conclusion. Data first, views after."""

from __future__ import annotations

from collections.abc import Callable

from conformance.http.session import Session
from conformance.model.findings import Crashes
from conformance.run import preflight
from conformance.run.calls import Calls
from conformance.run.checks_by_pytest import ChecksByPytest
from conformance.run.conclusion import FinishedRun, Frame, concluded
from conformance.run.plan import Plan
from conformance.run.preflight import Look, Obstacle
from conformance.run.progress import ProgressListener


class CannotBegin(Exception):
    """The preflight met an obstacle; nothing was decided. `explanations.py` says what to do."""

    def __init__(self, obstacle: Obstacle, session: Session) -> None:
        super().__init__(obstacle.symptom.name)
        self.obstacle = obstacle
        self.session = session


def check(
    session: Session,
    plan: Plan,
    progress: ProgressListener,
    *,
    before_clean_up: Callable[[], None] = lambda: None,
) -> FinishedRun:
    """Run the checks of `plan` against the session's target.

    A KeyboardInterrupt ends the run early, and so does `session.stop()`: the report then says that it is not complete.
    Neither has any effect once `before_clean_up` was called. A crash of the suite ends nothing but the check that it
    comes in. Raises CannotBegin, ConfigurationFault and UnknownRequirement before anything is decided."""
    started = session.clock.now()
    if plan.public:
        session.credentials.clear()
    crashes, seen = Crashes(plan.selected()), Look()
    calls = Calls(session, crashes, progress, before_clean_up, leaves=plan.leaves, explain=plan.explain)
    checks = ChecksByPytest(plan, crashes, progress, seed=session.seed if session.target.anonymous else None)
    try:
        with crashes.noted("the look at the target before the checks"):
            seen = preflight.look(session, needs_token=not plan.public, may_create=not plan.public)
        if seen.obstacle is not None:
            raise CannotBegin(seen.obstacle, session)
        checks.run(calls.make)
    except KeyboardInterrupt:
        calls.interrupted = True
    finally:
        calls.clean_up()
    checks.trace = calls.trace
    checks.interrupted |= calls.interrupted
    frame = Frame.of(session, plan, started=started, seen=seen)
    return concluded(checks, plan, frame, session.secrets.redactor)
