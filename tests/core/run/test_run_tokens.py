"""Whole runs with tokens that a command gives, and with services that refuse good ones."""

from __future__ import annotations

import shlex
from collections import Counter
from pathlib import Path

from platforms import POSIX_COMMANDS
from renewing import renewing
from whole_runs import USERS, Silent, bent, notes_of, only, session_over

from conformance.http.renewed_tokens import CommandToken
from conformance.http.secrets.redaction import without_secrets
from conformance.model.exchange import Superseded
from conformance.model.verdict import Blame, Outcome, Verdict
from conformance.reference import service as reference
from conformance.reference.config import ReferenceConfig, User
from conformance.run.check import check
from conformance.run.conclusion import Run
from conformance.run.options import Plan
from conformance.scenarios.api import Api
from conformance.scenarios.credentials import no_tokens

GOOD_FOR = 30
"""Calls that an expiring token is accepted for."""


class Expiring(reference.Service):
    """Accepts for the first user a token that begins as theirs does, for so many calls."""

    def __init__(self, config: ReferenceConfig) -> None:
        super().__init__(config)
        self.calls: Counter[str] = Counter()

    def accept(self, token: str) -> User | None:
        own, _, number = token.partition(".")
        if own != USERS[0].token or not number.isdigit():
            return super().accept(token) if token == USERS[1].token else None
        self.calls[token] += 1
        return USERS[0] if self.calls[token] <= GOOD_FOR else None


def run_with(command: str, plan: Plan) -> Run:
    with session_over(bend=bent(Expiring), account_is_empty=True) as session:
        session.credentials["user"] = CommandToken(command)
        return check(session, plan, Silent())


def test_a_service_whose_tokens_expire_conforms_where_a_command_renews_them(tmp_path: Path) -> None:
    run = run_with(renewing(tmp_path, f"{USERS[0].token}."), only("4", "5.3"))

    refused = [each.id for each in run.exchanges if each.superseded is Superseded.EXPIRED]
    assert len(refused) > 2
    undecided = [row.id for row in run.report.requirements if row.verdict is Verdict.INCONCLUSIVE]
    assert undecided == []
    assert run.report.outcome is Outcome.CONFORMS_IN_PART
    assert [note.message for note in notes_of(run) if f"{len(refused)} answers 401 ({refused[0]}" in note.message]


def test_what_is_nearly_one_of_several_tokens_is_marked_like_each_of_them(tmp_path: Path) -> None:
    token = CommandToken(renewing(tmp_path, f"{USERS[0].token}."))
    with session_over(bend=bent(Expiring)) as session:
        session.credentials["user"] = token
        before = no_tokens(Api(session))
        token.instead_of(token.current())
        for each in (*before, *no_tokens(Api(session))):
            session.send("GET", "/requests/x", credential=each.label, authorization=each.authorization)
        calls = session.record.exchanges
        recorded = [without_secrets(each, session.secrets.redactor) for each in calls]

    part = USERS[0].token[1:8].lower()
    assert str([each.request.headers for each in calls]).lower().count(part) > 10
    assert part not in str([each.request.headers for each in recorded]).lower()


@POSIX_COMMANDS
def test_a_run_whose_token_cannot_be_renewed_has_a_report_that_says_why(tmp_path: Path) -> None:
    script = tmp_path / "once"
    script.write_text(f"#!/bin/sh\nmkdir {shlex.quote(str(tmp_path / 'run'))} || exit 7\necho {USERS[0].token}.1\n")
    script.chmod(0o755)

    report = run_with(str(script), only("4.1", "5.3")).report

    assert report.outcome is Outcome.INCONCLUSIVE
    assert [row.id for row in report.requirements if row.verdict is Verdict.FAIL] == []
    said = [finding for row in report.requirements for finding in row.findings if "exit code 7" in finding.message]
    assert {(finding.blame, bool(finding.remedy)) for finding in said} == {(Blame.CONFIGURATION, True)}
