"""The process of one run: the command itself, with limits around it.

The audit holds the other end of a pipe. When that is closed, the run is interrupted, as by Ctrl-C: it cleans up and
writes its report. So the audit interrupts a run on every system, and a run whose audit was killed still deletes what it
created.
"""

from __future__ import annotations

import os
import signal
import sys
import threading
from contextlib import suppress
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Final

from conformance import NAME
from conformance.cli import main

INTERRUPTED_EARLY: Final = 3
"""The exit code of an interruption before the command has taken over the signals."""


def run(
    held: Connection, words: list[str], environment: dict[str, str], place: Path, memory: int, messages: Path
) -> None:
    """Be the command, as `started` describes it; `held` is the pipe that ends when it has to."""
    leave_the_terminal()
    os.environ.clear()
    os.environ.update(environment)
    os.chdir(place)
    for number, path in enumerate((os.devnull, os.devnull, str(messages))):
        file = os.open(path, os.O_RDWR | os.O_CREAT, 0o600)
        os.dup2(file, number)
        os.close(file)
    _watch(held)  # before the limit, below which no thread may begin
    limit_memory(memory)
    sys.argv = [NAME, *words]
    try:
        main(words)
    except KeyboardInterrupt:
        sys.exit(INTERRUPTED_EARLY)


def leave_the_terminal() -> None:
    """See to it that Ctrl-C in the terminal of the audit does not reach this process and those that it starts."""
    if sys.platform == "win32":
        import ctypes

        ctypes.windll.kernel32.SetConsoleCtrlHandler(None, True)
    else:
        os.setsid()


def limit_memory(mebibytes: int) -> None:
    """Limit the address space of this process and of those that it starts; 0 and other systems: no limit."""
    try:
        import resource
    except ImportError:  # Windows
        return
    if mebibytes:
        with suppress(ValueError, OSError):  # macOS, or a lower limit that is in force
            resource.setrlimit(resource.RLIMIT_AS, (mebibytes * 2**20, mebibytes * 2**20))


def _watch(held: Connection) -> None:
    """Interrupt this process when the pipe ends."""

    def wait() -> None:
        with suppress(EOFError, OSError):
            held.recv_bytes()
        if hasattr(signal, "pthread_kill"):
            # To the main thread, which may be waiting in a call of the system.
            signal.pthread_kill(threading.main_thread().ident or 0, signal.SIGINT)
        else:
            signal.raise_signal(signal.SIGINT)

    threading.Thread(target=wait, daemon=True).start()
