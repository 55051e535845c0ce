"""Ctrl-C while a run in the user's own pytest makes its calls: what it created is deleted."""

from __future__ import annotations

import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType

from conformance.http.session import Session

_MESSAGE = "Interrupted: no new requests; deleting what the run created. A second Ctrl-C stops at once."


@contextmanager
def ending_calls(session: Session, say: Callable[[str], object]) -> Iterator[None]:
    """Let the first Ctrl-C end the calls of the context in order, and a further one do what it does in Python.

    A creation that is under way is waited for, so that it can be deleted. `say` shows a line. A handler that the user
    has installed stays.
    """
    usual = signal.getsignal(signal.SIGINT)
    if usual is not signal.default_int_handler or threading.current_thread() is not threading.main_thread():
        yield
        return

    def handler(_number: int, _frame: FrameType | None) -> None:
        signal.signal(signal.SIGINT, usual)
        session.stop()
        say(_MESSAGE)

    signal.signal(signal.SIGINT, handler)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, usual)
