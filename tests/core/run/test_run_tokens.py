"""Tokens that a command gives, that no search can remove from a record, and that hostile services repeat."""

from __future__ import annotations

import base64
import json
import shlex
from collections import Counter
from collections.abc import Callable
from itertools import count
from pathlib import Path
from typing import Any
from urllib.parse import quote

import httpx
import pytest
from platforms import POSIX_COMMANDS
from renewing import renewing
from whole_runs import (
    USERS,
    Send,
    Silent,
    around,
    bent,
    config,
    differences,
    notes_of,
    only,
    problem_of,
    run_over,
    session_over,
    written,
)

from conformance.http.renewed_tokens import CommandToken
from conformance.http.secrets.redaction import without_secrets
from conformance.http.secrets.written import kind_in
from conformance.model.exchange import ErrorKind, Superseded, TransportError
from conformance.model.verdict import Blame, Outcome, Verdict
from conformance.reference import service as reference
from conformance.reference.config import ReferenceConfig, User
from conformance.reports import files
from conformance.run.check import CannotBegin, check
from conformance.run.conclusion import FinishedRun
from conformance.run.documents import Documents
from conformance.run.plan import Plan
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


def run_with(command: str, plan: Plan) -> FinishedRun:
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


LONG = "Bob-9876543210zyxwvutsrqpo"

PLAN = only("4.1-answers-200", "4.5-array", "5.3")


def users(*tokens: str) -> dict[str, tuple[User, ...]]:
    return {"users": tuple(User(f"user-{number}.example", token) for number, token in enumerate(tokens))}


@pytest.mark.parametrize(
    "tokens",
    [
        ("1", LONG),  # the public server of the interface's ancestor issues it
        ("2026-11-28", "newsletter"),  # a data type of the service
    ],
    ids="-".join,
)
def test_an_honest_run_is_verified_and_its_record_shows_no_token_where_it_was_sent(tokens: tuple[str, ...]) -> None:
    run = run_over(config(**users(*tokens)), plan=PLAN, in_turn=False, allow_short_token=True)

    assert [row.id for row in run.report.requirements if row.verdict is Verdict.FAIL] == []
    assert differences(run) == []
    report, evidence = written(run)
    requests = [each["request"] for each in evidence["log"]["entries"]]
    fields = [field for each in requests for field in each["headers"]]
    sent = [each["value"] for each in fields if each["name"].lower() == "authorization"]
    asked = [each["url"] for each in requests if "access_token=" in each["url"]]
    assert sent
    assert asked
    for token in tokens:
        assert [each for each in sent if each.partition(" ")[2].lower() == token.lower()] == []
        assert [each for each in asked if each.lower().endswith(f"={token.lower()}")] == []
    assert f"Authorization: Bearer {tokens[0]}'" not in json.dumps(report)


@pytest.mark.parametrize(
    "given",
    [
        {"settings": config(**users(LONG, "newsletter"))},
        {"settings": config(**users("shop.example"))},  # part of the published addresses
        {"headers": (("X-Tenant", "newsletter"),)},
    ],
)
def test_a_token_or_header_field_is_refused_as_soon_as_the_service_publishes_it(given: Any) -> None:
    with pytest.raises(CannotBegin, match="TOKEN_IS_PUBLISHED") as refused:
        run_over(plan=PLAN, **given)

    problem = problem_of(refused.value)
    assert "shows a text that contains it" in problem.message
    assert "--allow-short-token" in problem.remedy


Answering = Callable[[str], httpx.Response]

JSON = {"content-type": "application/json"}


def cut_off(token: str) -> httpx.Response:
    raise TransportError(ErrorKind.CLOSED, f"the connection was closed after {token!r}")


HOSTILE: dict[str, Answering] = {
    "an error page": lambda token: httpx.Response(500, html=f"<p>Who is {token}?</p><!-- {quote(token, safe='')} -->"),
    "invalid UTF-8": lambda token: httpx.Response(200, content=b"\xff\xfe" + token.encode() + b"\xc3", headers=JSON),
    "UTF-16": lambda token: httpx.Response(
        400, content=token.encode("utf-16"), headers={"content-type": "text/plain; charset=utf-16"}
    ),
    "nested arrays": lambda token: httpx.Response(200, content=b"[" * 3_000 + json.dumps(token).encode(), headers=JSON),
    "names of members": lambda token: httpx.Response(200, json={token: {token: token}}),
    "JSON escapes": lambda token: httpx.Response(
        400, content=f'{{"error": "{"".join(chr(92) + f"u{ord(each):04x}" for each in token)}"}}', headers=JSON
    ),
    "header fields": lambda token: httpx.Response(
        # One form of a credential has a letter outside ASCII; a server sends back the bytes that it was sent.
        302,
        headers=httpx.Headers(
            {"location": f"/login?token={token}", "set-cookie": f"t={token}", "x-" + "a" * 5_000: token}, "utf-8"
        ),
    ),
    "base64": lambda token: httpx.Response(
        409, headers={"www-authenticate": base64.b64encode(f"user:{token}".encode()).decode()}
    ),
    "a long text": lambda token: httpx.Response(200, content=b"x" * 70_000 + token.encode() + b"x" * 70_000),
    "a part of an answer": cut_off,
}


def test_no_file_contains_a_token(tmp_path: Path) -> None:
    """Each call gets another form than the one before."""
    forms = count()

    def hostile(request: httpx.Request, send: Send) -> httpx.Response:
        token = request.headers.get("authorization", "").removeprefix("Bearer ")
        return [*HOSTILE.values()][next(forms) % len(HOSTILE)](token) if token else send(request)

    run = run_over(plan=only("4", "5.3"), wrap=around(hostile))
    assert next(forms) > 5 * len(HOSTILE)
    files.write(tmp_path, Documents(run).data, Documents(run).evidence, formats=files.FORMATS)

    tokens = [("user", USERS[0].token), ("other user", USERS[1].token)]
    written = sorted(path for path in tmp_path.iterdir())
    assert {files.DATA, files.EVIDENCE, "report.html"} <= {path.name for path in written}
    assert [(path.name, kind) for path in written if (kind := kind_in(path, tokens))] == []
