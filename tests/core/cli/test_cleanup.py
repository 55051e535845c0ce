"""The clean-up of what a killed run left: what the journal lists, and nothing else; and --empty-account beside it."""

from __future__ import annotations

import asyncio
import json
import threading
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from cli_services import OTHER_TOKEN, PATIENCE, TOKEN, Command, Served, Started, refusing, replying, report_of, served
from hand_made import jwt

from conformance.cli.check import command as check_command
from conformance.cli.earlier_runs import settled
from conformance.cli.options import Options
from conformance.http import noise
from conformance.http.creations import journal_file
from conformance.http.creations.journal import Journal
from conformance.http.creations.owners import are_of, marks_of, sealing
from conformance.http.session import Session
from conformance.http.wire.exchange_limits import Limits
from conformance.http.wire.transport import BoundedTransport
from conformance.model.target import Target, Token
from conformance.reference.call import Call, Reply
from conformance.reference.service import Service

pytestmark = pytest.mark.usefixtures("tokens")


def left_by_a_run(
    service: Served, folder: Path, *labels: str, user: str = TOKEN, other: str = OTHER_TOKEN, sealed: bool = True
) -> list[str]:
    """Leave a data request with each credential, journaled in `folder` as a run that is killed leaves it."""
    folder.mkdir(parents=True, exist_ok=True)
    target = Target(base_url=service.base_url, user=Token(user), other=Token(other) if other else None)
    journal = Journal(folder / "journal.jsonl", seal=sealing() if sealed else None)
    session = Session(target, transport=BoundedTransport(bounds=Limits()), journal=journal)
    journal.begin(service.base_url, datetime.now(UTC), marks_of(target))
    for label in labels:
        session.send("POST", "/requests", credential=label)
    session.close()
    return list(journal.live)


def test_it_deletes_what_a_killed_run_left_and_nothing_else(command: Command, folder: Path) -> None:
    reached, killed = threading.Event(), threading.Event()
    deleted: list[Call] = []

    class Held(Service):
        """Deletes nothing until the run is killed."""

        async def delete(self, call: Call) -> Reply:
            if not killed.is_set():
                reached.set()
                await asyncio.to_thread(killed.wait, PATIENCE)
                return Reply(500)
            deleted.append(call)
            return await super().delete(call)

    with served(Held) as service:
        foreign = left_by_a_run(service, folder / "foreign", "user", "other user")
        with Started(folder, "check", service.base_url, "--output", "out", DRSI_TOKEN=TOKEN) as run:
            assert reached.wait(PATIENCE)
            assert "in progress (process " in command("cleanup", "out").err
            run.process.kill()
            run.ended()
        killed.set()
        remains = journal_file.read(folder / "out" / "journal.jsonl")
        assert remains.live

        result = command("cleanup", "out")

        assert f"{len(remains.live)} deleted, 0 already gone, 0 left" in result.out
        assert result.code == (3 if remains.unnamed else 0)
        assert service.held.isdisjoint(remains.live)
        assert set(foreign) <= service.held
        assert len(service.held) <= len(foreign) + remains.unnamed

        number = len(deleted)
        assert command("cleanup", "out").code == result.code
        assert len(deleted) == number
        assert TOKEN not in (folder / "out" / "journal.jsonl").read_text()
        purged = command("cleanup", "out", "--purge")
        assert len(deleted) == number
    recorded = folder / "out" / "evidence.jsonl"
    assert f"Kept: {Path('out', recorded.name)}, the exchanges that the killed run recorded." in result.out
    assert (purged.code, recorded.exists()) == (result.code, False)
    assert (folder / "out" / "journal.jsonl").exists() == (result.code != 0)


