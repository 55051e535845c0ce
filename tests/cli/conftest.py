from __future__ import annotations

import os
import signal
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest

from conformance.cli import main
from conformance.cli.interrupt import SIGNALS


@dataclass(frozen=True)
class Result:
    """What a command came to."""

    code: int
    out: str
    err: str


Command = Callable[..., Result]


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty working directory, and an environment without tokens."""
    monkeypatch.chdir(tmp_path)
    for name in list(os.environ):
        if name.startswith("DRSI_"):
            monkeypatch.delenv(name)
    return tmp_path


@pytest.fixture
def command(folder: Path, capfd: pytest.CaptureFixture[str]) -> Command:  # noqa: ARG001
    """Run the command in this process, in `folder`."""

    def run(*arguments: str) -> Result:
        capfd.readouterr()
        before = {number: signal.getsignal(number) for number in SIGNALS}
        with pytest.raises(SystemExit) as ended:
            main(arguments)
        for number, handler in before.items():
            signal.signal(number, handler)
        assert isinstance(ended.value.code, int)
        return Result(ended.value.code, *capfd.readouterr())

    return run
