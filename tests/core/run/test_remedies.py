"""Options that a remedy names for a service that is slow, limits calls, or lets tokens expire: each decides a row."""

from __future__ import annotations

import re
from collections import Counter
from contextlib import closing
from datetime import datetime, timedelta
from functools import cached_property

import pytest
from behind_sockets import head_of, parsed, request_of, whole
from hand_made import Waits
from raw_server import Peer, RawServer
from whole_runs import USERS, Silent, bent, config, problem_of, row_of, run_over, session_over, target_of

from conformance.http.session import Session
from conformance.http.wire.exchange_limits import Limits
from conformance.http.wire.transport import BoundedTransport
from conformance.judge.decided_by import decided_by
from conformance.model.results import RequirementResult
from conformance.model.target import Budget, Token
from conformance.model.verdict import Verdict
from conformance.reference.app import build_app
from conformance.reference.call import Action, Call, Reply
from conformance.reference.config import User
from conformance.reference.in_process import InProcessTransport
from conformance.reference.service import Service
from conformance.run.check import CannotBegin, check
from conformance.run.conclusion import Run
from conformance.run.options import Plan

OPTION = re.compile(r"--[a-z][a-z-]+")
ROW = "3-deletes-no-other"
MOST = 20
"""Calls of a second, or with a token, that the services of these tests accept."""


class Limiting(Service):
    """Answers 429 to a reading that comes less than a twentieth of a second after the one before."""

    last: datetime | None = None

    async def shortcut(self, call: Call) -> Reply | None:
        if call.operation is not Action.READ:
            return None
        before, self.last = self.last, self.now()
        if before is None or self.last - before >= timedelta(seconds=1 / MOST):
            return None
        reply = Reply.json({"error": "Too Many Requests", "message": "Ask more slowly."}, 429)
        reply.headers["retry-after"] = "0"
        return reply


def test_a_rate_decides_what_a_rate_limiter_left_open() -> None:
    plan = Plan(select=(ROW,))

    before = row_of(run_over(bend=bent(Limiting), plan=plan).report, ROW)
    after = row_of(run_over(bend=bent(Limiting), plan=plan, budget=Budget(rate=MOST / 2)).report, ROW)

    assert (before.verdict, after.verdict) == (Verdict.INCONCLUSIVE, Verdict.PASS)
    assert "--rate" in OPTION.findall(decided_by(before))


class Expiring(Service):
    """Accepts a token of the first user, which begins as theirs does, for some calls."""

    calls = cached_property(lambda _: Counter[str]())

    def accept(self, token: str) -> User | None:
        if token.partition(".")[0] != USERS[0].token:
            return super().accept(token)
        self.calls[token] += 1
        return USERS[0] if self.calls[token] <= MOST else None


class Numbered(Token):
    """Stands for the command of --token-command: another token each time."""

    renewable = True

    def instead_of(self, refused: str) -> str | None:
        if refused == self._value:
            self._value += ".1"
            self.used.append(self._value)
        return self._value


@pytest.mark.parametrize(("kind", "verdict"), [(Token, Verdict.INCONCLUSIVE), (Numbered, Verdict.PASS)])
def test_a_command_for_tokens_decides_what_an_expired_one_left_open(kind: type[Token], verdict: Verdict) -> None:
    with session_over(bend=bent(Expiring)) as session:
        session.credentials["user"] = kind(USERS[0].token)
        row = row_of(check(session, Plan(select=("5.1-accepts-bearer",)), Silent()).report, "5.1-accepts-bearer")

    assert row.verdict is verdict, row
    assert ("--token-command" in OPTION.findall(decided_by(row))) is (verdict is Verdict.INCONCLUSIVE)


def run_with_a_deadline(seconds: float) -> Run:
    """Check a service that is silent for a quarter of a second before it shows its settings."""
    settings = config()
    inner = InProcessTransport(build_app(settings))

    def script(peer: Peer) -> None:
        while (head := head_of(peer)) is not None:
            request = request_of(peer, *parsed(head))
            if request.url.path.endswith("/settings"):
                server.over.wait(0.25)
            answer = inner.handle_request(request)
            peer.send(whole(answer.status_code, dict(answer.headers), answer.read()))

    with closing(inner), RawServer(script) as server:
        target = target_of(f"http://127.0.0.1:{server.port}{settings.path_prefix}", ())
        session = Session(target, transport=BoundedTransport(bounds=Limits(deadline=seconds)), clock=Waits())
        try:
            return check(session, Plan(profile="public", select=("4.4-object",)), Silent())
        finally:
            session.close()


def test_more_time_for_each_call_decides_what_a_slow_service_left_open() -> None:
    with pytest.raises(CannotBegin) as caught:
        run_with_a_deadline(0.1)

    row: RequirementResult = row_of(run_with_a_deadline(60.0).report, "4.4-object")

    assert "--timeout" in OPTION.findall(problem_of(caught.value).remedy)
    assert row.verdict is Verdict.PASS
