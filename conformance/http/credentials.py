"""Access tokens: sent with a call, printed by a command, renewed when refused."""

from __future__ import annotations

import contextlib
import os
import shlex
import signal
import subprocess
import threading
from collections.abc import Generator
from typing import Final

import httpx

from conformance.model.errors import ConfigurationFault, PassingFault
from conformance.model.exchange import Exchange
from conformance.model.target import Token, checked_token


class Bearer(httpx.Auth):
    """Sends a token as `Authorization: Bearer` (5.1), under a label that the record keeps instead of its value."""

    def __init__(self, token: Token, label: str) -> None:
        self.token = token
        self.label = label

    def auth_flow(self, request: httpx.Request) -> Generator[httpx.Request, httpx.Response]:
        """Send with the token; once more with a new one if the target refused it and the command gives another.

        If the target accepts the new token, the refused exchange is marked as a renewal: its token had expired.
        """
        request.extensions["credential"] = self.label
        sent = self.token.current()
        request.headers["Authorization"] = f"Bearer {sent}"
        response = yield request
        another = self.another(sent, response) if response.status_code == 401 else None
        if another is None:
            return
        request.headers["Authorization"] = f"Bearer {another}"
        request.extensions["repeats"] = response.extensions["exchange"].id
        repeated: Exchange = (yield request).extensions["exchange"]
        if repeated.response is not None and repeated.error is None and repeated.response.status not in (401, 403):
            response.extensions["exchange"].renewed = True

    def another(self, refused: str, response: httpx.Response) -> str | None:  # noqa: ARG002 - a replay needs it
        """Return a newer token than the `refused` one, or None if there is none."""
        return self.token.instead_of(refused)


PATIENCE: Final = 60.0
"""Seconds that a command may take."""

REMEDY: Final = (
    "Run the command by itself to see its messages. It has to print the access token and nothing else, without asking "
    "anything. No shell reads it: for pipes and variables use a script, or sh -c '…'."
)


class NoToken(Exception):
    """The command printed no token."""


class TokensEnded(NoToken):
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
            raise TokensEnded(f"the command was ended by signal {-code}.")
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


class CommandToken(Token):
    """An access token that a command prints; the command runs again when the token expires."""

    renewable = True

    def __init__(self, command: str, *, name: str = "The token command") -> None:
        """`name` is the name of the command in messages, such as its option."""
        self._command = TokenCommand(command)
        self._name = name
        self._failed = ""
        self._printed: str | None = None
        self._lock = threading.Lock()
        self.used = []

    def current(self) -> str:
        """Return the token; the first call runs the command, and other threads wait for it."""
        with self._lock:
            if self._printed is None:
                self._printed = self._renewed()
            return self._printed

    def instead_of(self, refused: str) -> str | None:
        """Return a token other than `refused`, or None; run the command if there is no newer token yet.

        If several calls are refused with one token, only the first renews it: a server may revoke a token when it
        issues the next.
        """
        with self._lock:
            if self._printed == refused:
                self._printed = self._renewed()
            return self._printed if self._printed != refused else None

    def stop(self) -> None:
        """End the command if it is running; threads that wait for it get a PassingFault."""
        self._command.stop()

    def _renewed(self) -> str:
        """Return the output of the command; keep its failure, so that no later call waits for the same failure.

        The end by a signal is not kept: it is not a fault of the command, and the clean-up needs a token.
        """
        if not self._failed:
            try:
                value = checked_token(self._command.output(), "its output")
            except TokensEnded as reason:
                raise PassingFault(f"{self._name}: {reason}", remedy=REMEDY) from None
            except (NoToken, ConfigurationFault) as reason:
                self._failed = f"{self._name}: {reason}"
            else:
                self.used += [] if value in self.used else [value]
                return value
        raise ConfigurationFault(self._failed, remedy=REMEDY)
