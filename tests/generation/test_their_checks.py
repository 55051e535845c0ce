"""The checks of schemathesis: they run on the answers, and one table says where they ask for too much."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest
from answered import creation
from whole_runs import bent, only, run_over, session_over

from conformance.client.user import UserClient
from conformance.generation import links, second_opinion
from conformance.generation.call import GeneratedCall
from conformance.generation.links import linked_calls
from conformance.generation.their_checks import CHECKS, OF_REFUSED_TOKENS, STRICTER
from conformance.model.exchange import Intent, Operation
from conformance.reference.call import Call, Reply
from conformance.reference.config import ReferenceConfig, User
from conformance.reference.process import ReferenceProcess
from conformance.reference.service import Service
from conformance.runner.notes import OF_SCHEMATHESIS

PAGE = Path(__file__).parents[2] / "docs" / "schemathesis.md"
EXCLUDED = sorted({row.check for row in STRICTER if row.exclude})


def row_of(check: str, condition: str, reason: str, *, exclude: bool) -> str:
    name = f"**{check}**" if exclude else check
    return f"| {name} | {condition} | {reason} |"


def test_the_page_shows_the_table() -> None:
    table = PAGE.read_text("utf-8").partition("| check | when | why |")[2]
    shown = [line for line in table.splitlines() if line.startswith("| ")]

    assert shown == [row_of(row.check, row.condition, row.reason, exclude=row.exclude) for row in STRICTER]


def test_the_command_of_the_page_excludes_what_the_table_says() -> None:
    excluded = re.search(r"--exclude-checks (\S+)", PAGE.read_text("utf-8"))

    assert excluded is not None
    assert sorted(excluded[1].split(",")) == EXCLUDED


def test_every_row_is_about_a_check_of_schemathesis() -> None:
    from schemathesis import checks

    named = {*CHECKS, *OF_REFUSED_TOKENS, *(row.check for row in STRICTER)}
    assert all(callable(getattr(checks, name)) for name in named)


@pytest.mark.parametrize(("status", "is_explained"), [(400, True), (307, True), (200, False)])
def test_a_refusal_of_control_characters_in_own_words_is_explained(status: int, *, is_explained: bool) -> None:
    own = {"error": "TooManyDataTypes", "message": "Ask for fewer, or for all."}
    asked = creation(status, own, body="unprintable type", types=["\x92", "-"])

    for check in ("response_schema_conformance", "negative_data_rejection"):
        rows = [row for row in STRICTER if row.check == check]
        assert any(row.applies(GeneratedCall(Operation.CREATE), asked) for row in rows) == is_explained


def test_schemathesis_alone_finds_nothing_in_the_reference_service(tmp_path: Path) -> None:
    config = ReferenceConfig(users=(User("alice.example", "Alice-0123456789abcdefghij"),), max_requests=1000)
    folder = Path(sys.executable).parent
    subprocess.run([folder / "drsi-conformance", "openapi", "--output", "openapi.json"], cwd=tmp_path, check=True)
    with ReferenceProcess(config) as service:
        command = [folder / "schemathesis", "run", "openapi.json", "--url", service.base_url, "--checks", "all"]
        command += ["-H", f"Authorization: Bearer {service.tokens[0]}", "--exclude-checks", ",".join(EXCLUDED)]
        command += ["--max-examples", "5", "--seed", "1"]
        done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)

    assert done.returncode == 0, done.stdout


def test_what_only_schemathesis_reports_is_a_note_with_the_call(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("conformance.generation.their_checks.STRICTER", ())

    run = run_over(plan=only("4.1-requested-types"), account_is_empty=True)

    notes = [each for each in run.report.notes if each.message.startswith(OF_SCHEMATHESIS)]
    assert any("positive_data_acceptance" in each.message for each in notes)
    assert all("curl -i" in each.remedy for each in notes)


class _KeepsTheDeleted(Service):
    """A deletion is confirmed, and the request can still be read."""

    async def delete(self, call: Call) -> Reply:
        self.find(call)
        return Reply(200, b"OK", {"content-type": "text/plain"})


class _AsksForNoToken(Service):
    """Anybody may create a request."""

    def authenticate(self, call: Call) -> User | None:  # noqa: ARG002
        return self.config.users[0]


def test_the_stateful_checks_of_schemathesis_read_the_series(monkeypatch: pytest.MonkeyPatch) -> None:
    for module in (links, second_opinion):
        monkeypatch.setattr(module, "judge", lambda *_: ())  # no rule of the suite, which would find it too
    with session_over(bend=bent(_KeepsTheDeleted), seed=1) as session:
        linked_calls.result(UserClient(session))
        found = second_opinion.second_opinion(session)

    assert "use_after_free" in {each.check for each in found}


def test_schemathesis_judges_calls_with_a_refused_token(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(second_opinion, "judge", lambda *_: ())  # no rule of the suite, which would find it too
    with session_over(bend=bent(_AsksForNoToken)) as session:
        session.send("POST", "/requests", credential="no token", intent=Intent(), operation=Operation.CREATE)
        found = second_opinion.second_opinion(session)

    assert [(each.check, each.exchange.request.credential) for each in found] == [("ignored_auth", "no token")]
