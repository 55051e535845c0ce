"""The process of one run: the command itself, with limits around it.

The audit holds the other end of a pipe. When that is closed, the run is interrupted, as by Ctrl-C: it cleans up and
writes its report. So the audit interrupts a run on every system, and a run whose audit was killed still deletes what it
created.
"""

from __future__ import annotations

import os
import runpy
import signal
import sys
import threading
from contextlib import suppress
from typing import Final

from conformance import NAME

INTERRUPTED_EARLY: Final = 3
"""The exit code of an interruption before the command has taken over the signals."""

_STDIN: Final = 0


def main() -> None:
    """Be the command whose arguments follow the limit of memory; the pipe is standard input."""
    memory, *words = sys.argv[1:]
    held = os.dup(_STDIN)
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, _STDIN)
    os.close(nothing)
    limit_memory(int(memory))
    _watch(held)
    sys.argv = [NAME, *words]
    try:
        runpy.run_module("conformance", run_name="__main__", alter_sys=True)
    except KeyboardInterrupt:
        sys.exit(INTERRUPTED_EARLY)


def limit_memory(mebibytes: int) -> None:
    """Limit the address space of this process and of those that it starts; 0 and other systems: no limit."""
    try:
        import resource
    except ImportError:  # Windows
        return
    if mebibytes:
        with suppress(ValueError, OSError):  # macOS, or a lower limit that is in force
            resource.setrlimit(resource.RLIMIT_AS, (mebibytes * 2**20, mebibytes * 2**20))


def _watch(held: int) -> None:
    """Interrupt this process when the pipe ends."""

    def wait() -> None:
        while os.read(held, 1024):
            pass
        if hasattr(signal, "pthread_kill"):
            # To the main thread, which may be waiting in a call of the system.
            signal.pthread_kill(threading.main_thread().ident or 0, signal.SIGINT)
        else:
            signal.raise_signal(signal.SIGINT)

    threading.Thread(target=wait, daemon=True).start()


if __name__ == "__main__":
    main()
