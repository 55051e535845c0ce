"""Whole runs of the checks against a reference service in this process: no sockets, and no waiting for Retry-After."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import httpx

from conformance.calibration.variant import REFERENCE, Variant
from conformance.http.session import Session
from conformance.model.findings import Note
from conformance.model.report import Report
from conformance.model.requirements import all_testable, catalogue
from conformance.model.results import RequirementResult
from conformance.model.target import Target, Token
from conformance.model.verdict import Verdict
from conformance.reference.config import ReferenceConfig, User
from conformance.reference.service import Service
from conformance.run import in_process as inprocess
from conformance.run.check import CannotBegin, check
from conformance.run.conclusion import FinishedRun
from conformance.run.documents import Documents
from conformance.run.explanations import explained
from conformance.run.plan import Plan
from conformance.run.progress import ProgressListener
from conformance.run.verify import Verification, verify

ORIGIN = "http://localhost"
USERS = (User("alice.example", "Alice-0123456789abcdefghij"), User("bob.example", "Bob-9876543210zyxwvutsrqpo"))

Wrap = inprocess.Wrap
Silent = ProgressListener
Send = Callable[[httpx.Request], httpx.Response]


class _Around(httpx.BaseTransport):
    def __init__(self, inner: httpx.BaseTransport, answer: Callable[[httpx.Request, Send], httpx.Response]) -> None:
        self._inner = inner
        self._answer = answer

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        return self._answer(request, self._inner.handle_request)

    def close(self) -> None:
        self._inner.close()


def around(answer: Callable[[httpx.Request, Send], httpx.Response]) -> Wrap:
    """Return what answers in place of a service; `answer` gets each request, and what sends it to the service."""
    return lambda inner: _Around(inner, answer)


def config(**changes: Any) -> ReferenceConfig:
    """Return the configuration of the services of these runs."""
    return ReferenceConfig(**{"users": USERS, "seed": 1, **changes})


def target_of(base_url: str, tokens: tuple[str, ...], **more: Any) -> Target:
    """Return a target whose users have `tokens`, of which there may be none."""
    known = [Token(token) for token in tokens[:2]] + [None, None]
    return Target(base_url=base_url, user=known[0], other=known[1], **more)


@contextmanager
def session_over(
    settings: ReferenceConfig | None = None,
    bend: Variant | None = None,
    *,
    seed: int = 0,
    in_turn: bool = True,
    wrap: Wrap = lambda transport: transport,
    keep_personal_data: bool = False,
    **target: Any,
) -> Iterator[Session]:
    """Give a session over a fresh reference service; `wrap` may put another transport around the one to it.

    `in_turn`, as in the self-test, nothing hangs on how threads come to run: a fault that shows only where a call finds
    another under way is met or missed for sure.
    """
    usual = inprocess.by_calls(settings or config(), seed)
    variant = bend or REFERENCE
    settings = variant.configured(usual)
    app = variant.app(settings)
    known = target_of(f"{ORIGIN}{settings.path_prefix}", settings.tokens, **{**variant.run, **target})
    session = inprocess.session_over(
        app, known, seed=seed, in_turn=in_turn, wrap=wrap, keep_personal_data=keep_personal_data
    )
    try:
        yield session
    finally:
        session.close()


def run_over(
    settings: ReferenceConfig | None = None, bend: Variant | None = None, *, plan: Plan | None = None, **how: Any
) -> FinishedRun:
    """Check a fresh reference service and return what the run gives; `how` is as for session_over."""
    with session_over(settings, bend, **how) as session:
        run = check(session, plan or Plan(), Silent())
    assert [crash.traceback for crash in run.report.crashes] == []
    return run


def notes_of(run: FinishedRun) -> tuple[Note, ...]:
    """Return what the report of a run says of the run itself."""
    return Documents(run).shown.notes


def problem_of(error: CannotBegin) -> Note:
    """Return why a run could not begin, in words."""
    return explained(error.obstacle, error.session)


def bent(service: type[Service]) -> Variant:
    """Return a variant with this service."""
    return Variant(name="test", summary="test", service=service)


def by_verdict(report: Report, *verdicts: Verdict) -> dict[str, RequirementResult]:
    """Return the results of a report with one of these verdicts, by requirement."""
    return {row.id: row for row in report.requirements if row.verdict in verdicts}


def row_of(report: Report, requirement: str) -> RequirementResult:
    """Return the result of one requirement."""
    return next(row for row in report.requirements if row.id == requirement)


def written(run: FinishedRun) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return the report and the evidence of a run as other programs read them."""
    documents = Documents(run)
    report, evidence = json.loads(json.dumps([documents.data, documents.evidence]))
    return report, evidence


def verified(run: FinishedRun) -> Verification:
    """Return the verification of a run."""
    return verify(*written(run))


def differences(run: FinishedRun) -> list[str]:
    """Return, in words, what the evidence of a run does not give again."""
    found = verified(run)
    return [*found.damage, *(f"{each.requirement} {each.what}: {each}" for each in found.differences)]


def only(*requirements: str) -> Plan:
    """Return the plan of a run of the checks of some ids or clauses. A selection is slower: it makes all calls."""
    wanted = frozenset[str]().union(*map(catalogue().select, requirements))
    return Plan(deselect=tuple(all_testable() - wanted))
