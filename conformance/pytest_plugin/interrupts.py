"""Ctrl-C in a run of the user's own pytest: a creation that is under way is waited for, so that it can be deleted."""

from __future__ import annotations

import signal
import threading
from collections.abc import Callable
from types import FrameType
from typing import Any

from conformance.http.session import Session


class Interrupts:
    """The handler of SIGINT. The first signal stops the run, and a further one is that of Python.

    While a call is under way the signal only asks the session to stop: the next call raises KeyboardInterrupt, and the
    response to a creation is still received. At any other time the signal raises KeyboardInterrupt at once.
    """

    def __init__(self, session: Session) -> None:
        self._session = session
        self._before: Callable[[int, FrameType | None], Any] | int | None = None

    def listen(self) -> None:
        """Install the handler in place of Python's own; one that somebody else has installed stays."""
        is_main = threading.current_thread() is threading.main_thread()
        if is_main and signal.getsignal(signal.SIGINT) is signal.default_int_handler:
            self._before = signal.signal(signal.SIGINT, self._receive)

    def ignore(self) -> None:
        """Give the signal back the handler that it had."""
        if self._before is not None:
            signal.signal(signal.SIGINT, self._before)
            self._before = None

    def raise_if_stopped(self) -> None:
        """Raise KeyboardInterrupt if a signal has stopped the run and no call has raised it."""
        if self._session.clock.stopped:
            raise KeyboardInterrupt

    def _receive(self, number: int, frame: FrameType | None) -> None:
        self.ignore()
        self._session.stop()
        if not self._is_calling():
            signal.default_int_handler(number, frame)

    def _is_calling(self) -> bool:
        return any(not each.ended for each in list(self._session.record.exchanges))
