from __future__ import annotations

import hashlib
import json
from datetime import UTC, datetime
from pathlib import Path
from types import SimpleNamespace
from typing import Any
from urllib.parse import quote

import httpx
import pytest
from hand_made import BASE, ONE, TOKEN, TWO, Scripted, created, json_answer, session_with

from conformance.http.creations import journal_file, locks
from conformance.http.creations.journal import Journal
from conformance.http.creations.journal_file import read
from conformance.http.creations.remains import Remains, remains_in
from conformance.http.renewed_tokens import CommandToken
from conformance.model.credential_forms import ODD_BEARER
from conformance.model.errors import ConfigurationFault
from conformance.model.exchange import ErrorKind, Intent, TransportError


@pytest.fixture
def journal(tmp_path: Path) -> Journal:
    return Journal(tmp_path / "journal.jsonl")


def lines(journal: Journal) -> list[dict[str, Any]]:
    assert journal.path is not None
    return [json.loads(line) for line in journal.path.read_text("utf-8").splitlines()] if journal.path.exists() else []


def events(journal: Journal) -> list[str]:
    return [line["event"] for line in lines(journal)]


def test_creations_made_together_are_all_on_disk_before_the_first_is_asked_for(journal: Journal) -> None:
    seen: list[int] = []

    def answer(_: httpx.Request) -> httpx.Response:
        seen.append(events(journal).count("intend"))
        return created(f"8b1d8f0e-3c50-4f0c-9d34-{len(seen):012x}")()

    session = session_with(Scripted(by=answer), journal=journal)
    session.race([lambda: session.send("POST", "/requests", credential="user")] * 6)

    assert seen == [6] * 6


def test_every_line_that_names_something_to_delete_is_synced(journal: Journal, monkeypatch: pytest.MonkeyPatch) -> None:
    synced: list[list[str]] = []
    monkeypatch.setattr("conformance.http.creations.journal._sync", lambda _: synced.append(events(journal)))

    journal.intend("user", at_most=9)
    journal.was_created(ONE, "user")
    journal.was_deleted(ONE, confirmed=True)

    assert synced == [["intend"], ["intend", "created"]]
    assert events(journal) == ["intend", "created", "deleted"]


NAMES = {"1": ONE, "2": TWO}
EVENTS: dict[str, tuple[str, dict[str, int]]] = {
    "no answer": ("?", {"spent": 1, "left_behind": 1}),
    "one identifier four times": ("+1 +1 +1 +1", {"spent": 4, "created": 1, "left_behind": 1}),
    "all three deleted": ("+1 +1 +1 -1 -1 -1", {"spent": 3, "created": 1, "deleted": 1}),
    "one not found": ("+1 +2 -1 0", {"spent": 2, "created": 2, "deleted": 1, "left_behind": 1}),
    "back": ("+1 -1 <1", {"spent": 1, "created": 1, "left_behind": 1}),
    "given again": ("+1 -1 +1 -1", {"spent": 2, "created": 1, "deleted": 1}),
    "perhaps given to two": ("+1 x1 +1 -1", {"spent": 2, "created": 1, "left_behind": 1}),
    "unknown and not found": ("+1 ? x1", {"spent": 2, "created": 1, "not_found": 1, "left_behind": 1}),
    "of another": ("-2", {"spent": 0}),
}


@pytest.mark.parametrize("case", EVENTS)
def test_the_numbers_of_a_report_add_up_and_the_file_has_what_is_left(journal: Journal, case: str) -> None:
    """+1 is a creation, -1 a deletion, x1 one that found nothing, <1 a reading of what was deleted, ? no answer."""
    script, expected = EVENTS[case]
    journal.begin(BASE, datetime(2026, 1, 31, tzinfo=UTC))
    assert journal.intend("user", at_most=9)
    journal.was_refused()

    for event in script.split():
        sign, request_id = event[0], NAMES.get(event[1:], "")
        if sign in "+?":
            assert journal.intend("user", at_most=9)
        match sign:
            case "+":
                journal.was_created(request_id, "user")
            case "?":
                journal.has_unknown_outcome("no answer")
            case "-" | "x":
                journal.was_deleted(request_id, confirmed=sign == "-")
            case "<":
                journal.is_back(request_id, "user")

    numbers = {name: getattr(journal, name) for name in ("created", "left_behind", "spent")}
    numbers |= {"deleted": len(journal.gone), "not_found": len(journal.lost)}
    assert numbers == {**dict.fromkeys(numbers, 0), **expected}
    assert journal.created == len(journal.gone) + len(journal.lost) + len(journal.live)
    assert journal.path is not None
    assert read(journal.path).total == journal.left_behind


ODD_TOKEN = {"credential": ODD_BEARER, "intent": Intent(open=True, unusual=True)}
"""A gateway may answer to a token with characters of no token: no service sees the call."""


