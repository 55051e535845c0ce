"""Runs the command that prints an access token."""

from __future__ import annotations

import contextlib
import os
import re
import shlex
import shutil
import signal
import subprocess
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Final

from conformance.model.text import one_line

PATIENCE: Final = 60.0
"""Seconds that a command may take."""

REMEDY: Final = (
    "Run the command by itself: it has to print the access token and nothing else, without asking anything. "
    "No shell reads it: for pipes and variables use a script, or sh -c '…'."
)

_LONGEST_LINE: Final = 200
"""Characters shown of what a command says on standard error."""

_HIDDEN: Final = "[hidden]"

_SECRET: Final = re.compile(
    r"(\b(?:bearer|basic)\s+|[\w-]*(?:token|secret|passw|key)[\w-]*[\"']?\s*[=:]\s*[\"']?)[^\s\"'&,;]+"
    r"|(?=\D*\d)[\w.~+/-]{16,}=*|[\w.~+/-]{32,}=*",
    re.IGNORECASE,
)
"""What may be a secret, with the name of it in the group. Hiding a host name is better than showing a token."""


class NoToken(Exception):
    """A command gave no token."""


class Ended(NoToken):
    """A signal ended the command, which may give a token when it is run again."""


def output_of(
    command: str,
    tokens: Iterable[str] = (),
    on_start: Callable[[subprocess.Popen[bytes] | None], object] = bool,
) -> str:
    """Return what a command prints, run without a shell; raise NoToken, in which none of `tokens` shows.

    `on_start` is given the process once it runs, and None once it has ended.
    """
    try:
        words = shlex.split(command)
    except ValueError as error:
        raise NoToken(f"the command cannot be split into words ({str(error).lower()}).") from None
    # A word that is no program is not shown: it may be the token itself, given in place of a command.
    if not words or shutil.which(words[0]) is None:
        raise NoToken("the command does not begin with a program that was found and may be run.")
    program = Path(words[0]).name
    try:
        code, printed, said = _run(words, on_start)
    except subprocess.TimeoutExpired:
        raise NoToken(f"{program} took longer than {PATIENCE:g} s, and was ended.") from None
    except (OSError, ValueError) as error:
        raise NoToken(f"{program} could not be run: {getattr(error, 'strerror', None) or error}.") from None
    if code < 0:
        raise Ended(f"{program} was ended by signal {-code} instead of printing a token.")
    if code > 0:
        last = _last_line(said, {*tokens, *re.findall(r"[\w.~+/-]{6,}", printed)}) or "empty"
        raise NoToken(f"{program} ended with exit code {code}; the last line of its standard error is: {last}")
    return printed


def _run(words: list[str], on_start: Callable[[subprocess.Popen[bytes] | None], object]) -> tuple[int, str, str]:
    # In a session of its own, a command that renews a token is not ended by the Ctrl-C that a run cleans up after.
    with subprocess.Popen(  # noqa: S603 - the user's own
        words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, start_new_session=True
    ) as process:
        on_start(process)
        try:
            printed, said = process.communicate(timeout=PATIENCE)
        except BaseException:
            end(process)
            raise
        finally:
            on_start(None)
    return process.returncode, printed.decode("utf-8", "replace"), said.decode("utf-8", "replace")


def end(process: subprocess.Popen[bytes]) -> None:
    """End a command and what it started: what a shell waits for would live on without it."""
    if hasattr(os, "killpg"):
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(process.pid, signal.SIGKILL)
    process.kill()


def _last_line(said: str, secrets: set[str]) -> str:
    line = said.strip().rpartition("\n")[2].strip()
    for secret in sorted(secrets, key=len, reverse=True):
        line = re.sub(re.escape(secret), _HIDDEN, line, flags=re.IGNORECASE)
    return one_line(_SECRET.sub(lambda found: f"{found[1] or ''}{_HIDDEN}", line), _LONGEST_LINE)
