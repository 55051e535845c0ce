from __future__ import annotations

import os
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from conformance.http.creations import journal_file, locks


class OneByte:
    """The locks of Windows: a byte that one open file holds until it is closed."""

    LK_LOCK, LK_NBLCK = 1, 2

    def __init__(self) -> None:
        self.holder: int | None = None
        self.places: list[int] = []

    def locking(self, descriptor: int, *_: int) -> None:
        self.places.append(os.lseek(descriptor, 0, os.SEEK_CUR))
        if self.holder is not None:
            raise OSError(13, "Permission denied")
        self.holder = descriptor


@pytest.fixture
def windows(monkeypatch: pytest.MonkeyPatch) -> OneByte:
    byte = OneByte()
    monkeypatch.setattr(locks, "fcntl", None)
    monkeypatch.setattr(locks, "msvcrt", byte)
    return byte


@pytest.fixture
def path(tmp_path: Path) -> Path:
    (tmp_path / "journal.jsonl").write_bytes(b"line\n")
    return tmp_path / "journal.jsonl"


def test_on_windows_a_run_in_progress_is_seen(windows: OneByte, path: Path) -> None:
    claimed = journal_file.claim(path)
    assert claimed is not None
    with claimed:
        assert journal_file.is_in_progress(path)
        assert journal_file.claim(path) is None
        windows.holder = None  # as the system does when the file is closed
        assert not journal_file.is_in_progress(path)


def test_on_windows_the_lock_is_beyond_what_is_read_and_written(windows: OneByte, path: Path) -> None:
    with path.open("r+b") as file:
        assert file.read(2) == b"li"
        assert locks.lock(file, exclusive=True)
        assert file.read() == b"ne\n"

    assert windows.places == [2**31 - 2]


@pytest.mark.parametrize(("error", "held"), [(BlockingIOError(), False), (OSError(95, "no locks"), True)])
def test_a_network_file_system_may_have_no_locks(
    monkeypatch: pytest.MonkeyPatch, path: Path, error: OSError, held: bool
) -> None:
    def flock(*_: Any) -> None:
        raise error

    monkeypatch.setattr(locks, "fcntl", SimpleNamespace(flock=flock, LOCK_EX=2, LOCK_SH=1, LOCK_NB=4))
    with path.open("ab") as file:
        assert locks.lock(file, exclusive=True) is held
