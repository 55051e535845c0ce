from __future__ import annotations

import hashlib
from datetime import UTC, datetime
from pathlib import Path
from types import SimpleNamespace

import pytest
from hand_made import BASE, ONE

from conformance.http.creations import journal_file, locks
from conformance.http.creations.journal import Journal
from conformance.model.errors import ConfigurationFault

SECRET = "tok-4711-secret"


@pytest.fixture
def journal(tmp_path: Path) -> Journal:
    """The journal of a run that has begun."""
    folder = tmp_path / "run"
    folder.mkdir()
    begun = Journal(folder / "journal.jsonl", clean=lambda text: text.replace(SECRET, "[DRSI_TOKEN]"))
    begun.begin(BASE, datetime(2026, 1, 31, 12, tzinfo=UTC))
    return begun


def create(journal: Journal, request_id: str, credential: str = "user") -> None:
    journal.intend(credential, at_most=99)
    journal.was_created(request_id, credential)


def path_of(journal: Journal) -> Path:
    assert journal.path is not None
    return journal.path


def test_an_identifier_with_a_secret_cannot_be_sent(journal: Journal) -> None:
    create(journal, f"a-{SECRET}")
    create(journal, f"b-{SECRET}")
    journal.was_deleted(f"b-{SECRET}", confirmed=True)

    remains = journal_file.read(path_of(journal))

    assert (remains.live, remains.hidden) == ({}, {"a-[DRSI_TOKEN]": "user"})


def test_a_run_may_die_at_any_byte_and_the_journal_still_goes_on(journal: Journal) -> None:
    create(journal, ONE)
    journal.intend("user", at_most=99)
    path = path_of(journal)
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
def test_what_is_no_journal_is_refused(journal: Journal, text: str) -> None:
    path = path_of(journal)
    path.write_text(text.replace("{begin}", path.read_text("utf-8").strip()), "latin-1")

    with pytest.raises(ConfigurationFault):
        journal_file.read(path)


def test_a_run_in_progress_is_one_until_its_process_lets_go(journal: Journal) -> None:
    create(journal, ONE)
    path = path_of(journal)
    claim = journal_file.claim(path)
    assert claim is not None
    assert journal_file.claim(path) is None
    assert journal_file.is_in_progress(path)

    claim.close()

    assert not journal_file.is_in_progress(path)


@pytest.mark.parametrize(("error", "held"), [(BlockingIOError(), False), (OSError(95, "no locks"), True)])
def test_a_network_file_system_may_have_no_locks(
    monkeypatch: pytest.MonkeyPatch, journal: Journal, error: OSError, held: bool
) -> None:
    def flock(*_: object) -> None:
        raise error

    monkeypatch.setattr(locks, "fcntl", SimpleNamespace(flock=flock, LOCK_EX=2, LOCK_SH=1, LOCK_NB=4))
    with path_of(journal).open("ab") as file:
        assert locks.lock(file, exclusive=True) is held