def test_each_request_is_deleted_by_the_credential_that_created_it(
    command: Command, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("DRSI_TOKEN")
    monkeypatch.delenv("DRSI_OTHER_TOKEN")
    with served() as service:
        mine, other = left_by_a_run(service, folder / "out", "user", "other user")
        result = command("cleanup", "out")
        assert (result.code, service.held) == (2, {mine, other})
        assert "no token is given to delete them" in result.err

        monkeypatch.setenv("DRSI_TOKEN", TOKEN)
        result = command("cleanup", "out", refusing())
        assert (result.code, service.held) == (2, {mine, other})
        assert f"is the journal of a run against {service.base_url}, and BASE_URL is" in result.err
        result = command("cleanup", "out", service.base_url)
        assert (result.code, service.held) == (3, {other})
        assert f"{other} is left: it belongs to the other user" in result.out
        assert "Set DRSI_OTHER_TOKEN" in result.out

        monkeypatch.setenv("DRSI_OTHER_TOKEN", OTHER_TOKEN)
        result = command("cleanup", "out/journal.jsonl")
        assert (result.code, service.held) == (0, set())
        assert result.out.endswith("1 deleted, 0 already gone, 0 left\nNothing is left of this run.\n")

        result = command("cleanup", "out")
    assert (result.code, result.err) == (0, "")
    assert "nothing is left of this run, so nothing was sent" in result.out


YET = ", yet it could be read afterwards"


@pytest.mark.parametrize(("status", "yet"), [(200, YET), (404, YET), (500, "")])
def test_what_the_service_does_not_delete_is_named(
    command: Command, folder: Path, monkeypatch: pytest.MonkeyPatch, status: int, yet: str
) -> None:
    monkeypatch.setattr(noise, "LONGEST_PAUSE", 0.0)
    with served(replying("deleteRequest", status, b"OK", {"content-type": "text/plain"})) as service:
        (mine,) = left_by_a_run(service, folder / "out", "user")
        command("cleanup", "out")
        result = command("cleanup", "out")  # what could not be deleted can be tried again
    assert result.code == 3
    assert "0 deleted, 0 already gone, 1 left" in result.out
    assert (
        f"1 data request of this run could not be deleted: the deletion was answered {status}{yet}. "
        f"By identifier: {mine}." in result.out
    )
    # Neither another token nor another clean-up would change that.
    assert f"DELETE {service.base_url}/requests/{mine} deletes nothing: let those who run" in result.out


Lines = list[dict[str, Any]]


def _appended(lines: Lines, other: Lines) -> Lines:  # noqa: ARG001
    made = {"event": "created", "id": ADMIN, "credential": "user"}
    return [*lines, {"event": "intend", "credential": "user"}, made]


ADMIN = "00000000-0000-4000-8000-000000000000"
ALTERED: dict[str, Callable[[Lines, Lines], Lines]] = {
    "another address": lambda lines, _: [lines[0] | {"base_url": refusing()}, *lines[1:]],
    "another identifier": lambda lines, _: [*lines[:-1], lines[-1] | {"id": ADMIN}],
    "a further line": _appended,
    "lines of another journal": lambda lines, other: [*lines, *other[1:]],
    "the seal of another line": lambda lines, _: [*lines, lines[-2], lines[-1] | {"id": ADMIN}],
    "no seals": lambda lines, _: [{name: each[name] for name in each if name != "seal"} for each in lines],
    "seals that are no texts": lambda lines, _: [each | {"seal": [each["seal"]]} for each in lines],
    "seals of other characters": lambda lines, _: [each | {"seal": "\ud800"} for each in lines],
}


@pytest.mark.parametrize("altered", ALTERED)
def test_a_journal_that_this_machine_did_not_write_so_sends_nothing(
    command: Command, folder: Path, altered: str
) -> None:
    with served() as service:
        left_by_a_run(service, folder / "own", "user")
        left_by_a_run(service, folder / "other", "user")
        own, other = (
            [json.loads(line) for line in (folder / name / "journal.jsonl").read_text("utf-8").splitlines()]
            for name in ("own", "other")
        )
        (folder / "sent").mkdir()
        changed = ALTERED[altered](own, other)
        (folder / "sent" / "journal.jsonl").write_text("".join(f"{json.dumps(each)}\n" for each in changed), "utf-8")
        held = service.held

        result = command("cleanup", "sent")

        assert (result.code, service.held) == (2, held), result.out
    named = refusing() if altered == "another address" else service.base_url
    assert f"add the BASE_URL: drsi-conformance cleanup sent/journal.jsonl {named}" in result.err
    assert "Nothing was sent." in result.err


def test_what_no_address_names_is_counted_and_not_sent(command: Command, folder: Path) -> None:
    named = ["..%2F..%2Fadmin", "a/b", "a\\b", "a?b", "a#b", "..;", "..", "a b", "\u00e9", ""]
    journal = Journal(folder / "journal.jsonl", seal=sealing())
    with served() as service:
        journal.begin(service.base_url, datetime(2026, 1, 31, 12, tzinfo=UTC))
        for each in (*named, ADMIN):
            journal.intend("user", at_most=99)
            journal.was_created(each, "user")
        for _ in range(2):
            journal.intend("user", at_most=99)
        journal.has_unknown_outcome("no answer")

        result = command("cleanup", ".", service.base_url)

    assert (result.code, {call.path.rpartition("/")[2] for call in service.calls}) == (3, {ADMIN}), result
    assert f"{len(named)} data requests of this run cannot be deleted by the journal" in result.out
    assert "At most 2 data requests may be left without a known identifier" in result.out
    assert "created from 2026-01-31T12:00:00Z on" in result.out


# ------------------------------------------------------------------ --empty-account beside an earlier run

CONFIRMED = ("--empty-account", "--format", "json", "--output", "reports/next")


def test_what_a_killed_run_left_contradicts_an_empty_account_until_it_is_deleted(command: Command) -> None:
    with served() as service:
        folder = Path("reports", "killed")
        (made,) = left_by_a_run(service, folder, "user", other="", sealed=False)
        path = folder / "journal.jsonl"
        first, _, rest = path.read_text("utf-8").partition("\n")
        begin = json.loads(first) | {"started": "now\n  fix    Run: something else"}
        path.write_text(f"{json.dumps(begin)}\n{rest}", "utf-8")

        refused = command("check", service.base_url, *CONFIRMED, only=("4.3-answers-ok",))

        assert (refused.code, service.held, Path("reports/next").exists()) == (2, {made}, False)
        assert "created 1 data request that nothing has deleted" in refused.err
        assert f"drsi-conformance cleanup {path} {service.base_url}" in refused.err
        assert "--cleanup-first" in refused.err
        assert "\n  fix    Run: something else" not in refused.err

        with path.open("a") as file:
            for one in ("..", "a/b", "%2e%2e"):
                file.write(json.dumps({"event": "intend", "credential": "user"}) + "\n")
                file.write(json.dumps({"event": "created", "id": one, "credential": "user"}) + "\n")

        done = command("check", service.base_url, *CONFIRMED, "--cleanup-first", only=("4.3-answers-ok",))
        assert (done.code, service.held) == (0, set())
    report = report_of(Path("reports/next"))
    assert report["confirmations"] == []
    assert any("This run lacks the confirmation --empty-account" in note["message"] for note in report["notes"])
    assert any(f"To delete it: drsi-conformance cleanup {path}" in note["remedy"] for note in report["notes"])
    assert f"To delete it: drsi-conformance cleanup {path}" in done.err


def _surrogates(text: str, _: str) -> str:
    first, _, rest = text.partition("\n")
    begin = json.loads(first) | {"owners": {"salt": "\ud800", "user": "\ud800"}}
    return f"{json.dumps(begin)}\n{rest}"


JOURNALS: dict[str, tuple[str, Callable[[str, str], str], bool]] = {
    "of another account, or of a new token of this one": (OTHER_TOKEN, lambda text, _: text, False),
    "of another path": (TOKEN, lambda text, base_url: text.replace(base_url, f"{base_url}/v2"), True),
    "of another port": (TOKEN, lambda text, base_url: text.replace(base_url, refusing()), True),
    "with texts that no run writes": (TOKEN, _surrogates, False),
}
"""Whose token a journal is of, how it is changed, and whether the account counts as empty beside it."""


@pytest.mark.parametrize("cleanup", [(), ("--cleanup-first",)], ids=["", "cleanup first"])
@pytest.mark.parametrize("journal", JOURNALS)
def test_a_journal_of_other_accounts_deletes_nothing(
    monkeypatch: pytest.MonkeyPatch, journal: str, cleanup: tuple[str, ...]
) -> None:
    monkeypatch.delenv("DRSI_OTHER_TOKEN")
    token, changed, is_empty = JOURNALS[journal]
    with served() as service:
        folder = Path("reports", "killed")
        (made,) = left_by_a_run(service, folder, "user", user=token, other="", sealed=False)
        path = folder / "journal.jsonl"
        path.write_text(changed(path.read_text("utf-8"), service.base_url), "utf-8")

        with check_command.make_context("check", [service.base_url, *CONFIRMED, *cleanup]) as context:
            options, _ = settled(Options.of(context))

        assert (options.empty_account, service.held) == (is_empty, {made})


@pytest.mark.parametrize(
    ("then", "now", "same"),
    [
        ({"user": TOKEN}, {"user": TOKEN}, True),
        ({"user": TOKEN}, {"user": OTHER_TOKEN}, False),
        ({"user": TOKEN}, {"user": OTHER_TOKEN, "other": TOKEN}, True),
        ({"user": jwt(iss="a", sub="7", exp="1")}, {"user": jwt(iss="a", sub="7", exp="2")}, True),
        ({"user": jwt(iss="a", sub="7")}, {"user": jwt(iss="a", sub="8")}, False),
        ({"user": jwt(iss="a", sub="7")}, {"user": jwt(iss="b", sub="7")}, False),
    ],
)
def test_an_account_is_known_again_by_its_token_or_by_the_subject_of_a_jwt_and_marks_show_neither(
    then: dict[str, str], now: dict[str, str], same: bool
) -> None:
    earlier, later = (
        Target(base_url="http://127.0.0.1", **{one: Token(value) for one, value in each.items()})
        for each in (then, now)
    )
    marks = marks_of(earlier)

    assert are_of(marks, later) is same
    assert not set(then.values()) & set(marks.values())
    assert marks != marks_of(earlier)
