"""Locks of files between processes, which the system releases when a process ends, however it ends."""

from __future__ import annotations

import os
from typing import IO, Any, Final

try:
    import fcntl
except ImportError:  # Windows
    fcntl = None  # type: ignore[assignment]
try:
    import msvcrt
except ImportError:  # every other system
    msvcrt = None  # type: ignore[assignment]

_FAR: Final = 2**31 - 2
"""The byte that is locked on Windows, where no process can read or write a locked byte; no file is as long."""


def lock(file: IO[Any], *, exclusive: bool, wait: bool = False) -> bool:
    """Lock a file until it is closed; False if another process holds it. Without support for locks, no process does.

    Windows has no shared locks here: there each lock is exclusive. `wait` waits for the other process, on Windows for
    ten seconds.
    """
    if fcntl is not None:
        return _flock(file, (fcntl.LOCK_EX if exclusive else fcntl.LOCK_SH) | (0 if wait else fcntl.LOCK_NB))
    return msvcrt is None or _locking(file, wait=wait)


def _flock(file: IO[Any], how: int) -> bool:
    try:
        fcntl.flock(file, how)
    except BlockingIOError:
        return False
    except OSError:  # some network file systems have no locks
        return True
    return True


def _locking(file: IO[Any], *, wait: bool) -> bool:
    module: Any = msvcrt
    descriptor = file.fileno()
    before = os.lseek(descriptor, 0, os.SEEK_CUR)
    os.lseek(descriptor, _FAR, os.SEEK_SET)
    try:
        module.locking(descriptor, module.LK_LOCK if wait else module.LK_NBLCK, 1)
    except OSError:
        return False
    finally:
        os.lseek(descriptor, before, os.SEEK_SET)
    return True
