"""Signals that end a run in an orderly way: one asks for it, a second one insists."""

from __future__ import annotations

import os
import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType, TracebackType
from typing import Any, Final

from conformance.verdict import Exit

SIGNALS: Final = tuple(getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGHUP") if hasattr(signal, name))
_STDERR: Final = 2


class Interruption:
    """While the context lasts, the first signal raises KeyboardInterrupt in the main thread, a second ends the process.

    Inside `held` the exception waits until the outermost `held` is left; after `no_more` it is not raised at all, for
    then nothing is left to cut short. A signal that the caller had ignored (nohup) stays ignored.
    """

    def __init__(self) -> None:
        self.wanted = False
        """Whether a signal came."""
        self.on_first: Callable[[], None] = lambda: None
        """Called when the first signal came. It runs inside the handler, so it must not touch buffered streams."""
        self.last_words: Callable[[], str] = str
        """What is said before the second signal ends the process."""
        self._depth = 0
        self._due = False
        self._over = False
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

    @contextmanager
    def held(self) -> Iterator[None]:
        """Hold the exception back for a while; of no effect in threads, where it is never raised."""
        if threading.current_thread() is not threading.main_thread():
            yield
            return
        self._depth += 1
        try:
            yield
        finally:
            self._depth -= 1
            self._raise_if_due()

    def no_more(self) -> None:
        """Raise nothing from now on."""
        self._over = True

    def _came(self, number: int, frame: FrameType | None) -> None:  # noqa: ARG002 - what a handler is given
        if self.wanted:
            say(self.last_words())
            # Nothing that could wait or be caught: whoever asks twice means it.
            os._exit(Exit.INCONCLUSIVE)
        self.wanted = self._due = True
        self.on_first()
        self._raise_if_due()

    def _raise_if_due(self) -> None:
        if self._due and not self._depth and not self._over:
            self._due = False
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
