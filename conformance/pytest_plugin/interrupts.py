"""Ctrl-C in a run of the user's own pytest: a creation that is under way is waited for, so that it can be deleted."""

from __future__ import annotations

import signal
import threading
from collections.abc import Callable
from types import FrameType
from typing import Any

from conformance.http.session import Session

_MESSAGE = "Interrupted: no new requests; deleting what the run created. A second Ctrl-C stops at once."


class Interrupts:
    """The handler of SIGINT. The first signal stops the run, and a further one is that of Python.

    While a call is under way the signal only asks the session to stop: the next call raises KeyboardInterrupt, and the
    response to a creation is still received. It does not end the clean-up. At any other time the signal raises
    KeyboardInterrupt at once.
    """

    def __init__(self, session: Session) -> None:
        self.received = False
        """Whether Ctrl-C was pressed."""
        self._session = session
        self._say: Callable[[str], object] = str
        self._before: Callable[[int, FrameType | None], Any] | int | None = None

    def listen(self, say: Callable[[str], object]) -> None:
        """Install the handler in place of Python's own; one that the user has installed stays. `say` shows a line."""
        self._say = say
        is_main = threading.current_thread() is threading.main_thread()
        if is_main and signal.getsignal(signal.SIGINT) is signal.default_int_handler:
            self._before = signal.signal(signal.SIGINT, self._receive)

    def ignore(self) -> None:
        """Give the signal back the handler that it had."""
        if self._before is not None:
            signal.signal(signal.SIGINT, self._before)
            self._before = None

    def _receive(self, number: int, frame: FrameType | None) -> None:
        self.received = True
        self.ignore()
        is_calling = self._is_calling()
        self._session.stop()
        if not (is_calling or self._session.clock.cleaning):
            signal.default_int_handler(number, frame)
        self._say(_MESSAGE)

    def _is_calling(self) -> bool:
        return any(not each.ended for each in list(self._session.record.exchanges))
