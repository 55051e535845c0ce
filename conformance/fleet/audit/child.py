"""The process of one run: the command itself, with limits around it.

The audit holds the other end of a pipe, and reads there which error ended the command. When that end is closed, the
run is interrupted, as by Ctrl-C: it cleans up and writes its report. So the audit interrupts a run on every system, and
a run whose audit was killed still deletes what it created.
"""

from __future__ import annotations

import os
import signal
import sys
import threading
from contextlib import suppress
from functools import partial
from multiprocessing.connection import Connection
from pathlib import Path
from typing import TYPE_CHECKING, Final

from conformance import NAME
from conformance.cli import main
from conformance.model.printable import one_line

if TYPE_CHECKING:
    import click

_LONGEST: Final = 500
"""Characters of an error: a pipe takes as much before anybody reads it."""

INTERRUPTED_EARLY: Final = 3
"""The exit code of an interruption before the command has taken over the signals."""


def run(pipe: Connection, words: list[str], environment: dict[str, str], place: Path, memory: int) -> None:
    """Be the command, as `started` describes it."""
    leave_the_terminal()
    os.environ.clear()
    os.environ.update(environment)
    os.chdir(place)
    nothing = os.open(os.devnull, os.O_RDWR)
    for number in range(3):
        os.dup2(nothing, number)
    _watch(pipe)  # before the limit, below which no thread may begin
    limit_memory(memory)
    sys.argv = [NAME, *words]
    try:
        main(words, failed=partial(_hand_over, pipe))
    except KeyboardInterrupt:
        sys.exit(INTERRUPTED_EARLY)


def _hand_over(pipe: Connection, error: click.ClickException) -> None:
    """Give the audit the error that ends the command, and its fix."""
    text = f"{error.format_message().strip()} {getattr(error, 'remedy', '')}"
    with suppress(OSError):  # the audit has gone, or interrupted the run
        pipe.send_bytes(one_line(text.strip(), _LONGEST).encode())


def leave_the_terminal() -> None:
    """See to it that Ctrl-C in the terminal of the audit does not reach this process and those that it starts."""
    if sys.platform == "win32":
        import ctypes

        ctypes.windll.kernel32.SetConsoleCtrlHandler(None, True)
    else:
        os.setsid()


def limit_memory(mebibytes: int) -> None:
    """Limit the address space of this process and of those that it starts, on Linux."""
    try:
        import resource
    except ImportError:  # Windows
        return
    with suppress(ValueError, OSError):  # macOS, or a lower limit that is in force
        resource.setrlimit(resource.RLIMIT_AS, (mebibytes * 2**20, mebibytes * 2**20))


def _watch(pipe: Connection) -> None:
    """Interrupt this process when the pipe ends."""

    def wait() -> None:
        with suppress(EOFError, OSError):
            pipe.recv_bytes()
        if hasattr(signal, "pthread_kill"):
            # To the main thread, which may be waiting in a call of the system.
            signal.pthread_kill(threading.main_thread().ident or 0, signal.SIGINT)
        else:
            signal.raise_signal(signal.SIGINT)

    threading.Thread(target=wait, daemon=True).start()
