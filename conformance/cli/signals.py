"""The signals that end a command: the first asks a run to stop and clean up, the second ends the process."""

from __future__ import annotations

import os
import signal
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from types import FrameType
from typing import Final

from conformance.model.verdict import Exit

_NAMES: Final = ("SIGINT", "SIGTERM", "SIGHUP", "SIGBREAK")  # POSIX lacks the last one, Windows the one before
SIGNALS: Final = tuple(getattr(signal, name) for name in _NAMES if hasattr(signal, name))
_STDERR: Final = 2


class Interruption:
    """The handler of the signals: the first signal calls `stop`, and the second ends the process."""

    def __init__(self) -> None:
        self.began = time.perf_counter()
        """When the command began. The time of a run counts from here, so that it includes the loading of the suite."""
        self.stop: Callable[[], object] = _raise
        """The action of the first signal. It runs inside the handler, possibly while the main thread holds locks.

        By default it raises KeyboardInterrupt: before a run begins, nothing has to be cleaned up.
        """
        self.last_words: Callable[[], str] = str
        """Returns the text that is printed before the second signal ends the process."""
        self.received = False

    def listen(self) -> None:
        """Install the handler, in the main thread. A signal that the caller ignores (nohup) stays ignored."""
        if threading.current_thread() is threading.main_thread():
            for number in SIGNALS:
                if signal.getsignal(number) is not signal.SIG_IGN:
                    signal.signal(number, self._receive)

    def _receive(self, number: int, frame: FrameType | None) -> None:  # noqa: ARG002 - the signature of a handler
        if self.received:
            write_now(self.last_words())
            # Nothing that could wait or be caught may run after the second signal.
            os._exit(Exit.INCONCLUSIVE)
        self.received = True
        self.stop()


def _raise() -> None:
    raise KeyboardInterrupt


@contextmanager
def withheld() -> Iterator[None]:
    """Withhold the signals from processes started in this context: Ctrl-C reaches every process of a terminal."""
    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, SIGNALS)
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def write_now(text: str) -> None:
    """Write to standard error past its buffer, which the interrupted code may be using."""
    with suppress(OSError):
        os.write(_STDERR, text.encode("utf-8", "backslashreplace"))