@pytest.mark.parametrize(
    ("answer", "meant", "left"),
    [
        (created(), {}, 1),
        (json_answer(201, {"request": {"requestId": ONE}}), {}, 1),
        (json_answer(200, {}), {}, 1),
        (lambda: httpx.Response(200, text="created!"), {}, 1),
        (json_answer(400, {"error": "InvalidDataTypes"}), {}, 0),
        (json_answer(200, {"error": "MaximumAmountOfRequestsReached"}), {}, 0),
        (json_answer(200, {"error": {"code": "MaximumAmountOfRequestsReached"}}), {}, 1),
        (TransportError(ErrorKind.DEADLINE, "30 s are over"), {}, 1),
        (TransportError(ErrorKind.TRUNCATED, "cut off"), {}, 1),
        (TransportError(ErrorKind.NOT_HTTP, "no HTTP"), {}, 1),
        (TransportError(ErrorKind.CONNECT, "refused"), {}, 0),
        (json_answer(502, {}), ODD_TOKEN, 0),
        (lambda: httpx.Response(200, html="<h1>Blocked</h1>"), ODD_TOKEN, 0),
        (TransportError(ErrorKind.CLOSED, ""), ODD_TOKEN, 0),
        (TransportError(ErrorKind.CLOSED, "no byte"), {"intent": Intent(body="odd")}, 0),
        (TransportError(ErrorKind.DEADLINE, "no byte"), {"intent": Intent(body="odd")}, 1),
        (TransportError(ErrorKind.CLOSED, "no byte"), {"intent": Intent(body="known types")}, 1),
        (json_answer(500, {}), {"intent": Intent(body="known types")}, 4),  # each attempt may have made one
        (json_answer(500, {}), {"intent": Intent(body="odd")}, 0),
        (json_answer(500, {"error": "InvalidDataTypes"}), {"intent": Intent(body="known types")}, 0),
    ],
)
def test_what_a_creation_may_have_left(journal: Journal, answer: Any, meant: dict[str, Any], left: int) -> None:
    session_with(Scripted(answer), journal=journal).send("POST", "/requests", **{"credential": "user", **meant})

    assert journal.left_behind == left
    assert journal.pending == 0


def test_the_file_names_what_is_left_without_the_token_in_it(journal: Journal) -> None:
    answers = Scripted(
        created(f"{TOKEN}-1"), json_answer(500, None), TransportError(ErrorKind.NOT_HTTP, f"it is {TOKEN}")
    )
    session = session_with(answers, journal=journal)
    session.send("POST", "/requests", credential="user")

    session.clean_up()
    session.send("POST", "/requests", credential="user")

    assert journal.live == {f"{TOKEN}-1": "user"}
    assert answers.paths[1] == f"/api/requests/{TOKEN}-1"
    assert [line.get("id", line.get("why")) for line in lines(journal)] == [
        None,
        "[DRSI_TOKEN]-1",
        None,
        "it is [DRSI_TOKEN]",
    ]


def test_the_file_holds_no_token_that_came_later(journal: Journal, tmp_path: Path) -> None:
    command = f"sh -c 'mkdir {tmp_path / 'run'} && echo {TOKEN}.1 || echo {TOKEN[::-1]}.2'"
    session = session_with(
        Scripted(created(), created(f"{TOKEN[::-1]}.2")), token=CommandToken(command), journal=journal
    )
    session.send("POST", "/requests", credential="user")

    token = session.credentials["user"]
    token.instead_of(token.current())
    session.send("POST", "/requests", credential="user")

    assert [line["id"] for line in lines(journal) if "id" in line] == [ONE, "[DRSI_TOKEN 1]"]


@pytest.mark.parametrize(
    ("status", "location", "live"),
    [
        (201, f"/api/requests/{ONE}", {ONE: "user"}),
        (302, f"{BASE}/requests/{ONE}?new=1", {ONE: "user"}),
        (303, f"/requests/{quote('a/b', safe='')}", {"a/b": "user"}),
        (303, f"/login?next=/requests/{ONE}", {}),
        (303, "http://[", {}),
        (303, "/a\x00b", {}),
        (303, "http://service.test:99999999/", {}),
        (400, f"/requests/{ONE}", {}),
    ],
)
def test_what_location_names_was_created(journal: Journal, status: int, location: str, live: dict[str, str]) -> None:
    answer = httpx.Response(status, headers={"Location": location})

    session_with(Scripted(lambda: answer), journal=journal).send("POST", "/requests", credential="user")

    assert journal.live == live


@pytest.mark.parametrize(("status", "credential", "left"), [(404, "user", 0), (401, "user", 1), (404, "other user", 1)])
def test_what_a_deletion_may_have_removed(status: int, credential: str, left: int) -> None:
    session = session_with(Scripted(created(), json_answer(status, None)))
    session.send("POST", "/requests", credential="user")

    session.send("DELETE", f"/requests/{ONE}", credential=credential)

    assert session.journal.left_behind == left


