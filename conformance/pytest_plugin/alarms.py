"""Alarms of the program around a run, such as the time limit that pytest-timeout sets for a test."""

from __future__ import annotations

import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType


@contextmanager
def postponed(on_alarm: Callable[[], object]) -> Iterator[None]:
    """Raise at the end what the handler of an alarm raises meanwhile; `on_alarm` is called at once in its place.

    What runs inside may treat an exception of `pytest.fail` as its own, as hypothesis does, or raise another one that
    follows from it.
    """
    usual = signal.getsignal(signal.SIGALRM) if hasattr(signal, "SIGALRM") else None
    if not callable(usual) or threading.current_thread() is not threading.main_thread():
        yield
        return
    raised: list[BaseException] = []

    def handler(number: int, frame: FrameType | None) -> None:
        try:
            usual(number, frame)
        except BaseException as error:
            raised.append(error)
            on_alarm()

    signal.signal(signal.SIGALRM, handler)
    try:
        yield
    except BaseException:
        if not raised:
            raise
    finally:
        if signal.getsignal(signal.SIGALRM) is handler:  # else it was taken over, or switched off, meanwhile
            signal.signal(signal.SIGALRM, usual)
    if raised:
        raise raised[0]
