"""How the process of a run is started: as a new Python, or as a fork of one that has loaded the suite already.

Loading the suite is a good part of what a run costs. `forking` starts the fork server of Python's multiprocessing,
which loads it once. It has no threads, so its forks are safe. Elsewhere than on Linux, and where a process may have no
children of multiprocessing, `Spawned` starts a new Python for each run. Both run the same command.
"""

from __future__ import annotations

import os
import subprocess
import sys
import threading
from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from multiprocessing import connection, get_context
from pathlib import Path
from typing import Any, Final, Protocol

from conformance.fleet.audit import child
from conformance.http.processes import apart, end

PRELOADED: Final = ("conformance.cli.preloaded",)
"""What every run loads. A fork of a process that has loaded it starts without this work."""


@dataclass(frozen=True, kw_only=True)
class Command:
    """A command of the suite to run in a process of its own."""

    words: list[str]
    environment: dict[str, str]
    """All of it. It holds the tokens of the run, so nothing shows or keeps it."""
    place: Path
    """The working directory."""
    memory: int
    """MiB of address space; 0 for no limit."""
    messages: Path
    """An existing file for what it writes to standard error."""


class RunProcess(Protocol):
    """The process of a run, in a session of its own: Ctrl-C in a terminal does not reach it."""

    def ended(self, seconds: float) -> int | None:
        """Wait for the end, at most so long; return the exit code, or None."""
        ...

    def interrupt(self) -> None:
        """Let it clean up and end, as by Ctrl-C."""
        ...

    def kill(self) -> None:
        """End it, and what it started, at once."""
        ...


Launch = Callable[[Command], RunProcess]


class Spawned:
    """A run in a new Python."""

    def __init__(self, command: Command) -> None:
        with command.messages.open("wb") as messages:
            self._process = subprocess.Popen(  # noqa: S603 - our own module, no shell
                [sys.executable, "-P", "-m", child.__name__, str(command.memory), *command.words],
                cwd=command.place,
                env={**command.environment, "PYTHONPATH": _own_path()},
                stdin=subprocess.PIPE,
                stdout=subprocess.DEVNULL,
                stderr=messages,
                **apart(),
            )

    def ended(self, seconds: float) -> int | None:
        """Wait for the end, at most so long; return the exit code, or None."""
        with suppress(subprocess.TimeoutExpired):
            return self._process.wait(seconds)
        return None

    def interrupt(self) -> None:
        """Close the pipe that it watches."""
        assert self._process.stdin
        with suppress(OSError):
            self._process.stdin.close()

    def kill(self) -> None:
        """End its session."""
        end(self._process)


class Forked:
    """A run in a fork of the process that has loaded the suite."""

    _lock: Final = threading.Lock()
    """Guards the children that multiprocessing knows, which it asks for their exit codes in any thread."""

    def __init__(self, command: Command) -> None:
        context = get_context("forkserver")
        held, self._pipe = context.Pipe(duplex=False)
        arguments = (held, command.memory, command.words, command.environment, command.place, command.messages)
        with self._lock:
            self._process = context.Process(target=_forked, args=arguments)
            self._process.start()
        held.close()

    def ended(self, seconds: float) -> int | None:
        """Wait for the end, at most so long; return the exit code, or None."""
        connection.wait([self._process.sentinel], seconds)
        with self._lock:
            return self._process.exitcode

    def interrupt(self) -> None:
        """Close the pipe that it watches."""
        self._pipe.close()

    def kill(self) -> None:
        """End its session."""
        end(self._process)  # type: ignore[arg-type]  # it has the two members that are used


def _forked(held: Any, memory: int, words: list[str], environment: dict[str, str], place: Path, messages: Path) -> None:
    child.run_forked(held.fileno(), memory, words, environment, str(place), str(messages))


@contextmanager
def forking(modules: Sequence[str], withheld: Collection[str]) -> Iterator[Launch]:
    """Yield what starts runs as forks of a process that has loaded `modules`; elsewhere than on Linux, new processes.

    That process starts here, without the variables `withheld`, which hold tokens. It ends with this process. It loads
    the suite from where this process does, and nothing from the working directory.
    """
    if sys.platform != "linux":
        yield Spawned
        return
    from multiprocessing import forkserver  # Windows lacks what it imports

    given = {"PYTHONSAFEPATH": "1", "PYTHONPATH": _own_path()}
    kept = {
        name: os.environ.pop(name)
        for name in list(os.environ)
        if name in withheld or name in given or name.startswith("DRSI_")
    }
    os.environ.update(given)
    try:
        get_context("forkserver").set_forkserver_preload(list(modules))
        forkserver.ensure_running()
    finally:
        for name in given:
            del os.environ[name]
        os.environ.update(kept)
    yield Forked


def _own_path() -> str:
    return os.pathsep.join(path for path in sys.path if path)
