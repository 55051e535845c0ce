"""The command that prints an access token."""

from __future__ import annotations

import contextlib
import os
import shlex
import signal
import subprocess
from typing import Final

PATIENCE: Final = 60.0
"""Seconds that a command may take."""

REMEDY: Final = (
    "Run the command by itself to see its messages. It has to print the access token and nothing else, without asking "
    "anything. No shell reads it: for pipes and variables use a script, or sh -c '…'."
)


class NoToken(Exception):
    """The command printed no token."""


class Ended(NoToken):
    """A signal ended the command. Another attempt may succeed."""


class TokenCommand:
    """A command that runs without a shell. Its messages on standard error are dropped: they may contain secrets."""

    def __init__(self, command: str) -> None:
        self._command = command
        self._process: subprocess.Popen[bytes] | None = None

    def output(self) -> str:
        """Run the command and return what it prints; raise NoToken when it fails."""
        try:
            words = shlex.split(self._command) or [""]
            # In a session of its own the command survives the Ctrl-C after which a run still needs a token.
            with subprocess.Popen(  # noqa: S603 - the user's own
                words, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, start_new_session=True
            ) as process:
                self._process = process
                try:
                    printed, _ = process.communicate(timeout=PATIENCE)
                except BaseException:
                    self.stop()
                    raise
                finally:
                    self._process = None
        except subprocess.TimeoutExpired:
            raise NoToken(f"the command took longer than {PATIENCE:g} s.") from None
        except (OSError, ValueError) as error:
            # The command itself is not shown: it may be the token, given by mistake.
            raise NoToken(f"the command could not be started: {getattr(error, 'strerror', None) or error}.") from None
        code = process.returncode
        if code < 0:
            raise Ended(f"the command was ended by signal {-code}.")
        if code > 0:
            raise NoToken(f"the command failed with exit code {code}.")
        return printed.decode("utf-8", "replace")

    def stop(self) -> None:
        """End the command, where it is running, and the processes that it started."""
        if (process := self._process) is not None:
            if hasattr(os, "killpg"):
                with contextlib.suppress(ProcessLookupError, PermissionError):
                    os.killpg(process.pid, signal.SIGKILL)
            process.kill()
