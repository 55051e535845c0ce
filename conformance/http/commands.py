"""Commands of the tester: without a shell, in a session of their own, and with a time limit."""

from __future__ import annotations

import subprocess
import threading
from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from conformance.http.processes import apart, end, words_of
from conformance.model.errors import ConfigurationFault, PassingFault
from conformance.model.option_values import REQUEST_ID
from conformance.model.target import Completion

PATIENCE: Final = 60.0
"""Seconds that a command may take."""

REMEDY: Final = (
    "Run the command by itself to see its messages. It has to end with exit code 0, without asking anything. No shell "
    "reads it: for pipes and variables use a script, or sh -c '…'."
)


class Command:
    """A command of the tester. Its messages on standard error are dropped: they may contain secrets."""

    secrets: Final = ()
    """Secrets beside its output: none are known."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._process: subprocess.Popen[bytes] | None = None
        # A command that starts just now is stopped too. A signal may interrupt the thread that starts it.
        self._starting = threading.RLock()
        self._ended: set[int] = set()
        """The processes that `stop` ended: on Windows their exit codes do not say so."""

    def stop(self) -> None:
        """End the command, where it is running, and what it started; threads that wait for it get a PassingFault."""
        with self._starting:
            process = self._process
        if process is not None:
            self._ended.add(process.pid)
            end(process)

    def output(self, values: Mapping[str, str] = MappingProxyType({})) -> str:
        """Run the command and return what it prints; raise ConfigurationFault when it fails.

        Each key of `values` is replaced in the words of the command, so that a value never becomes several words.
        """
        try:
            words = words_of(self._text) or [""]
            for key, value in values.items():
                words = [word.replace(key, value) for word in words]
            # In a session of its own the command survives the Ctrl-C after which a run still needs a token.
            with self._starting:
                process: subprocess.Popen[bytes] = subprocess.Popen(  # noqa: S603 - the user's own
                    words, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, **apart()
                )
                self._process = process
            with process:
                try:
                    printed, _ = process.communicate(timeout=PATIENCE)
                except BaseException:
                    self.stop()
                    raise
                finally:
                    self._process = None
        except subprocess.TimeoutExpired:
            raise ConfigurationFault(f"the command took longer than {PATIENCE:g} s.") from None
        except (OSError, ValueError) as error:
            # The command itself is not shown: it may be the token, given by mistake.
            reason = getattr(error, "strerror", None) or error
            raise ConfigurationFault(f"the command could not be started: {reason}.") from None
        if process.returncode < 0:
            raise PassingFault(f"the command was ended by signal {-process.returncode}.")
        if process.returncode > 0 and process.pid in self._ended:
            raise PassingFault("the command was ended.")
        if process.returncode > 0:
            raise ConfigurationFault(f"the command failed with exit code {process.returncode}.")
        return printed.decode("utf-8", "replace")


def reset_account(text: str) -> None:
    """Run the command of the tester that removes the requests of an account; raise ConfigurationFault if it fails."""
    try:
        Command(text).output()
    except ConfigurationFault as reason:
        raise ConfigurationFault(
            f"--reset-command: {reason} The run begins only after it has removed the requests of the account.",
            remedy=REMEDY,
        ) from None


class CompletionCommand(Completion):
    """A command that makes the service complete a data request."""

    def __init__(self, text: str) -> None:
        self._command = Command(text)
        self._is_stopped = False

    def complete(self, request_id: str) -> None:
        """Run the command for a request."""
        try:
            self._command.output({REQUEST_ID: request_id})
        except ConfigurationFault as reason:
            if self._is_stopped:
                return  # the next call ends the run
            raise ConfigurationFault(f"--complete-command: {reason}", remedy=REMEDY) from None

    def stop(self) -> None:
        """End the command, where it is running."""
        self._is_stopped = True
        self._command.stop()