SECRET = "tok-4711-secret"


@pytest.fixture
def begun(tmp_path: Path) -> Journal:
    """The journal of a run that has begun."""
    journal = Journal(tmp_path / "journal.jsonl", clean=lambda text: text.replace(SECRET, "[DRSI_TOKEN]"))
    journal.begin(BASE, datetime(2026, 1, 31, 12, tzinfo=UTC))
    return journal


def create(journal: Journal, request_id: str) -> None:
    journal.intend("user", at_most=99)
    journal.was_created(request_id, "user")


def path_of(journal: Journal) -> Path:
    assert journal.path is not None
    return journal.path


def test_an_identifier_with_a_secret_cannot_be_sent(begun: Journal) -> None:
    create(begun, f"a-{SECRET}")
    create(begun, f"b-{SECRET}")
    begun.was_deleted(f"b-{SECRET}", confirmed=True)

    remains = journal_file.read(path_of(begun))

    assert (remains.live, remains.hidden) == ({}, {"a-[DRSI_TOKEN]": "user"})


def test_a_run_may_die_at_any_byte_and_the_journal_still_goes_on(begun: Journal) -> None:
    create(begun, ONE)
    begun.intend("user", at_most=99)
    path = path_of(begun)
    whole = path.read_bytes()
    lines = whole.count(b"\n")
    seen = set()
    for size in range(len(whole) + 1):
        path.write_bytes(whole[:size])
        before = journal_file.read(path)
        journal_file.mend(path)
        assert journal_file.read(path) == before
        assert path.read_bytes() in {b"".join(whole.splitlines(keepends=True)[:number]) for number in range(lines + 1)}
        seen.add((len(before.live), before.unnamed))
    assert seen == {(0, 0), (0, 1), (1, 0), (1, 1)}


def test_a_run_may_die_at_any_byte_and_its_user_still_knows_the_journal(tmp_path: Path) -> None:
    def seal(text: str) -> str:
        return hashlib.sha256(f"key {text}".encode()).hexdigest()

    journal = Journal(tmp_path / "journal.jsonl", seal=seal)
    journal.begin(BASE, datetime(2026, 1, 31, 12, tzinfo=UTC), {"salt": "\ud800"})
    create(journal, ONE)
    path, first = path_of(journal), journal.first_seal
    whole = path.read_bytes()
    for size in range(whole.index(b"\n"), len(whole) + 1):
        path.write_bytes(whole[:size])
        journal_file.mend(path)
        again = Journal(path, live={ONE: "user"}, seal=seal, first_seal=journal_file.read(path, seal).first_seal)
        again.was_deleted(ONE, confirmed=False)

        assert journal_file.read(path, seal).first_seal == first
        assert journal_file.read(path, lambda text: seal(f"another {text}")).first_seal == ""
        assert journal_file.read(path).first_seal == ""


@pytest.mark.parametrize(
    "text",
    [
        "conforms\n",
        "\x00\xff\n",
        '{"event": "created", "id": "x", "credential": "user"}\n',
        "{begin}\n{begin}\n",
        '{begin}\n{"event": "created", "id": "x", "credential": "user"}\n',
        '{begin}\n{"event": "int\n{"event": "intend", "credential": "user"}\n',
        '{"event": "begin", "base_url": "ftp://x", "started": "", "host": "", "process": ""}\n',
    ],
)
def test_what_is_no_journal_is_refused(begun: Journal, text: str) -> None:
    path = path_of(begun)
    path.write_text(text.replace("{begin}", path.read_text("utf-8").strip()), "latin-1")

    with pytest.raises(ConfigurationFault):
        journal_file.read(path)


def test_a_run_in_progress_is_one_until_its_process_lets_go(begun: Journal) -> None:
    create(begun, ONE)
    path = path_of(begun)
    claim = journal_file.claim(path)
    assert claim is not None
    assert journal_file.claim(path) is None
    assert journal_file.is_in_progress(path)

    claim.close()

    assert not journal_file.is_in_progress(path)


@pytest.mark.parametrize(("error", "held"), [(BlockingIOError(), False), (OSError(95, "no locks"), True)])
def test_a_network_file_system_may_have_no_locks(
    monkeypatch: pytest.MonkeyPatch, begun: Journal, error: OSError, held: bool
) -> None:
    def flock(*_: object) -> None:
        raise error

    monkeypatch.setattr(locks, "fcntl", SimpleNamespace(flock=flock, LOCK_EX=2, LOCK_SH=1, LOCK_NB=4))
    with path_of(begun).open("ab") as file:
        assert locks.lock(file, exclusive=True) is held


def test_a_journal_that_its_run_removed_meanwhile_leaves_nothing(tmp_path: Path) -> None:
    assert remains_in(tmp_path / "journal.jsonl") == Remains()
