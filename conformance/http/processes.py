"""What differs between systems for processes that the suite starts: the words of a command, signals, and their end."""

from __future__ import annotations

import contextlib
import os
import shlex
import signal
import subprocess
import sys
from collections.abc import Mapping
from typing import Any, Final

_PATIENCE: Final = 10.0
"""Seconds that the system's command for ending processes may take."""


def words_of(text: str) -> list[str]:
    r"""Return the words of a command, as a shell splits them; raise ValueError where a quotation mark is left open.

    A backslash hides the next character, except on Windows, where paths have it: C:\Tools\token.exe is one word.
    """
    if sys.platform != "win32":
        return shlex.split(text)
    lexer = shlex.shlex(text, posix=True, punctuation_chars=False)
    lexer.whitespace_split, lexer.escape, lexer.commenters = True, "", ""
    return list(lexer)


def apart() -> Mapping[str, Any]:
    """Return the arguments of Popen for a process that Ctrl-C in this terminal does not reach, and with it its own."""
    if sys.platform == "win32":
        return {"creationflags": subprocess.CREATE_NEW_PROCESS_GROUP}
    return {"start_new_session": True}


def end(process: subprocess.Popen[bytes]) -> None:
    """End a process that was started `apart`, and what it started."""
    if hasattr(os, "killpg"):
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(process.pid, signal.SIGKILL)
    elif sys.platform == "win32":
        with contextlib.suppress(OSError, subprocess.SubprocessError):
            subprocess.run(  # noqa: S603 - a command of the system, and a number
                ["taskkill", "/F", "/T", "/PID", str(process.pid)],  # noqa: S607 - it is where the system has it
                capture_output=True,
                timeout=_PATIENCE,
                check=False,
            )
    with contextlib.suppress(OSError):  # it has ended
        process.kill()
