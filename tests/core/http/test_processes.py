from __future__ import annotations

import os
import subprocess
import sys

import pytest

from conformance.http import processes
from conformance.http.commands import Command
from conformance.model.errors import PassingFault


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (r"C:\Tools\token.exe --for me", [r"C:\Tools\token.exe", "--for", "me"]),
        (r'"C:\Program Files\py.exe" "a b" c', [r"C:\Program Files\py.exe", "a b", "c"]),
        (r"powershell -File .\token.ps1 # no comment", ["powershell", "-File", r".\token.ps1", "#", "no", "comment"]),
        ("say 'it is' \"\"", ["say", "it is", ""]),
        ("", []),
    ],
)
def test_on_windows_a_backslash_is_part_of_a_path(monkeypatch: pytest.MonkeyPatch, text: str, words: list[str]) -> None:
    monkeypatch.setattr(sys, "platform", "win32")

    assert processes.words_of(text) == words


class Ended:
    """A process on a system without signals to groups: its exit code does not say that it was ended."""

    pid = 123456
    returncode = 1

    def __init__(self) -> None:
        self.killed = 0

    def kill(self) -> None:
        self.killed += 1

    def communicate(self, **_: object) -> tuple[bytes, None]:
        return b"", None

    def __enter__(self) -> Ended:
        return self

    def __exit__(self, *_: object) -> None:
        pass


def test_on_windows_what_a_command_started_ends_with_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "platform", "win32")
    monkeypatch.delattr(os, "killpg", raising=False)
    called: list[list[str]] = []
    monkeypatch.setattr(subprocess, "run", lambda words, **_: called.append(words))
    process = Ended()
    processes.end(process)  # type: ignore[arg-type]

    assert called == [["taskkill", "/F", "/T", "/PID", "123456"]]
    assert process.killed == 1


def test_a_command_that_was_ended_is_no_wrong_command(monkeypatch: pytest.MonkeyPatch) -> None:
    command, process = Command("say"), Ended()

    def stopped(*_: object, **__: object) -> tuple[bytes, None]:
        command.stop()
        return b"", None

    monkeypatch.setattr("conformance.http.commands.end", lambda _: None)
    monkeypatch.setattr(process, "communicate", stopped)
    monkeypatch.setattr(subprocess, "Popen", lambda *_, **__: process)
    with pytest.raises(PassingFault, match="was ended"):
        command.output()
