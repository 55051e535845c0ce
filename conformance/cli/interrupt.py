"""Signals that end a run in an orderly way: one asks for it, a second one insists."""

from __future__ import annotations

import os
import signal
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType, TracebackType
from typing import Any, Final

from conformance.model.verdict import Exit

SIGNALS: Final = tuple(getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGHUP") if hasattr(signal, name))
_STDERR: Final = 2


class Interruption:
    """While the context lasts, the first signal calls `stop`, and a second one ends the process.

    `stop` raises KeyboardInterrupt in the main thread unless it is set to something else: nothing is at stake then. A
    signal that the caller had ignored (nohup) stays ignored.
    """

    def __init__(self) -> None:
        self.began = time.perf_counter()
        """When the command began, in seconds of the clock of a run, which counts the loading of the suite."""
        self.stop: Callable[[], object] = _raise
        """Called by the first signal, inside the handler: between any two instructions, possibly with locks held."""
        self.last_words: Callable[[], str] = str
        """What is said before the second signal ends the process."""
        self.came = False
        """Whether a signal came."""
        self._before: dict[int, Any] = {}

    def __enter__(self) -> Interruption:
        """Take the signals over; in another thread than the main one, where that cannot be done, leave them alone."""
        if threading.current_thread() is threading.main_thread():
            for number in SIGNALS:
                if signal.getsignal(number) is not signal.SIG_IGN:
                    self._before[number] = signal.signal(number, self._came)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Give the signals back."""
        for number, handler in self._before.items():
            signal.signal(number, handler)

    def _came(self, number: int, frame: FrameType | None) -> None:  # noqa: ARG002 - what a handler is given
        if self.came:
            say(self.last_words())
            # Nothing that could wait or be caught: the second signal means it.
            os._exit(Exit.INCONCLUSIVE)
        self.came = True
        self.stop()


def _raise() -> None:
    raise KeyboardInterrupt


@contextmanager
def unheard() -> Iterator[None]:
    """Keep the signals from processes that are started meanwhile: Ctrl-C at a terminal reaches every process there."""
    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, SIGNALS)
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def say(text: str) -> None:
    """Write to standard error from inside a signal handler, where buffered streams may be in use already."""
    try:
        os.write(_STDERR, text.encode("utf-8", "backslashreplace"))
    except OSError:
        return
